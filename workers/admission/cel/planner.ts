import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, StructExpr } from "./ast.ts";
import type { CheckedExpr, Reference } from "./checker.ts";
import { CelError, CostLimitExceeded, noSuchOverload } from "./errors.ts";
import type { Overload } from "./functions.ts";
import { compilePattern } from "./regex.ts";
import type { CelType } from "./types.ts";
import { accepts, runtimeTypeName } from "./types.ts";
import type { Value } from "./values.ts";
import {
  actualSize,
  ArrayList,
  CelList,
  CelMap,
  CelOptional,
  CelTypeValue,
  equal,
  NativeMap,
  optionalNone,
} from "./values.ts";
import { spend } from "./work.ts";

/** Values of variables by name; undefined where the caller has none. Asked at most once for each evaluation. */
export type Activation = (name: string) => Value | undefined;

/** The state of one evaluation. */
export class Frame {
  readonly activation: Activation;
  /** Variables first, then locals. A local may hold the error of an earlier round. */
  readonly slots: (Value | CelError | undefined)[] = [];
  readonly limit: number;
  cost = 0;

  constructor(activation: Activation, limit: number) {
    this.activation = activation;
    this.limit = limit;
  }

  charge(units: number): void {
    this.cost += units;
    if (this.cost > this.limit) throw new CostLimitExceeded();
  }
}

export type Step = (frame: Frame) => Value;

/** cel-go common/cost.go */
const listCreateCost = 10;
const mapCreateCost = 30;
const structCreateCost = 40;
/** Raising an error takes longer than the operations that a unit stands for. */
const errorWork = 50;

/** Turns a checked expression into closures. Run-time costs as cel-go interpreter/runtimecost.go with Kubernetes' options. */
export function plan(checked: CheckedExpr): Step {
  return new Planner(checked).plan(checked.expr);
}

class Planner {
  readonly #references: ReadonlyMap<number, Reference>;
  readonly #types: ReadonlyMap<number, CelType>;
  readonly #variables = new Map<string, number>();
  readonly #scopes: Map<string, number>[] = [];
  #slots = 0;

  constructor(checked: CheckedExpr) {
    this.#references = checked.references;
    this.#types = checked.types;
  }

  plan(expr: Expr): Step {
    switch (expr.kind) {
      case "literal": {
        const { value } = expr;
        return () => value;
      }
      case "ident":
        return this.#named(expr.id, expr.name);
      case "select": {
        if (this.#references.has(expr.id)) return this.#named(expr.id, expr.field);
        const operand = this.plan(expr.operand);
        const { field } = expr;
        if (expr.testOnly) return (frame) => hasField(operand(frame), field);
        return (frame) => {
          const value = operand(frame);
          frame.charge(1);
          return selectField(value, field);
        };
      }
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "comprehension":
        return this.#comprehension(expr);
    }
  }

  #named(id: number, name: string): Step {
    const reference = this.#references.get(id);
    switch (reference?.kind) {
      case "local": {
        const slot = this.#localSlot(reference.name);
        return (frame) => {
          frame.charge(1);
          const value = frame.slots[slot];
          if (value instanceof CelError) throw value;
          return value as Value;
        };
      }
      case "variable": {
        const slot = this.#variables.get(reference.name) ?? this.#slots++;
        this.#variables.set(reference.name, slot);
        return (frame) => {
          frame.charge(1);
          const known = frame.slots[slot];
          if (known !== undefined) return known as Value;
          const value = frame.activation(reference.name);
          if (value === undefined) throw new CelError(`no such attribute(s): ${reference.name}`);
          frame.slots[slot] = value;
          return value;
        };
      }
      case "type": {
        const value = new CelTypeValue(runtimeTypeName(reference.type));
        return (frame) => {
          frame.charge(1);
          return value;
        };
      }
      default:
        return () => {
          throw new CelError(`no such attribute(s): ${name}`);
        };
    }
  }

  #localSlot(name: string): number {
    for (let depth = this.#scopes.length - 1; depth >= 0; depth--) {
      const slot = this.#scopes[depth]?.get(name);
      if (slot !== undefined) return slot;
    }
    throw new Error(`no slot for ${name}`);
  }

  #call(expr: CallExpr): Step {
    const [first, second] = expr.args;
    switch (expr.function) {
      case "_&&_":
        return logical(this.plan(first as Expr), this.plan(second as Expr), false);
      case "_||_":
        return logical(this.plan(first as Expr), this.plan(second as Expr), true);
      case "_?_:_": {
        const condition = this.plan(first as Expr);
        const then = this.plan(second as Expr);
        const otherwise = this.plan(expr.args[2] as Expr);
        return (frame) => {
          const chosen = condition(frame);
          if (typeof chosen !== "boolean") throw noSuchOverload();
          return chosen ? then(frame) : otherwise(frame);
        };
      }
      case "@not_strictly_false":
        return notStrictlyFalse(this.plan(first as Expr));
      case "_[_]":
        return this.#index(first as Expr, second as Expr, false);
      case "_[?_]":
      case "_?._":
        return this.#index(first as Expr, second as Expr, true);
      case "_==_":
      case "_!=_":
        if (expr.target === undefined)
          return equality(this.plan(first as Expr), this.plan(second as Expr), expr.function === "_==_");
        break;
      case "or":
      case "orValue":
        if (expr.target !== undefined && expr.args.length === 1) return this.#optionalOr(expr);
        break;
      case "matches": {
        const constant = this.#constantMatch(expr);
        if (constant !== undefined) return constant;
        break;
      }
      default:
    }
    return this.#dispatch(expr);
  }

  #dispatch(expr: CallExpr): Step {
    const reference = this.#references.get(expr.id);
    const overloads = reference?.kind === "call" ? reference.overloads : [];
    const qualified = reference?.kind === "call" && reference.qualified;
    const operands = expr.target === undefined || qualified ? expr.args : [expr.target, ...expr.args];
    const steps = operands.map((operand) => this.plan(operand));
    const [only] = overloads;
    const isStatic = operands.every((operand) => !isDynamic(this.#types.get(operand.id)));
    if (expr.inPlace && expr.function === "_+_") return appendInPlace(steps);
    if (only === undefined) {
      return (frame) => {
        for (const step of steps) step(frame);
        throw noSuchOverload();
      };
    }
    // null passes the check for these and is no value of theirs.
    const takesNull = only.params.some(({ kind }) => nullableKinds.has(kind));
    if (overloads.length === 1 && isStatic && !takesNull) return callOne(only, steps);
    return callAny(overloads, steps);
  }

  /** A literal pattern is compiled once. */
  #constantMatch(expr: CallExpr): Step | undefined {
    const pattern = expr.args.at(-1);
    const subject = expr.target ?? expr.args[0];
    if (pattern?.kind !== "literal" || typeof pattern.value !== "string" || subject === undefined) return undefined;
    const text = this.plan(subject);
    const source = pattern.value;
    const patternCost = Math.ceil(source.length * 0.25);
    return (frame) => {
      const value = text(frame);
      if (typeof value !== "string") throw noSuchOverload();
      frame.charge(Math.ceil((1 + actualSize(value)) * 0.1) * patternCost);
      return compilePattern(source).test(value);
    };
  }

  #index(operandExpr: Expr, indexExpr: Expr, optional: boolean): Step {
    const operand = this.plan(operandExpr);
    const index = this.plan(indexExpr);
    if (!optional) {
      return (frame) => {
        const value = operand(frame);
        const key = index(frame);
        frame.charge(1);
        if (value instanceof CelOptional) return value.value === undefined ? value : optionalIndex(value.value, key);
        return indexValue(value, key);
      };
    }
    return (frame) => {
      const value = operand(frame);
      const key = index(frame);
      frame.charge(1);
      const inner = value instanceof CelOptional ? value.value : value;
      return inner === undefined ? optionalNone : optionalIndex(inner, key);
    };
  }

  /** The alternative is evaluated only when needed. */
  #optionalOr(expr: CallExpr): Step {
    const target = this.plan(expr.target as Expr);
    const alternative = this.plan(expr.args[0] as Expr);
    const unwrap = expr.function === "orValue";
    return (frame) => {
      const value = target(frame);
      frame.charge(1);
      if (!(value instanceof CelOptional)) throw noSuchOverload();
      if (value.value !== undefined) return unwrap ? value.value : value;
      const other = alternative(frame);
      if (!unwrap && !(other instanceof CelOptional)) throw noSuchOverload();
      return other;
    };
  }

  #list(expr: ListExpr): Step {
    if (expr.elements.length > 0 && expr.elements.every((element) => element.kind === "literal")) {
      const constant = new ArrayList(expr.elements.map((element) => (element as { value: Value }).value));
      return () => constant;
    }
    const steps = expr.elements.map((element) => this.plan(element));
    const optional = new Set(expr.optional);
    return (frame) => {
      const items: Value[] = [];
      for (let index = 0; index < steps.length; index++) {
        const value = (steps[index] as Step)(frame);
        if (optional.size === 0 || !optional.has(index)) items.push(value);
        else if (!(value instanceof CelOptional)) throw noOptional(value);
        else if (value.value !== undefined) items.push(value.value);
      }
      frame.charge(listCreateCost);
      return new ArrayList(items);
    };
  }

  #map(expr: MapExpr): Step {
    const steps = expr.entries.map((entry) => ({
      key: this.plan(entry.key),
      value: this.plan(entry.value),
      optional: entry.optional,
    }));
    return (frame) => {
      const map = new NativeMap();
      for (const step of steps) {
        const key = step.key(frame);
        const given = step.value(frame);
        const value = step.optional ? optionalValue(given) : given;
        if (value === undefined) continue;
        if (!map.set(key, value)) throw new CelError(`Failed with repeated key`);
      }
      frame.charge(mapCreateCost);
      return map;
    };
  }

  #struct(expr: StructExpr): Step {
    const reference = this.#references.get(expr.id);
    if (reference?.kind !== "struct") {
      return () => {
        throw new CelError(`unknown type: ${expr.typeName}`);
      };
    }
    const typeName = reference.type.name;
    const steps = expr.fields.map((field) => ({
      name: field.name,
      value: this.plan(field.value),
      optional: field.optional,
    }));
    return (frame) => {
      const object = new StructValue(typeName);
      for (const step of steps) {
        const given = step.value(frame);
        const value = step.optional ? optionalValue(given) : given;
        if (value !== undefined) object.set(step.name, value);
      }
      frame.charge(structCreateCost);
      return object;
    };
  }

  #comprehension(expr: ComprehensionExpr): Step {
    const range = this.plan(expr.iterRange);
    const init = this.plan(expr.accuInit);
    const accuSlot = this.#slots++;
    const iterSlot = this.#slots++;
    const iterSlot2 = expr.iterVar2 === undefined ? undefined : this.#slots++;
    this.#scopes.push(new Map([[expr.accuVar, accuSlot]]));
    const vars = new Map([[expr.iterVar, iterSlot]]);
    if (expr.iterVar2 !== undefined && iterSlot2 !== undefined) vars.set(expr.iterVar2, iterSlot2);
    this.#scopes.push(vars);
    const condition = this.plan(expr.loopCondition);
    const step = this.plan(expr.loopStep);
    this.#scopes.pop();
    const result = this.plan(expr.result);
    this.#scopes.pop();
    // Without a condition nothing can recover from an error.
    const strict = expr.loopCondition.kind === "literal";
    return (frame) => {
      const over = range(frame);
      const { slots } = frame;
      slots[accuSlot] = init(frame);
      /** False ends the loop. */
      const round = (): boolean => {
        if (condition(frame) !== true) return false;
        spend(1);
        if (strict) slots[accuSlot] = step(frame);
        else slots[accuSlot] = attempt(step, frame);
        return true;
      };
      if (over instanceof CelList) {
        for (let index = 0; index < over.size; index++) {
          if (iterSlot2 === undefined) slots[iterSlot] = attemptAt(over, index);
          else {
            slots[iterSlot] = BigInt(index);
            slots[iterSlot2] = attemptAt(over, index);
          }
          if (!round()) break;
        }
      } else if (over instanceof CelMap) {
        for (const key of over.keys()) {
          slots[iterSlot] = key;
          if (iterSlot2 !== undefined) slots[iterSlot2] = over.get(key);
          if (!round()) break;
        }
      } else throw noSuchOverload();
      return result(frame);
    };
  }
}

/** An object made by the expression itself. */
export class StructValue extends CelMap {
  override readonly typeName: string;
  readonly #fields = new Map<string, Value>();

  constructor(typeName: string) {
    super();
    this.typeName = typeName;
  }

  get size(): number {
    return this.#fields.size;
  }

  set(name: string, value: Value): void {
    this.#fields.set(name, value);
  }

  get(key: Value): Value | undefined {
    return typeof key === "string" ? this.#fields.get(key) : undefined;
  }

  has(key: Value): boolean {
    return typeof key === "string" && this.#fields.has(key);
  }

  keys(): Iterable<Value> {
    return this.#fields.keys();
  }
}

function isDynamic(type: CelType | undefined): boolean {
  return type === undefined || type.kind === "dyn" || type.kind === "error" || type.kind === "param";
}

function noOptional(value: Value): CelError {
  return new CelError(`cannot initialize optional list element from non-optional value ${String(value)}`);
}

function optionalValue(value: Value): Value | undefined {
  if (!(value instanceof CelOptional))
    throw new CelError(`cannot initialize optional entry from non-optional value ${String(value)}`);
  return value.value;
}

function attempt(step: Step, frame: Frame): Value | CelError {
  try {
    return step(frame);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    spend(errorWork);
    return error;
  }
}

function attemptAt(list: CelList, index: number): Value | CelError {
  try {
    return list.at(index);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    spend(errorWork);
    return error;
  }
}

/** Either side alone may decide; an error on one side counts only if the other does not. */
function logical(left: Step, right: Step, decisive: boolean): Step {
  return (frame) => {
    const first = attempt(left, frame);
    if (first === decisive) return decisive;
    const second = attempt(right, frame);
    if (second === decisive) return decisive;
    if (first instanceof CelError) throw first;
    if (second instanceof CelError) throw second;
    if (typeof first !== "boolean" || typeof second !== "boolean") throw noSuchOverload();
    return !decisive;
  };
}

function notStrictlyFalse(operand: Step): Step {
  return (frame) => {
    const value = attempt(operand, frame);
    frame.charge(1);
    return value !== false;
  };
}

function equality(left: Step, right: Step, same: boolean): Step {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    frame.charge(Math.ceil(Math.min(actualSize(a), actualSize(b)) * 0.1));
    return equal(a, b) === same;
  };
}

/** `@result + [x]` of a macro: the list is the macro's own. */
function appendInPlace(steps: Step[]): Step {
  const [accu, added] = steps as [Step, Step];
  return (frame) => {
    const list = accu(frame);
    const more = added(frame);
    frame.charge(1);
    if (!(list instanceof ArrayList) || !(more instanceof CelList)) throw noSuchOverload();
    for (const item of more) list.items.push(item);
    return list;
  };
}

const nullableKinds: ReadonlySet<string> = new Set(["timestamp", "duration", "object", "opaque"]);

function callOne(overload: Overload, steps: Step[]): Step {
  const { call, cost } = overload;
  if (call === undefined) throw new Error(`overload ${overload.id} has no implementation`);
  const [first, second] = steps;
  if (first !== undefined && second === undefined) {
    return (frame) => {
      const a = first(frame);
      const result = call(a);
      frame.charge(cost === undefined ? 1 : cost([a], result));
      return result;
    };
  }
  if (first !== undefined && second !== undefined && steps.length === 2) {
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      const result = call(a, b);
      frame.charge(cost === undefined ? 1 : cost([a, b], result));
      return result;
    };
  }
  return (frame) => {
    const args = steps.map((step) => step(frame));
    const result = call(...args);
    frame.charge(cost === undefined ? 1 : cost(args, result));
    return result;
  };
}

function callAny(overloads: readonly Overload[], steps: Step[]): Step {
  return (frame) => {
    const args = steps.map((step) => step(frame));
    for (const overload of overloads) {
      if (!overload.params.every((type, index) => accepts(type, args[index] as Value))) continue;
      const result = (overload.call as (...args: Value[]) => Value)(...args);
      frame.charge(overload.cost === undefined ? 1 : overload.cost(args, result));
      return result;
    }
    throw noSuchOverload();
  };
}

function selectField(value: Value, field: string): Value {
  if (value instanceof CelOptional) return value.value === undefined ? value : optionalIndex(value.value, field);
  if (!(value instanceof CelMap)) throw noSuchOverload();
  const found = value.get(field);
  if (found === undefined) throw new CelError(`no such key: ${field}`);
  return found;
}

function hasField(value: Value, field: string): boolean {
  if (value instanceof CelOptional) return value.value !== undefined && hasField(value.value, field);
  if (!(value instanceof CelMap)) throw noSuchOverload();
  return value.has(field);
}

function listIndex(key: Value): number | undefined {
  if (typeof key === "bigint") return Number(key);
  if (typeof key === "number") return Number.isInteger(key) ? key : undefined;
  if (typeof key === "object" && key !== null && "value" in key && typeof key.value === "bigint")
    return Number(key.value);
  return undefined;
}

export function showKey(key: Value): string {
  return typeof key === "object" && key !== null && "value" in key ? String(key.value) : String(key);
}

function indexValue(value: Value, key: Value): Value {
  if (value instanceof CelMap) {
    const found = value.get(key);
    if (found === undefined) throw new CelError(`no such key: ${showKey(key)}`);
    return found;
  }
  if (!(value instanceof CelList)) throw noSuchOverload();
  const index = listIndex(key);
  if (index === undefined) throw new CelError(`unsupported index value: ${showKey(key)}`);
  if (index < 0 || index >= value.size) throw new CelError(`index out of bounds: ${index}`);
  return value.at(index);
}

function optionalIndex(value: Value, key: Value): Value {
  if (value instanceof CelMap) {
    const found = value.get(key);
    return found === undefined ? optionalNone : new CelOptional(found);
  }
  if (!(value instanceof CelList)) throw noSuchOverload();
  const index = listIndex(key);
  if (index === undefined) throw noSuchOverload();
  return index < 0 || index >= value.size ? optionalNone : new CelOptional(value.at(index));
}
