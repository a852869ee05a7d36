import { describe, expect, test } from "vitest";
import { compileValidationRules, validateWithRules } from "./crd-validation.ts";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";

const int: StructuralSchema = { type: "integer" };
const text: StructuralSchema = { type: "string" };

function schema(spec: StructuralSchema): StructuralSchema {
  return { type: "object", properties: { spec } };
}

function run(spec: StructuralSchema, now: unknown, before?: unknown, options = {}): string[] {
  const old = before === undefined ? undefined : { spec: before };
  return validateWithRules(compileValidationRules(schema(spec)), { spec: now }, old, options).map(
    (cause) => `${cause.field}: ${cause.message}`,
  );
}

const rules = (...list: (string | ValidationRule)[]) => ({
  "x-kubernetes-validations": list.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});

describe("rules on values", () => {
  const replicas: StructuralSchema = { type: "object", properties: { min: int, max: int } };

  test("the value shown is the type; message, then rule", () => {
    const spec = { ...replicas, ...rules("self.min <= self.max", { rule: "self.max < 10", message: " too many " }) };
    expect(run(spec, { min: 3, max: 20 })).toEqual(['spec: Invalid value: "object": too many']);
    expect(run(spec, { min: 3, max: 2 })).toEqual(['spec: Invalid value: "object": failed rule: self.min <= self.max']);
  });

  test("reason, fieldPath and messageExpression", () => {
    const spec = {
      ...replicas,
      ...rules(
        { rule: "has(self.min)", reason: "FieldValueRequired", fieldPath: ".min", message: "say so" },
        { rule: "self.max != 7", reason: "FieldValueForbidden", messageExpression: "'not ' + string(self.max)" },
        { rule: "self.max != 7", reason: "FieldValueDuplicate" },
        { rule: "self.max != 7", message: "plain", messageExpression: "string(1 / (self.max - 7))" },
      ),
    };
    expect(run(spec, { max: 7 })).toEqual([
      "spec.min: Required value: say so",
      "spec: Forbidden: not 7",
      'spec: Duplicate value: "object"',
      'spec: Invalid value: "object": plain',
    ]);
  });

  test("errors of evaluation name the rule", () => {
    const spec = { ...replicas, ...rules("self.min / self.max > 0", "self.min > 0") };
    expect(run(spec, { min: 1, max: 0 })).toEqual([
      'spec: Invalid value: "object": division by zero evaluating rule: self.min / self.max > 0',
    ]);
    expect(run(spec, { max: 1 })).toEqual([
      'spec: Invalid value: "object": no such key: min evaluating rule: self.min / self.max > 0',
      'spec: Invalid value: "object": no such key: min evaluating rule: self.min > 0',
    ]);
  });

  test("a rule of the resource itself sees its name, and its field is nil", () => {
    const root: StructuralSchema = {
      type: "object",
      properties: { spec: text },
      ...rules("self.metadata.name == self.spec"),
    };
    const object = { metadata: { name: "a", labels: { x: "y" } }, spec: "b" };
    expect(validateWithRules(compileValidationRules(root), object, undefined)).toEqual([
      {
        reason: "FieldValueInvalid",
        field: "<nil>",
        message: 'Invalid value: "object": failed rule: self.metadata.name == self.spec',
      },
    ]);
  });

  test("paths of items, maps and allOf", () => {
    const positive = { ...int, ...rules("self > 0") };
    const spec: StructuralSchema = {
      type: "object",
      properties: {
        list: { type: "array", items: positive },
        map: { type: "object", additionalProperties: positive },
        both: int,
      },
      allOf: [{ properties: { both: rules("self != 2") } }],
    };
    expect(run(spec, { list: [1, 0], map: { "a.b": 0 }, both: 2 }).map((line) => line.split(": ")[0])).toEqual([
      "spec.both",
      "spec.list[1]",
      "spec.map[a.b]",
    ]);
  });

  test("null is left to the surroundings; a nullable one can be seen from there", () => {
    const spec: StructuralSchema = {
      type: "object",
      properties: { n: { ...text, nullable: true, ...rules("self != ''") } },
      ...rules("has(self.n) && self.n != 'x'"),
    };
    expect(run(spec, { n: null })).toEqual([]);
  });
});

describe("types of the schema", () => {
  const spec: StructuralSchema = {
    type: "object",
    properties: {
      port: { "x-kubernetes-int-or-string": true },
      at: { type: "string", format: "date-time" },
      every: { type: "string", format: "duration" },
      data: { type: "string", format: "byte" },
      ratio: { type: "number" },
      "a-b.c": int,
      namespace: text,
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
      keyed: {
        type: "array",
        items: { type: "object", properties: { k: text, v: int } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
      },
    },
  };
  const value = {
    port: "80%",
    at: "2026-01-02T03:04:05Z",
    every: "1h30m",
    data: "aGk=",
    ratio: 2,
    "a-b.c": 4,
    namespace: "n",
    free: { x: 1 },
    set: ["a", "b"],
    keyed: [
      { k: "a", v: 1 },
      { k: "b", v: 2 },
    ],
  };

  test.each([
    "type(self.port) == string ? self.port.endsWith('%') : self.port > 0",
    "self.at.getFullYear() == 2026 && self.at + self.every > timestamp('2026-01-02T04:30:00Z')",
    "self.data == b'hi'",
    "self.ratio / 4.0 == 0.5",
    "self.a__dash__b__dot__c == 4 && self.__namespace__ == 'n'",
    "has(self.free)",
    "self.set == ['b', 'a'] || self.set == self.set + ['a']",
    "(self.set + ['c', 'a']).size() == 3",
    "self.keyed == self.keyed.filter(x, true)",
    "self.keyed + self.keyed.filter(x, x.k == 'a') == self.keyed",
  ])("%s", (rule) => {
    expect(run({ ...spec, ...rules(rule) }, value)).toEqual([]);
  });

  test("what the schema does not say cannot be reached", () => {
    expect(run({ ...spec, ...rules("self.free.x == 1") }, value)[0]).toContain(
      "rule compile error: compilation failed: ERROR: <input>:1:10: undefined field 'x'",
    );
    expect(run({ ...spec, ...rules("self.nothing") }, value)[0]).toContain(
      "1:5: undefined field 'nothing'\n | self.nothing\n | ....^",
    );
    expect(run({ ...spec, ...rules("1") }, value)[0]).toContain("cel expression must evaluate to a bool");
  });

  test("an overload that only the value rules out", () => {
    expect(run({ ...spec, ...rules("self.port + 1 > 2") }, value)).toEqual([
      `spec: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.port + 1 > 2`,
    ]);
  });
});

describe("transition rules", () => {
  const fixed = { ...int, ...rules({ rule: "self == oldSelf", message: "immutable" }) };

  test("run where there is an old value", () => {
    const spec: StructuralSchema = { type: "object", properties: { n: fixed } };
    expect(run(spec, { n: 1 })).toEqual([]);
    expect(run(spec, { n: 1 }, {})).toEqual([]);
    expect(run(spec, { n: 1 }, { n: 2 })).toEqual(['spec.n: Invalid value: "integer": immutable']);
  });

  test("elements are matched by the keys of a list of type map, and nowhere else", () => {
    const items: StructuralSchema = { type: "object", properties: { k: text, v: fixed } };
    const keyed: StructuralSchema = {
      type: "array",
      items,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    };
    const now = [
      { k: "b", v: 2 },
      { k: "a", v: 5 },
      { k: "new", v: 9 },
    ];
    const before = [
      { k: "a", v: 1 },
      { k: "b", v: 2 },
    ];
    expect(run(keyed, now, before)).toEqual(['spec[1].v: Invalid value: "integer": immutable']);
    expect(run({ type: "array", items }, now, before)).toEqual([]);
  });

  test("optionalOldSelf runs on creation too", () => {
    const spec = {
      ...int,
      ...rules({ rule: "oldSelf.hasValue() ? oldSelf.value() <= self : self == 0", optionalOldSelf: true }),
    };
    expect(run(spec, 1)).toHaveLength(1);
    expect(run(spec, 0)).toEqual([]);
    expect(run(spec, 1, 2)).toHaveLength(1);
    expect(run(spec, 3, 2)).toEqual([]);
  });

  test("ratcheting spares what did not change", () => {
    const spec: StructuralSchema = { type: "object", properties: { a: { ...int, ...rules("self > 0") }, b: int } };
    expect(run(spec, { a: -1, b: 2 }, { a: -1, b: 1 }, { ratcheting: true })).toEqual([]);
    expect(run(spec, { a: -2, b: 2 }, { a: -1, b: 1 }, { ratcheting: true })).toHaveLength(1);
    expect(run(spec, { a: -1, b: 2 }, undefined, { ratcheting: true })).toHaveLength(1);
    expect(run(spec, { a: -1, b: 2 }, { a: -1, b: 1 })).toHaveLength(1);
  });
});

describe("budgets", () => {
  const list: StructuralSchema = { type: "array", items: int };
  const square = "self.all(x, self.all(y, x + y >= 0))";

  test("one rule", () => {
    const numbers = Array.from({ length: 2000 }, (_, index) => index);
    expect(run({ ...list, ...rules(square, "false") }, numbers)).toEqual([
      `spec: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${square}`,
    ]);
  });

  test("one object", () => {
    const spec = { ...list, ...rules("self.all(x, x >= 0)", "true", "false") };
    expect(run(spec, [1, 2, 3], undefined, { costBudget: 5 })).toEqual([
      'spec: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});
