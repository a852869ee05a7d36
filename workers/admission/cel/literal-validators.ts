import type { Expr } from "./ast.ts";
import { CelError } from "./errors.ts";
import type { Issue } from "./errors.ts";
import { parseDuration, parseTimestamp } from "./library/time.ts";
import { compilePattern } from "./regex.ts";
import { walk } from "./walk.ts";

/** Literals that must fail at run time fail when compiled: cel-go cel/validator.go. */
export function validateLiterals(expr: Expr): Issue[] {
  const issues: Issue[] = [];
  for (const node of walk(expr)) {
    if (node.kind !== "call") continue;
    const literal = node.args.at(-1);
    if (literal?.kind !== "literal" || typeof literal.value !== "string") continue;
    const { value, position } = literal;
    if (node.function === "duration" && parseDuration(value) === undefined) {
      issues.push({ position, message: "invalid duration argument" });
    } else if (node.function === "timestamp" && parseTimestamp(value) === undefined) {
      issues.push({ position, message: "invalid timestamp argument" });
    } else if (node.function === "matches" && isBadPattern(value)) {
      issues.push({ position, message: "invalid matches argument" });
    }
  }
  return issues;
}

function isBadPattern(source: string): boolean {
  try {
    compilePattern(source);
    return false;
  } catch (error) {
    if (error instanceof CelError) return true;
    throw error;
  }
}
