import type { Overload } from "./functions.ts";
import type { CelType } from "./types.ts";
import { dynType, listOf, mapOf, param } from "./types.ts";

/** What the type variables of a check stand for. Mirrors cel-go checker/types.go. */
export class Substitution {
  readonly #bound: Map<string, CelType>;
  readonly #counter: { next: number };

  constructor(bound = new Map<string, CelType>(), counter = { next: 1 }) {
    this.#bound = bound;
    this.#counter = counter;
  }

  fresh(): CelType {
    return param(`%${this.#counter.next++}`);
  }

  /** For an attempt that may fail. */
  fork(): Substitution {
    return new Substitution(new Map(this.#bound), this.#counter);
  }

  adopt(attempt: Substitution): void {
    for (const [name, type] of attempt.#bound) this.#bound.set(name, type);
  }

  /** The signature with variables of its own. */
  instantiate(overload: Overload): { params: CelType[]; result: CelType } {
    const renamed = new Map<string, CelType>();
    const rename = (type: CelType): CelType => {
      switch (type.kind) {
        case "param": {
          const known = renamed.get(type.name) ?? this.fresh();
          renamed.set(type.name, known);
          return known;
        }
        case "list":
          return listOf(rename(type.element));
        case "map":
          return mapOf(rename(type.key), rename(type.value));
        case "opaque":
          return type.params.length === 0 ? type : { ...type, params: type.params.map(rename) };
        case "type":
          return type.of === undefined ? type : { ...type, of: rename(type.of) };
        default:
          return type;
      }
    };
    return { params: overload.params.map(rename), result: rename(overload.result) };
  }

  /** Variables replaced; with `close` the unbound ones become dyn. */
  resolve(type: CelType, close: boolean): CelType {
    switch (type.kind) {
      case "param": {
        const bound = this.#bound.get(type.name);
        if (bound !== undefined) return this.resolve(bound, close);
        return close ? dynType : type;
      }
      case "list": {
        const element = this.resolve(type.element, close);
        return element === type.element ? type : { ...type, element };
      }
      case "map": {
        const key = this.resolve(type.key, close);
        const value = this.resolve(type.value, close);
        return key === type.key && value === type.value ? type : { ...type, key, value };
      }
      case "opaque":
        return type.params.length === 0 ? type : { ...type, params: type.params.map((one) => this.resolve(one, close)) };
      case "type":
        return type.of === undefined ? type : { ...type, of: this.resolve(type.of, close) };
      default:
        return type;
    }
  }

  equal(a: CelType, b: CelType): boolean {
    if (a.kind !== b.kind) return false;
    switch (a.kind) {
      case "list":
        return b.kind === "list" && this.equal(a.element, b.element);
      case "map":
        return b.kind === "map" && this.equal(a.key, b.key) && this.equal(a.value, b.value);
      case "object":
      case "param":
        return "name" in b && a.name === b.name;
      case "opaque":
        return (
          b.kind === "opaque" &&
          a.name === b.name &&
          a.params.length === b.params.length &&
          a.params.every((one, index) => this.equal(one, b.params[index] as CelType))
        );
      default:
        return true;
    }
  }

  moreGeneral(a: CelType, b: CelType): CelType {
    return this.#isEqualOrLessSpecific(this.resolve(a, false), this.resolve(b, false)) ? a : b;
  }

  #isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
    if (a.kind === "dyn" || a.kind === "param") return true;
    if (b.kind === "dyn" || b.kind === "param") return false;
    if (a.kind === "list" && b.kind === "list") return this.#isEqualOrLessSpecific(a.element, b.element);
    if (a.kind === "map" && b.kind === "map") {
      return this.#isEqualOrLessSpecific(a.key, b.key) && this.#isEqualOrLessSpecific(a.value, b.value);
    }
    return a.kind === b.kind ? true : a.kind !== "null";
  }

  /** Whether a `from` may stand where a `to` is expected; binds variables. A failed attempt may leave bindings behind. */
  assign(to: CelType, from: CelType): boolean {
    const target = this.resolve(to, false);
    const source = this.resolve(from, false);
    if (target.kind === "param") {
      if (source.kind === "param" && source.name === target.name) return true;
      if (occurs(target.name, source)) return false;
      this.#bound.set(target.name, source);
      return true;
    }
    if (source.kind === "param") {
      if (occurs(source.name, target)) return false;
      this.#bound.set(source.name, target);
      return true;
    }
    if (target.kind === "dyn" || source.kind === "dyn" || target.kind === "error" || source.kind === "error") return true;
    if (source.kind === "null") return nullable(target);
    switch (target.kind) {
      case "null":
        return nullable(source);
      case "list":
        return source.kind === "list" && this.assign(target.element, source.element);
      case "map":
        return source.kind === "map" && this.assign(target.key, source.key) && this.assign(target.value, source.value);
      case "object":
        return source.kind === "object" && source.name === target.name;
      case "opaque":
        return (
          source.kind === "opaque" &&
          source.name === target.name &&
          source.params.length === target.params.length &&
          target.params.every((one, index) => this.assign(one, source.params[index] as CelType))
        );
      default:
        return source.kind === target.kind;
    }
  }
}

function nullable(type: CelType): boolean {
  return type.kind === "null" || type.kind === "object" || type.kind === "opaque" || type.kind === "timestamp" || type.kind === "duration";
}

function occurs(name: string, type: CelType): boolean {
  switch (type.kind) {
    case "param":
      return type.name === name;
    case "list":
      return occurs(name, type.element);
    case "map":
      return occurs(name, type.key) || occurs(name, type.value);
    case "opaque":
      return type.params.some((one) => occurs(name, one));
    case "type":
      return type.of !== undefined && occurs(name, type.of);
    default:
      return false;
  }
}
