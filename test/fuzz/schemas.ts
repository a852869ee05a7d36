import { array, boolean, constantFrom, integer, nat, oneof, option, record, tuple } from "fast-check";
import type { Arbitrary } from "fast-check";
import type { JsonSchema } from "../../workers/apiserver/extensions/schema/json-schema.ts";
import { additionalOf, itemsOf } from "../../workers/apiserver/extensions/schema/json-schema.ts";
import { json } from "./arbitraries.ts";

const names = ["a", "b", "c", "name", "metadata", "__proto__", "it's", "x-y"];
const maxDepth = 4;

const patterns = constantFrom("^[a-z]*$", "", "(", "a{1,3}", "(?i)x", "\\d+", "[[:alpha:]]");
const formats = constantFrom(
  "date-time",
  "date",
  "ipv4",
  "int32",
  "int64",
  "byte",
  "duration",
  "uuid",
  "unheard-of",
  "",
);
const limit = option(integer({ min: -1, max: 5 }), { freq: 1, nil: undefined });
const rare = (value: unknown) =>
  oneof({ weight: 9, arbitrary: constantFrom(undefined) }, { weight: 1, arbitrary: constantFrom(value) });

/** Rules for values of one type, some of them wrong for all. */
const rulesOf: Record<string, string[]> = {
  string: [
    "self.size() < 5",
    "self == oldSelf",
    "self.matches('^a')",
    "self in ['a','b']",
    "isIP(self) || quantity(self).isInteger()",
  ],
  integer: ["self > 0", "self == oldSelf || self % 2 == 0", "10 / self > 1"],
  number: ["self > 0.5", "double(int(self)) == self"],
  boolean: ["self", "!self || oldSelf"],
  array: [
    "self.size() < 3",
    "self.all(x, x == self[0])",
    "self.exists(x, self.all(y, x == y))",
    "oldSelf.all(x, x in self)",
  ],
  object: [
    "has(self.a)",
    "!has(self.a) || self.a == self.a",
    "self.all(k, k.size() < 5)",
    "has(self.b) && has(oldSelf.b)",
    "size(self) > 0",
    "self.metadata.name.size() > 1",
  ],
  any: [
    "true",
    "false",
    "self",
    "self.nothing",
    "1 +",
    "self == self",
    "type(self) == string",
    "dyn(self).a == 1",
    "[self].map(x, x).size() == 1",
  ],
};

function rules(type: string): Arbitrary<JsonSchema["x-kubernetes-validations"] | undefined> {
  const rule = record(
    {
      rule: constantFrom(
        ...(rulesOf[type] ?? []),
        ...(rulesOf[type] ?? []),
        ...(rulesOf[type] ?? []),
        ...rulesOf["any"]!,
      ),
      message: constantFrom("no", ""),
      messageExpression: constantFrom("'no ' + string(self)", "self", "'x'"),
      optionalOldSelf: boolean(),
    },
    { requiredKeys: ["rule"] },
  );
  return oneof(
    { weight: 4, arbitrary: constantFrom(undefined) },
    { weight: 1, arbitrary: array(rule, { minLength: 1, maxLength: 2 }) },
  );
}

/** Parts of junctors and `not`: value validations only. */
const parts: Arbitrary<JsonSchema> = record(
  {
    required: array(constantFrom(...names), { maxLength: 2 }),
    minLength: nat(3),
    minimum: integer({ min: -1, max: 3 }),
    enum: array(json, { minLength: 1, maxLength: 2 }),
    properties: record({ a: record({ maxLength: nat(3) }, { requiredKeys: [] }) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
).map(clean);

function clean<T extends object>(schema: T): T {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined)) as T;
}

const common = {
  nullable: rare(true),
  enum: rare(["a", 1, null]),
  anyOf: oneof(
    { weight: 9, arbitrary: constantFrom(undefined) },
    { weight: 1, arbitrary: array(parts, { maxLength: 2 }) },
  ),
  oneOf: oneof(
    { weight: 9, arbitrary: constantFrom(undefined) },
    { weight: 1, arbitrary: array(parts, { maxLength: 2 }) },
  ),
  allOf: oneof(
    { weight: 9, arbitrary: constantFrom(undefined) },
    { weight: 1, arbitrary: array(parts, { maxLength: 2 }) },
  ),
  not: oneof({ weight: 15, arbitrary: constantFrom(undefined) }, { weight: 1, arbitrary: parts }),
};

/** A default that fits most of the time. */
function withDefault(schema: JsonSchema): Arbitrary<JsonSchema> {
  return oneof(
    { weight: 3, arbitrary: constantFrom(schema) },
    {
      weight: 1,
      arbitrary: valuesFor(schema).map((value) => (value === undefined ? schema : { ...schema, default: value })),
    },
  );
}

function schemaAt(depth: number): Arbitrary<JsonSchema> {
  const scalars = oneof(
    record({
      type: constantFrom("string"),
      maxLength: limit,
      minLength: rare(2),
      pattern: oneof({ weight: 5, arbitrary: constantFrom(undefined) }, { weight: 1, arbitrary: patterns }),
      format: oneof({ weight: 5, arbitrary: constantFrom(undefined) }, { weight: 1, arbitrary: formats }),
      "x-kubernetes-validations": rules("string"),
      ...common,
    }),
    record({
      type: constantFrom("integer", "number"),
      minimum: limit,
      maximum: rare(3),
      exclusiveMaximum: rare(true),
      multipleOf: rare(0.5),
      format: oneof({ weight: 5, arbitrary: constantFrom(undefined) }, { weight: 1, arbitrary: formats }),
      "x-kubernetes-validations": rules("integer"),
      ...common,
    }),
    record({ type: constantFrom("boolean"), "x-kubernetes-validations": rules("boolean"), ...common }),
    record({ "x-kubernetes-int-or-string": constantFrom(true), ...common }),
    record({ "x-kubernetes-preserve-unknown-fields": constantFrom(true), type: rare("object") }),
  ) as Arbitrary<JsonSchema>;
  const leaf = scalars.map(clean).chain(withDefault);
  if (depth >= maxDepth) return leaf;
  const inner = schemaAt(depth + 1);
  const lists = record({
    type: constantFrom("array"),
    items: inner,
    maxItems: limit,
    minItems: rare(1),
    "x-kubernetes-list-type": constantFrom(undefined, undefined, "atomic", "set", "map"),
    "x-kubernetes-list-map-keys": rare(["a"]),
    "x-kubernetes-validations": rules("array"),
    ...common,
  }).map((schema) =>
    schema["x-kubernetes-list-type"] === "map" ? asKeyed(schema as JsonSchema) : (schema as JsonSchema),
  );
  const objects = record({
    type: constantFrom("object"),
    properties: array(tuple(constantFrom(...names), inner), { maxLength: 4 }).map((entries) =>
      Object.fromEntries(entries),
    ),
    required: oneof(
      { weight: 3, arbitrary: constantFrom(undefined) },
      { weight: 1, arbitrary: array(constantFrom(...names), { maxLength: 2 }) },
    ),
    "x-kubernetes-preserve-unknown-fields": rare(true),
    "x-kubernetes-embedded-resource": rare(true),
    "x-kubernetes-map-type": constantFrom(undefined, undefined, undefined, "atomic", "granular"),
    minProperties: rare(1),
    maxProperties: limit,
    "x-kubernetes-validations": rules("object"),
    ...common,
  }) as Arbitrary<JsonSchema>;
  const maps = record({
    type: constantFrom("object"),
    additionalProperties: oneof<Arbitrary<JsonSchema | boolean>[]>(inner, inner, boolean()),
    maxProperties: limit,
    "x-kubernetes-validations": rules("object"),
    ...common,
  }) as Arbitrary<JsonSchema>;
  return oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: lists.map(clean).chain(withDefault) },
    { weight: 2, arbitrary: objects.map(clean).chain(withDefault) },
    { weight: 1, arbitrary: maps.map(clean).chain(withDefault) },
  );
}

function asKeyed(schema: JsonSchema): JsonSchema {
  const items: JsonSchema = {
    type: "object",
    properties: { a: { type: "string" }, b: itemsOf(schema)! },
    required: ["a"],
  };
  return { ...schema, items, "x-kubernetes-list-map-keys": ["a"] };
}

/** Of a custom kind: an object with spec and status below it. */
export const schemas: Arbitrary<JsonSchema> = tuple(schemaAt(1), schemaAt(2), rules("object")).map(
  ([spec, status, own]) => clean({ type: "object", properties: { spec, status }, "x-kubernetes-validations": own }),
);

/** Values that a schema might be about; undefined stands for nothing. */
export function valuesFor(schema: JsonSchema, depth = 0): Arbitrary<unknown> {
  return oneof({ weight: 12, arbitrary: fitting(schema, depth) }, { weight: 1, arbitrary: json });
}

function fitting(schema: JsonSchema, depth: number): Arbitrary<unknown> {
  if (depth > maxDepth + 2) return constantFrom(null);
  switch (schema.type) {
    case "string":
      return constantFrom<unknown>(
        "",
        "a",
        "ab",
        "abcdefg",
        "10.0.0.1",
        "2026-01-01",
        "2026-01-01T00:00:00Z",
        "é",
        "1h",
        null,
      );
    case "integer":
      return constantFrom<unknown>(0, 1, 2, 3, -1, 10, 2 ** 40, null);
    case "number":
      return constantFrom<unknown>(0, 1, 0.5, -1.5, 1e300, null);
    case "boolean":
      return constantFrom<unknown>(true, false, null);
    case "array":
      return array(valuesFor(itemsOf(schema) ?? {}, depth + 1), { maxLength: 3 }).map((items) =>
        items.filter((item) => item !== undefined),
      );
    case "object": {
      const known = Object.entries(schema.properties ?? {}).map(([name, property]) =>
        valuesFor(property, depth + 1).map((value) => [name, value] as const),
      );
      const additional = additionalOf(schema);
      const entries = [
        ...known,
        ...known,
        tuple(constantFrom(...names), additional === undefined ? json : valuesFor(additional, depth + 1)),
        constantFrom(
          ["metadata", { name: "x", labels: { a: "b" } }] as const,
          ["kind", "K"] as const,
          ["apiVersion", "v1"] as const,
        ),
      ] as Arbitrary<readonly [string, unknown]>[];
      return array(oneof(...entries), { maxLength: 5 }).map((list) =>
        Object.fromEntries(list.filter(([, value]) => value !== undefined)),
      );
    }
    default:
      return schema["x-kubernetes-int-or-string"] === true ? constantFrom<unknown>(1, "a", 0, "50%", null) : json;
  }
}
