import { array, boolean, constant, constantFrom, dictionary, double, integer, letrec, oneof, string } from "fast-check";
import type { Arbitrary } from "fast-check";
import { schemaTable } from "../../workers/apis/schema-table.ts";
import type { StructInfo, TypeRef } from "../../workers/apis/schema.ts";

/** Unit of a property's size: all properties together make 10⁵ cases in CI. For longer runs see docs/fuzzing.md. */
const cases = Number(process.env.EDGEPLANE_FUZZ_CASES ?? 10_000);
export const seed = Number(process.env.EDGEPLANE_SEED ?? 20_261_129);

/** How many cases a property of this weight runs. */
export function runs(weight = 1): number {
  return Math.max(1, Math.ceil(cases * weight));
}

/** A hang is found by this limit; the slowest properties run some 100 cases in a second on a busy machine. */
export const timeout = 60_000 + cases * 30;

/** Keys that have hurt object-handling code before, and ordinary ones. */
export const key = oneof(
  constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "$patch",
    "$retainKeys",
    "$setElementOrder/a",
    "$deleteFromPrimitiveList/a",
    "",
    "a/b",
    "a.b",
    "~0",
    "name",
  ),
  string({ maxLength: 8 }),
);

export const json: Arbitrary<unknown> = letrec<{ value: unknown }>((tie) => ({
  value: oneof(
    { maxDepth: 4, withCrossShrink: true },
    oneof(
      constant(null),
      boolean(),
      integer(),
      double(),
      string({ maxLength: 12 }),
      constantFrom("delete", "replace", "merge", "1Gi", "-1", "2026-01-01T00:00:00Z"),
    ),
    array(tie("value"), { maxLength: 4 }),
    dictionary(key, tie("value"), { maxKeys: 5 }),
  ),
})).value.map((value) => JSON.parse(JSON.stringify(value) ?? "null") as unknown);

const objects = new Map<string, Arbitrary<Record<string, unknown>>>();

/** Objects that look like a kind, with some members of a wrong type. */
export function objectsOf(struct: StructInfo, depth = 0): Arbitrary<Record<string, unknown>> {
  const id = `${depth} ${struct.name}`;
  let known = objects.get(id);
  if (known === undefined) objects.set(id, (known = newObjectsOf(struct, depth)));
  return known;
}

function newObjectsOf(struct: StructInfo, depth: number): Arbitrary<Record<string, unknown>> {
  const members: Arbitrary<[string, unknown]>[] = [...struct.fields.values()].map((field) =>
    oneof({ weight: 9, arbitrary: valuesOf(field.type, depth + 1) }, { weight: 1, arbitrary: json }).map((value) => [
      field.name,
      value,
    ]),
  );
  if (members.length === 0) return constant({});
  return array(oneof(...members), { maxLength: depth === 0 ? 8 : 4 }).map((entries) => Object.fromEntries(entries));
}

const maxDepth = 5;

function valuesOf(type: TypeRef, depth: number): Arbitrary<unknown> {
  switch (type.kind) {
    case "struct": {
      const struct = schemaTable.struct(type.name);
      return struct === undefined || depth > maxDepth ? constant({}) : objectsOf(struct, depth);
    }
    case "array":
      return array(valuesOf(type.items, depth + 1), { maxLength: 3 });
    case "map":
      return dictionary(key, valuesOf(type.values, depth + 1), { maxKeys: 3 });
    case "bool":
      return boolean();
    case "int32":
    case "int64":
      return integer();
    case "float64":
      return double();
    case "quantity":
      return constantFrom("1", "100m", "1Gi", "1e3", "-5", "x", "");
    case "time":
    case "microTime":
      return constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5+02:00", "yesterday", "");
    case "intOrString":
      return oneof(integer(), constantFrom("80", "50%", "http"));
    default:
      return oneof(string({ maxLength: 10 }), constantFrom("a", "default", "Always", "YWJj"));
  }
}
