import { invalid } from "../../apimachinery/field-error.ts";
import { isValidPercent } from "../../apimachinery/validation-names.ts";
import { nonnegative } from "./checks.ts";
import type { Causes } from "./checks.ts";

/** Counts that may be percentages. Mirrors pkg/apis/apps/validation (1.36). */
export function validatePositiveIntOrPercent(value: unknown, path: string, causes: Causes): void {
  if (typeof value === "string") {
    for (const text of isValidPercent(value)) causes.push(invalid(path, value, text));
  } else nonnegative(value, path, causes);
}

function percentOf(value: unknown): number | undefined {
  return typeof value === "string" && isValidPercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
}

export function isNotMoreThan100Percent(value: unknown, path: string, causes: Causes): void {
  if ((percentOf(value) ?? 0) > 100) causes.push(invalid(path, value, "must not be greater than 100%"));
}

/** The number, or that of the percentage; text that is neither counts as Go's Atoi has it. */
export function intOrPercentValue(value: unknown): number {
  const percent = percentOf(value);
  if (percent !== undefined) return percent;
  if (typeof value === "number") return value;
  return typeof value === "string" && /^[+-]?\d+$/.test(value) ? Number(value) : 0;
}
