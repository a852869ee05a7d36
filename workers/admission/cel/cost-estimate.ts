import type { CallExpr, ComprehensionExpr, Expr } from "./ast.ts";
import { estimateCall } from "./call-estimates.ts";
import type { Operand } from "./call-estimates.ts";
import type { CheckedExpr } from "./checker.ts";
import type { Estimate } from "./estimates.ts";
import { add, fixed, multiply, union, unknownSize, unlimited, zero } from "./estimates.ts";
import { accumulator } from "./macros.ts";
import type { CelType } from "./types.ts";
import { dynType } from "./types.ts";
import { actualSize } from "./values.ts";

interface EntrySize {
  readonly key: Estimate;
  readonly value: Estimate;
}

interface Local {
  readonly size: Estimate | undefined;
  readonly entry: EntrySize | undefined;
}

const listCreateCost = 10;
const mapCreateCost = 30;
const structCreateCost = 40;

/**
 * The range of run-time costs that values within the bounds of their types can cause. Mirrors cel-go checker/cost.go with
 * Kubernetes' options (a has() costs nothing); bounds come with the types that schema-types.ts makes.
 */
export function estimateCost(checked: CheckedExpr): Estimate {
  return new Estimator(checked.types, checked).cost(checked.expr);
}

class Estimator {
  readonly #types: ReadonlyMap<number, CelType>;
  readonly #checked: CheckedExpr;
  readonly #sizes = new Map<number, Estimate>();
  readonly #entries = new Map<number, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(types: ReadonlyMap<number, CelType>, checked: CheckedExpr) {
    this.#types = types;
    this.#checked = checked;
  }

  cost(expr: Expr): Estimate {
    switch (expr.kind) {
      case "literal":
        return zero;
      case "ident":
        return fixed(1);
      case "select": {
        if (this.#checked.references.has(expr.id)) return fixed(1);
        const operand = this.cost(expr.operand);
        if (expr.testOnly) return operand;
        const kind = this.#type(expr.operand).kind;
        return kind === "map" || kind === "object" || kind === "param" ? add(operand, fixed(1)) : operand;
      }
      case "call":
        return this.#call(expr);
      case "list": {
        const cost = add(fixed(listCreateCost), ...expr.elements.map((element) => this.cost(element)));
        const value = expr.elements.map((element) => this.#size(element)).reduce(union, emptyUnion(expr.elements));
        this.#entries.set(expr.id, { key: fixed(1), value });
        return cost;
      }
      case "map": {
        const cost = add(
          fixed(mapCreateCost),
          ...expr.entries.flatMap((entry) => [this.cost(entry.key), this.cost(entry.value)]),
        );
        const key = expr.entries.map((entry) => this.#size(entry.key)).reduce(union, emptyUnion(expr.entries));
        const value = expr.entries.map((entry) => this.#size(entry.value)).reduce(union, emptyUnion(expr.entries));
        this.#entries.set(expr.id, { key, value });
        return cost;
      }
      case "struct":
        return add(fixed(structCreateCost), ...expr.fields.map((field) => this.cost(field.value)));
      case "comprehension":
        return isBind(expr) ? this.#bind(expr) : this.#fold(expr);
    }
  }

  #type(expr: Expr): CelType {
    return this.#types.get(expr.id) ?? dynType;
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  /** Undefined when nothing is known. */
  #knownSize(expr: Expr): Estimate | undefined {
    const computed = this.#sizes.get(expr.id);
    if (computed !== undefined) return computed;
    if (expr.kind === "literal")
      return fixed(typeof expr.value === "string" || expr.value instanceof Uint8Array ? actualSize(expr.value) : 1);
    if (expr.kind === "list") return fixed(expr.elements.length);
    if (expr.kind === "map") return fixed(expr.entries.length);
    const local = expr.kind === "ident" ? this.#local(expr.name) : undefined;
    // Upstream finds no bound for a map's entry that is selected like a field.
    const isEntry = expr.kind === "select" && this.#type(expr.operand).kind === "map";
    return (isEntry ? scalarSize(this.#type(expr)) : typeSize(this.#type(expr))) ?? local?.size;
  }

  #size(expr: Expr): Estimate {
    return this.#knownSize(expr) ?? unknownSize;
  }

  #entry(expr: Expr): EntrySize | undefined {
    const known = this.#entries.get(expr.id);
    if (known !== undefined) return known;
    return expr.kind === "ident" ? this.#local(expr.name)?.entry : undefined;
  }

  #operand(expr: Expr): Operand {
    const type = this.#type(expr);
    const literal = expr.kind === "literal" && typeof expr.value === "bigint" ? expr.value : undefined;
    const element = type.kind === "list" ? typeSize(type.element) : undefined;
    return { size: this.#size(expr), elementSize: element ?? this.#entry(expr)?.value ?? unknownSize, type, literal };
  }

  #call(expr: CallExpr): Estimate {
    const reference = this.#checked.references.get(expr.id);
    const name = reference?.kind === "call" ? reference.name : expr.function;
    const isQualified = reference?.kind === "call" && reference.qualified;
    const exprs = expr.target === undefined || isQualified ? expr.args : [expr.target, ...expr.args];
    const costs = exprs.map((operand) => this.cost(operand));
    const [first = zero, second = zero, third = zero] = costs;
    if (name === "_&&_" || name === "_||_") return { min: first.min, max: Math.min(first.max + second.max, unlimited) };
    if (name === "_?_:_") {
      const [, then, otherwise] = exprs as [Expr, Expr, Expr];
      this.#sizes.set(expr.id, union(this.#size(then), this.#size(otherwise)));
      const [a, b] = [this.#entry(then), this.#entry(otherwise)];
      if (a !== undefined && b !== undefined)
        this.#entries.set(expr.id, { key: union(a.key, b.key), value: union(a.value, b.value) });
      return add(first, union(second, third));
    }
    if (name === "_[_]") {
      const entry = this.#entry(exprs[0] as Expr);
      if (entry !== undefined) this.#sizes.set(expr.id, entry.value);
    }
    if (name === "dyn" && exprs[0] !== undefined) {
      this.#sizes.set(expr.id, this.#size(exprs[0]));
      return add(fixed(1), ...costs);
    }
    const overloads = reference?.kind === "call" ? reference.overloads : [];
    const operands = exprs.map((operand) => this.#operand(operand));
    let cost: Estimate | undefined;
    let size: Estimate | undefined;
    for (const overload of overloads) {
      const estimate = estimateCall(name, overload.id, operands);
      cost = cost === undefined ? estimate.cost : union(cost, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size);
    }
    if (size !== undefined) this.#sizes.set(expr.id, size);
    if (name === "_+_") this.#joinEntries(expr);
    return add(cost ?? fixed(1), ...costs);
  }

  #joinEntries(expr: CallExpr): void {
    const [a, b] = expr.args.map((arg) => this.#entry(arg));
    if (a !== undefined && b !== undefined)
      this.#entries.set(expr.id, { key: union(a.key, b.key), value: union(a.value, b.value) });
  }

  #fold(expr: ComprehensionExpr): Estimate {
    const range = this.cost(expr.iterRange);
    const init = this.cost(expr.accuInit);
    const entry = this.#entry(expr.iterRange);
    const isList = this.#type(expr.iterRange).kind === "list";
    this.#push(expr.accuVar, { size: this.#knownSize(expr.accuInit), entry: this.#entry(expr.accuInit) });
    const single = isList ? entry?.value : entry?.key;
    const first = expr.iterVar2 === undefined ? single : isList ? fixed(1) : entry?.key;
    this.#push(expr.iterVar, { size: first, entry: undefined });
    if (expr.iterVar2 !== undefined) this.#push(expr.iterVar2, { size: entry?.value, entry: undefined });
    const condition = this.cost(expr.loopCondition);
    const step = this.cost(expr.loopStep);
    this.#pop(expr.iterVar);
    if (expr.iterVar2 !== undefined) this.#pop(expr.iterVar2);
    const result = this.cost(expr.result);
    this.#pop(expr.accuVar);
    const count = this.#size(expr.iterRange);
    if (expr.accuInit.kind === "literal") {
      const size = this.#knownSize(expr.accuInit);
      if (size !== undefined) this.#sizes.set(expr.id, size);
    } else if (expr.accuInit.kind === "list" || expr.accuInit.kind === "map") {
      this.#sizes.set(expr.id, count);
      const stepEntry = this.#entry(expr.loopStep);
      if (stepEntry !== undefined) this.#entries.set(expr.id, stepEntry);
    }
    return add(range, init, result, multiply(count, add(step, condition)));
  }

  #bind(expr: ComprehensionExpr): Estimate {
    const range = this.cost(expr.iterRange);
    const init = this.cost(expr.accuInit);
    this.#push(expr.accuVar, { size: this.#knownSize(expr.accuInit), entry: this.#entry(expr.accuInit) });
    const result = this.cost(expr.result);
    const size = this.#knownSize(expr.result);
    const entry = this.#entry(expr.result);
    this.#pop(expr.accuVar);
    if (size !== undefined) this.#sizes.set(expr.id, size);
    if (entry !== undefined) this.#entries.set(expr.id, entry);
    return add(range, init, result);
  }
}

function emptyUnion(items: readonly unknown[]): Estimate {
  return items.length === 0 ? zero : { min: unlimited, max: 0 };
}

function isBind(expr: ComprehensionExpr): boolean {
  const { iterRange, loopCondition, accuVar } = expr;
  const runsNever = loopCondition.kind === "literal" && loopCondition.value === false;
  return iterRange.kind === "list" && iterRange.elements.length === 0 && runsNever && accuVar !== accumulator;
}

function typeSize(type: CelType): Estimate | undefined {
  return type.maxSize === undefined ? scalarSize(type) : { min: 0, max: type.maxSize };
}

function scalarSize(type: CelType): Estimate | undefined {
  switch (type.kind) {
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "null":
    case "timestamp":
    case "duration":
    case "type":
      return fixed(1);
    default:
      return undefined;
  }
}
