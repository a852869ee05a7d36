/*
 * Types of values as structured merge sees them. Mirrors sigs.k8s.io/structured-merge-diff schema/elements.go (v6).
 */

export type SchemaType = ScalarType | ListType | MapType | DeducedType;

export interface ScalarType {
  readonly kind: "scalar";
  /** "untyped" is any scalar. */
  readonly scalar: "numeric" | "string" | "boolean" | "untyped";
}

export interface ListType {
  readonly kind: "list";
  readonly atomic: boolean;
  /** Of a list that is not atomic: what identifies an entry; none for a set, whose entries are their own identity. */
  readonly keys: readonly string[];
  readonly element: SchemaType;
}

/** Structs and maps. */
export interface MapType {
  readonly kind: "map";
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MapField>;
  /** Of the entries that `fields` does not name; undefined when there are none. */
  readonly element: SchemaType | undefined;
}

export interface MapField {
  readonly type: SchemaType;
  /** Stands in for an absent key of a list entry. */
  readonly default?: unknown;
}

/** No schema: objects are granular maps, lists atomic, all else scalars. */
export interface DeducedType {
  readonly kind: "deduced";
}

export const deducedType: DeducedType = { kind: "deduced" };
const noFields: ReadonlyMap<string, MapField> = new Map();
const deducedMap: MapType = { kind: "map", atomic: false, fields: noFields, element: deducedType };
const deducedList: ListType = { kind: "list", atomic: true, keys: [], element: deducedType };
export const untypedScalar: ScalarType = { kind: "scalar", scalar: "untyped" };

export type Atom = ScalarType | ListType | MapType;

/** What the value is, where the schema leaves it open. */
export function atomOf(type: SchemaType, value: unknown): Atom {
  if (type.kind !== "deduced") return type;
  if (Array.isArray(value)) return deducedList;
  return typeof value === "object" && value !== null ? deducedMap : untypedScalar;
}

export function typeOfEntry(map: MapType, name: string): SchemaType {
  return map.fields.get(name)?.type ?? map.element ?? deducedType;
}

export type JsonMap = Record<string, unknown>;

export function asMap(value: unknown): JsonMap | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonMap) : undefined;
}

export function asList(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** A member of the value itself, also if it is named as something that every object inherits. */
export function entryOf(map: JsonMap | undefined, name: string): unknown {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

export function isEmptyMap(map: JsonMap | undefined): boolean {
  for (const key in map) if (map[key] !== undefined) return false;
  return true;
}

/** Equality of JSON values, whatever the order of members; undefined members count as absent. */
export function valueEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((entry, index) => valueEquals(entry, b[index]));
  }
  if (Array.isArray(b)) return false;
  const left = a as JsonMap;
  const right = b as JsonMap;
  for (const key in left) {
    if (left[key] === undefined) continue;
    const other = entryOf(right, key);
    if (other === undefined || !valueEquals(left[key], other)) return false;
  }
  for (const key in right) if (right[key] !== undefined && entryOf(left, key) === undefined) return false;
  return true;
}
