import type { ComprehensionExpr, Entry, Expr, StructExpr } from "./ast.ts";
import { ParseError } from "./errors.ts";
import type { Value } from "./values.ts";

/** Deeper trees are refused; every walk over a tree recurses once a level. */
const maxDepth = 500;
/** A macro repeats its arguments at most a few times; nested ones multiply. */
const maxNodes = 200_000;

/** Makes nodes with ids and bounded depth. One for each expression. */
export class ExprFactory {
  #nextId = 1;
  /** Where the next nodes are said to be. */
  position = 0;

  #node(...children: readonly (Expr | undefined)[]): { id: number; position: number; depth: number } {
    let depth = 1;
    for (const child of children) if (child !== undefined && child.depth >= depth) depth = child.depth + 1;
    if (depth > maxDepth) throw new ParseError(this.position, `expression recursion limit exceeded: ${maxDepth}`);
    if (this.#nextId > maxNodes) throw new ParseError(this.position, "expression is too large");
    return { id: this.#nextId++, position: this.position, depth };
  }

  literal(value: Value): Expr {
    return { ...this.#node(), kind: "literal", value };
  }

  ident(name: string): Expr {
    return { ...this.#node(), kind: "ident", name };
  }

  select(operand: Expr, field: string, testOnly = false): Expr {
    return { ...this.#node(operand), kind: "select", operand, field, testOnly };
  }

  call(name: string, ...args: Expr[]): Expr {
    return { ...this.#node(...args), kind: "call", function: name, target: undefined, args, inPlace: false };
  }

  callInPlace(name: string, ...args: Expr[]): Expr {
    return { ...this.#node(...args), kind: "call", function: name, target: undefined, args, inPlace: true };
  }

  member(target: Expr, name: string, ...args: Expr[]): Expr {
    return { ...this.#node(target, ...args), kind: "call", function: name, target, args, inPlace: false };
  }

  list(elements: Expr[], optional: number[] = []): Expr {
    return { ...this.#node(...elements), kind: "list", elements, optional };
  }

  map(entries: Omit<Entry, "id">[]): Expr {
    const node = this.#node(...entries.flatMap((entry) => [entry.key, entry.value]));
    return { ...node, kind: "map", entries: entries.map((entry) => ({ ...entry, id: this.#nextId++ })) };
  }

  struct(typeName: string, fields: StructExpr["fields"]): Expr {
    return { ...this.#node(...fields.map((field) => field.value)), kind: "struct", typeName, fields };
  }

  comprehension(parts: Omit<ComprehensionExpr, "id" | "position" | "depth" | "kind">): Expr {
    const { iterRange, accuInit, loopCondition, loopStep, result } = parts;
    return { ...this.#node(iterRange, accuInit, loopCondition, loopStep, result), kind: "comprehension", ...parts };
  }
}
