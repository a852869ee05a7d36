import type { Expr } from "./ast.ts";

export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case "struct":
      return expr.fields.map((field) => field.value);
    case "comprehension":
      return [expr.iterRange, expr.accuInit, expr.loopCondition, expr.loopStep, expr.result];
  }
}

/** Every node, parents first. A node that a macro repeats comes once. */
export function* walk(root: Expr): Generator<Expr> {
  const seen = new Set<Expr>();
  const pending: Expr[] = [root];
  for (let expr = pending.pop(); expr !== undefined; expr = pending.pop()) {
    if (seen.has(expr)) continue;
    seen.add(expr);
    yield expr;
    pending.push(...children(expr).toReversed());
  }
}
