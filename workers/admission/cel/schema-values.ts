import { CelError } from "./errors.ts";
import { parseDuration, parseTimestamp } from "./library/time.ts";
import { unescapeProperty } from "./property-names.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { additionalSchema, withTypeAndObjectMeta } from "./structural-schema.ts";
import type { Value } from "./values.ts";
import { CelDuration, CelList, CelMap, CelTimestamp, equal, OpaqueValue } from "./values.ts";
import { spend } from "./work.ts";

/** Turns JSON of the schema into a value; what lies below is turned when it is looked at. May raise a CelError. */
export type Converter = (json: unknown) => Value;

type Json = Record<string, unknown>;

const converters = new WeakMap<StructuralSchema, Converter>();

/** Mirrors UnstructuredToVal of k8s.io/apiserver pkg/cel/common/values.go (1.36). */
export function converterOf(schema: StructuralSchema): Converter {
  const known = converters.get(schema);
  if (known !== undefined) return known;
  const inner = plainConverter(schema);
  const nullable = schema.nullable === true;
  const converter: Converter = (json) => {
    if (json !== null && json !== undefined) return inner(json);
    if (nullable) return null;
    throw new CelError("invalid data, got null for schema with nullable=false");
  };
  converters.set(schema, converter);
  return converter;
}

const invalid = (detail: string): CelError => new CelError(`invalid data, ${detail}`);

function plainConverter(schema: StructuralSchema): Converter {
  if (schema["x-kubernetes-int-or-string"] === true) {
    return (json) => {
      if (typeof json === "string") return json;
      if (isInteger(json)) return BigInt(json);
      throw invalid("expected XIntOrString value to be either a string or integer");
    };
  }
  switch (schema.type) {
    case "object":
      return objectConverter(schema);
    case "array":
      return arrayConverter(schema);
    case "string":
      return textConverter(schema.format);
    case "boolean":
      return (json) => {
        if (typeof json !== "boolean") throw invalid(`expected bool, got ${typeof json}`);
        return json;
      };
    case "integer":
      return (json) => {
        if (!isInteger(json)) throw invalid(`expected int, got ${typeof json}`);
        return BigInt(json);
      };
    case "number":
      return (json) => {
        if (typeof json !== "number" && typeof json !== "bigint") throw invalid(`expected float, got ${typeof json}`);
        return Number(json);
      };
    default:
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return (json) => new UnknownPreserved(json);
  return () => {
    throw new CelError(
      `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ""}`,
    );
  };
}

function isInteger(json: unknown): json is number | bigint {
  return typeof json === "bigint" || (typeof json === "number" && Number.isInteger(json));
}

function isObject(json: unknown): json is Json {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function objectConverter(schema: StructuralSchema): Converter {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const fail = (): CelError => invalid("expected a map for the provided schema with type=object");
  if (embedded || schema.properties !== undefined) {
    const { properties = {} } = embedded ? withTypeAndObjectMeta(schema) : schema;
    return (json) => {
      if (!isObject(json)) throw fail();
      return new SchemaObject(json, properties);
    };
  }
  const additional = additionalSchema(schema);
  if (additional !== undefined) {
    return (json) => {
      if (!isObject(json)) throw fail();
      return new SchemaMap(json, additional);
    };
  }
  return (json) => {
    if (!isObject(json)) throw fail();
    return new SchemaObject(json, {});
  };
}

function arrayConverter(schema: StructuralSchema): Converter {
  const { items } = schema;
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return (json) => {
    if (!Array.isArray(json)) throw invalid("expected an array for the provided schema with type=array");
    if (items === undefined) throw new CelError("invalid array type, expected Items with a non-empty Schema");
    if (listType === "set") return new SetList(json, items);
    if (listType === "map") return new MapList(json, items, keys);
    return new SchemaList(json, items);
  };
}

function textConverter(format: string | undefined): Converter {
  const text = (json: unknown): string => {
    if (typeof json !== "string") throw invalid(`expected string, got ${typeof json}`);
    return json;
  };
  switch (format) {
    case "duration":
      return (json) => {
        const nanos = parseStrfmtDuration(text(json));
        if (nanos === undefined) throw new CelError(`Invalid duration ${text(json)}`);
        return new CelDuration(nanos);
      };
    case "date":
    case "date-time":
      return (json) => {
        const nanos = parseTimestamp(format === "date" ? `${text(json)}T00:00:00Z` : text(json));
        if (nanos === undefined) throw new CelError(`Invalid ${format} formatted string ${text(json)}`);
        return new CelTimestamp(nanos);
      };
    case "byte":
      return (json) => {
        try {
          return Uint8Array.from(atob(text(json)), (character) => character.charCodeAt(0));
        } catch (error) {
          if (error instanceof CelError) throw error;
          throw new CelError(`Invalid byte formatted string ${text(json)}`);
        }
      };
    default:
      return text;
  }
}

const longUnits: Record<string, string> = { d: "24h", w: "168h" };

/** strfmt also knows days and weeks. */
function parseStrfmtDuration(text: string): bigint | undefined {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  const found = /^(\d+)\s*(d|day|days|w|week|weeks)$/.exec(text.trim());
  if (found === null) return undefined;
  const unit = parseDuration(longUnits[(found[2] ?? "d").charAt(0)] ?? "0");
  return unit === undefined ? undefined : BigInt(found[1] ?? 0) * unit;
}

/** An object with declared properties, under their escaped names. What the schema does not know is not there. */
class SchemaObject extends CelMap {
  override readonly typeName = "object";
  readonly #json: Json;
  readonly #properties: Readonly<Record<string, StructuralSchema>>;

  constructor(json: Json, properties: Readonly<Record<string, StructuralSchema>>) {
    super();
    this.#json = json;
    this.#properties = properties;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  #property(key: Value): string | undefined {
    if (typeof key !== "string") return undefined;
    const name = key.includes("__") ? unescapeProperty(key) : key;
    return Object.hasOwn(this.#json, name) && this.#json[name] !== undefined && Object.hasOwn(this.#properties, name)
      ? name
      : undefined;
  }

  get(key: Value): Value | undefined {
    const name = this.#property(key);
    return name === undefined ? undefined : converterOf(this.#properties[name] as StructuralSchema)(this.#json[name]);
  }

  has(key: Value): boolean {
    return this.#property(key) !== undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json).filter((key) => this.has(key));
  }
}

class SchemaMap extends CelMap {
  readonly #json: Json;
  readonly #values: StructuralSchema;

  constructor(json: Json, values: StructuralSchema) {
    super();
    this.#json = json;
    this.#values = values;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: Value): Value | undefined {
    return typeof key === "string" && this.has(key) ? converterOf(this.#values)(this.#json[key]) : undefined;
  }

  has(key: Value): boolean {
    return typeof key === "string" && Object.hasOwn(this.#json, key);
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}

class SchemaList extends CelList {
  readonly json: readonly unknown[];
  readonly items: StructuralSchema;

  constructor(json: readonly unknown[], items: StructuralSchema) {
    super();
    this.json = json;
    this.items = items;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return converterOf(this.items)(this.json[index]);
  }
}

/** Of values that are made, not read: the result of joining two lists. */
class JoinedList extends CelList {
  readonly #items: readonly Value[];
  readonly #keyOf: (item: Value) => string;

  constructor(items: readonly Value[], keyOf: (item: Value) => string) {
    super();
    this.#items = items;
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return this.#items[index] as Value;
  }

  override concat(other: CelList): CelList {
    return merge(this, other, this.#keyOf);
  }

  override equals(other: CelList): boolean {
    return sameMembers(this, other, this.#keyOf);
  }
}

/** Elements of `first` keep their places; those of `second` replace the ones with their key or follow. */
function merge(first: CelList, second: CelList, keyOf: (item: Value) => string): CelList {
  spend(first.size + second.size);
  const items = [...first];
  const places = new Map(items.map((item, index) => [keyOf(item), index]));
  for (const item of second) {
    const key = keyOf(item);
    const place = places.get(key);
    if (place === undefined) places.set(key, items.push(item) - 1);
    else items[place] = item;
  }
  return new JoinedList(items, keyOf);
}

function sameMembers(first: CelList, second: CelList, keyOf: (item: Value) => string): boolean {
  if (first.size !== second.size) return false;
  spend(first.size * 2);
  const byKey = new Map([...first].map((item) => [keyOf(item), item]));
  for (const item of second) {
    const mine = byKey.get(keyOf(item));
    if (mine === undefined || !equal(mine, item)) return false;
  }
  return true;
}

function scalarKey(value: Value | undefined): string {
  return `${typeof value}:${String(value)}`;
}

class SetList extends SchemaList {
  override concat(other: CelList): CelList {
    return merge(this, other, scalarKey);
  }

  override equals(other: CelList): boolean {
    return sameMembers(this, other, scalarKey);
  }
}

class MapList extends SchemaList {
  readonly #keyOf: (item: Value) => string;

  constructor(json: readonly unknown[], items: StructuralSchema, keys: readonly string[]) {
    super(json, items);
    this.#keyOf = (item) =>
      item instanceof CelMap ? JSON.stringify(keys.map((key) => scalarKey(item.get(key)))) : scalarKey(item);
  }

  override concat(other: CelList): CelList {
    return merge(this, other, this.#keyOf);
  }

  override equals(other: CelList): boolean {
    return sameMembers(this, other, this.#keyOf);
  }
}

/** Data without a schema: can only be compared. */
class UnknownPreserved extends OpaqueValue {
  readonly typeName = "unknown";
  readonly json: unknown;

  constructor(json: unknown) {
    super();
    this.json = json;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof UnknownPreserved && deepEqual(this.json, other.json);
  }
}

function deepEqual(a: unknown, b: unknown): boolean {
  spend(1);
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => deepEqual(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
  );
}
