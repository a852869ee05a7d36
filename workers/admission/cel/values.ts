import { CelError } from "./errors.ts";
import { spend } from "./work.ts";

/**
 * Run-time values. int is a bigint, double a number, uint a CelUint; JSON data is wrapped lazily by CelList and CelMap
 * (schema-values.ts, json-values.ts).
 */
export type Value =
  | boolean
  | bigint
  | number
  | string
  | null
  | Uint8Array
  | CelUint
  | CelList
  | CelMap
  | CelTypeValue
  | CelTimestamp
  | CelDuration
  | CelOptional
  | OpaqueValue;

export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds since 1970 in UTC. */
export class CelTimestamp {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class CelDuration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class CelTypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export class CelOptional {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const optionalNone = new CelOptional(undefined);

/** A value of a library's own type. Equality and type name are all that the core knows of it. */
export abstract class OpaqueValue {
  abstract readonly typeName: string;
  abstract equals(other: OpaqueValue): boolean;
  /** cel-go's traits.Sizer, for cost; 1 when undefined. */
  readonly size: number | undefined = undefined;
}

export abstract class CelList {
  abstract readonly size: number;
  /** The index is in range. May raise a CelError. */
  abstract at(index: number): Value;

  *[Symbol.iterator](): Generator<Value> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }

  /** Lists with a semantics of their own (set, map) override these. */
  concat(other: CelList): CelList {
    spend(this.size + other.size);
    return new ArrayList([...this, ...other]);
  }

  equals(other: CelList): boolean {
    if (this.size !== other.size) return false;
    spend(this.size);
    for (let index = 0; index < this.size; index++) {
      if (!equal(this.at(index), other.at(index))) return false;
    }
    return true;
  }
}

export class ArrayList extends CelList {
  readonly items: Value[];

  constructor(items: Value[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index] as Value;
  }
}

export abstract class CelMap {
  /** Name of the object's type; undefined for a map. */
  readonly typeName: string | undefined = undefined;
  abstract readonly size: number;
  abstract get(key: Value): Value | undefined;
  abstract has(key: Value): boolean;
  abstract keys(): Iterable<Value>;

  equals(other: CelMap): boolean {
    if (this.size !== other.size) return false;
    spend(this.size * 2);
    for (const key of this.keys()) {
      const theirs = other.get(key);
      if (theirs === undefined || !equal(this.get(key) as Value, theirs)) return false;
    }
    return true;
  }
}

/** A map made by an expression. 1, 1u and 1.0 are one key. */
export class NativeMap extends CelMap {
  readonly #entries = new Map<string | boolean | bigint | number, { key: Value; value: Value }>();

  get size(): number {
    return this.#entries.size;
  }

  set(key: Value, value: Value): boolean {
    const canonical = canonicalKey(key);
    if (canonical === undefined || typeof key === "number") throw new CelError("unsupported key type");
    if (this.#entries.has(canonical)) return false;
    this.#entries.set(canonical, { key, value });
    return true;
  }

  get(key: Value): Value | undefined {
    const canonical = canonicalKey(key);
    return canonical === undefined ? undefined : this.#entries.get(canonical)?.value;
  }

  has(key: Value): boolean {
    const canonical = canonicalKey(key);
    return canonical !== undefined && this.#entries.has(canonical);
  }

  *keys(): Generator<Value> {
    for (const entry of this.#entries.values()) yield entry.key;
  }
}

function canonicalKey(key: Value): string | boolean | bigint | number | undefined {
  if (typeof key === "string" || typeof key === "boolean" || typeof key === "bigint") return key;
  if (key instanceof CelUint) return key.value;
  if (typeof key === "number") return Number.isInteger(key) ? BigInt(key) : key;
  return undefined;
}

export const isNumeric = (value: Value): value is bigint | number | CelUint =>
  typeof value === "bigint" || typeof value === "number" || value instanceof CelUint;

/** Equality of the language: numbers across types, otherwise values of different types are unequal. */
export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (isNumeric(a)) {
    if (!isNumeric(b)) return false;
    return compareNumbers(a, b) === 0;
  }
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return false;
  if (a instanceof CelList) return b instanceof CelList && a.equals(b);
  if (a instanceof CelMap) return b instanceof CelMap && a.equals(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof CelOptional) {
    if (!(b instanceof CelOptional)) return false;
    return a.value === undefined || b.value === undefined ? a.value === b.value : equal(a.value, b.value);
  }
  return a instanceof OpaqueValue && b instanceof OpaqueValue && a.typeName === b.typeName && a.equals(b);
}

/** NaN where the two are not ordered. An int beside a double counts as the double nearest to it. */
export function compareNumbers(a: bigint | number | CelUint, b: bigint | number | CelUint): number {
  let left = a instanceof CelUint ? a.value : a;
  let right = b instanceof CelUint ? b.value : b;
  if (typeof left !== typeof right) [left, right] = [Number(left), Number(right)];
  return left < right ? -1 : left > right ? 1 : left === right ? 0 : NaN;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** By code point, which is the order of UTF-8. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let left = a.charCodeAt(i);
    let right = b.charCodeAt(i);
    if (left === right) continue;
    if (left >= 0xd800 && right >= 0xd800) {
      left = left >= 0xe000 ? left - 0x800 : left + 0x2000;
      right = right >= 0xe000 ? right - 0x800 : right + 0x2000;
    }
    return left - right;
  }
  return a.length - b.length;
}

const surrogate = /[\ud800-\udbff]/;

/** Length in code points. */
export function stringSize(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let size = 0;
  for (const _ of text) size++;
  return size;
}

/** cel-go's traits.Sizer: what a cost is proportional to. */
export function actualSize(value: Value): number {
  if (typeof value === "string") return stringSize(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof OpaqueValue) return value.size ?? 1;
  return 1;
}

export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
  }
  if (value === null) return "null_type";
  if (value instanceof CelList) return "list";
  if (value instanceof CelMap) return value.typeName ?? "map";
  if (value instanceof CelUint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof CelTimestamp) return "google.protobuf.Timestamp";
  if (value instanceof CelDuration) return "google.protobuf.Duration";
  if (value instanceof CelTypeValue) return "type";
  if (value instanceof CelOptional) return "optional_type";
  return value.typeName;
}

export const maxInt64 = 2n ** 63n - 1n;
export const minInt64 = -(2n ** 63n);
export const maxUint64 = 2n ** 64n - 1n;

export function int(value: bigint): bigint {
  if (value > maxInt64 || value < minInt64) throw new CelError("integer overflow");
  return value;
}

export function uint(value: bigint): CelUint {
  if (value < 0n || value > maxUint64) throw new CelError("unsigned integer overflow");
  return new CelUint(value);
}
