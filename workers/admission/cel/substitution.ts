import { ParseError } from "./errors.ts";
import type { Overload } from "./functions.ts";
import type { CelType } from "./types.ts";
import { dynType, listOf, mapOf, param } from "./types.ts";

/** Types can share parts and so be far larger than the text that has them; a check looks at this many parts at most. */
const maxSteps = 10_000_000;

/** What the type variables of a check stand for. Mirrors cel-go checker/types.go. */
export class Substitution {
  readonly #bound = new Map<string, CelType>();
  /** What each binding replaced, for attempts that fail. */
  readonly #journal: { readonly name: string; readonly previous: CelType | undefined }[] = [];
  #next = 1;
  #steps = 0;

  fresh(): CelType {
    return param(`%${this.#next++}`);
  }

  /** For rollback to return to. */
  mark(): number {
    return this.#journal.length;
  }

  rollback(mark: number): void {
    while (this.#journal.length > mark) {
      const entry = this.#journal.pop();
      if (entry === undefined) return;
      if (entry.previous === undefined) this.#bound.delete(entry.name);
      else this.#bound.set(entry.name, entry.previous);
    }
  }

  #bind(name: string, type: CelType): void {
    this.#journal.push({ name, previous: this.#bound.get(name) });
    this.#bound.set(name, type);
  }

  #step(): void {
    if (++this.#steps > maxSteps) throw new ParseError(0, "the types of the expression are too complex");
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
    this.#step();
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
        return type.params.length === 0
          ? type
          : { ...type, params: type.params.map((one) => this.resolve(one, close)) };
      case "type":
        return type.of === undefined ? type : { ...type, of: this.resolve(type.of, close) };
      default:
        return type;
    }
  }

  /** What a variable stands for, its own parts left as they are. */
  #head(type: CelType): CelType {
    let at = type;
    while (at.kind === "param") {
      this.#step();
      const bound = this.#bound.get(at.name);
      if (bound === undefined) return at;
      at = bound;
    }
    return at;
  }

  /** The end of a chain of variables, when that is a type. */
  #lastBound(type: CelType): { name: string; type: CelType } | undefined {
    let at = type;
    while (at.kind === "param") {
      this.#step();
      const bound = this.#bound.get(at.name);
      if (bound === undefined) return undefined;
      if (bound.kind !== "param") return { name: at.name, type: bound };
      at = bound;
    }
    return undefined;
  }

  equal(a: CelType, b: CelType): boolean {
    this.#step();
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
    this.#step();
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
    this.#step();
    const bound = this.#lastBound(to);
    if (bound !== undefined) {
      // The variable goes on to stand for the more general of the two.
      if (!this.assign(bound.type, from)) return false;
      const general = this.moreGeneral(bound.type, from);
      if (general !== bound.type && !this.#occurs(bound.name, this.resolve(general, false)))
        this.#bind(bound.name, general);
      return true;
    }
    const target = this.#head(to);
    const source = this.#head(from);
    if (target.kind === "param") {
      if (source.kind === "param" && source.name === target.name) return true;
      if (this.#occurs(target.name, this.resolve(source, false))) return false;
      this.#bind(target.name, source);
      return true;
    }
    if (source.kind === "param") {
      if (this.#occurs(source.name, this.resolve(target, false))) return false;
      this.#bind(source.name, target);
      return true;
    }
    if (target.kind === "dyn" || source.kind === "dyn" || target.kind === "error" || source.kind === "error")
      return true;
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

  #occurs(name: string, type: CelType): boolean {
    this.#step();
    switch (type.kind) {
      case "param":
        return type.name === name;
      case "list":
        return this.#occurs(name, type.element);
      case "map":
        return this.#occurs(name, type.key) || this.#occurs(name, type.value);
      case "opaque":
        return type.params.some((one) => this.#occurs(name, one));
      case "type":
        return type.of !== undefined && this.#occurs(name, type.of);
      default:
        return false;
    }
  }
}

function nullable(type: CelType): boolean {
  return (
    type.kind === "null" ||
    type.kind === "object" ||
    type.kind === "opaque" ||
    type.kind === "timestamp" ||
    type.kind === "duration"
  );
}
