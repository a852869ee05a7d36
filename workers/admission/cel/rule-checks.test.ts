import { expect, test } from "vitest";
import { checkRules } from "./rule-checks.ts";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";

const path = "spec.versions[0].schema.openAPIV3Schema";

function check(spec: StructuralSchema): string[] {
  return checkRules({ type: "object", properties: { spec } }, path).map(
    (cause) => `${cause.field.replace(`${path}.properties[spec]`, "~")}: ${cause.message}`,
  );
}

const rules = (...list: Partial<ValidationRule>[]) => ({ "x-kubernetes-validations": list as ValidationRule[] });
const text: StructuralSchema = { type: "string" };

test("the form of a rule", () => {
  expect(check({ ...text, ...rules({ rule: " " }) })).toEqual([
    "~.x-kubernetes-validations[0].rule: Required value: rule is not specified",
  ]);
  expect(check({ ...text, ...rules({ rule: "true", message: " " }) })[0]).toContain(
    "message must be non-empty if specified",
  );
  expect(check({ ...text, ...rules({ rule: "true\n&& true" }) })[0]).toContain(
    "message must be specified if rule contains line breaks",
  );
  expect(check({ ...text, ...rules({ rule: "true", reason: "Odd" }) })).toEqual([
    '~.x-kubernetes-validations[0].reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
  ]);
  expect(check({ ...text, ...rules({ rule: "true", fieldPath: ".x" }) })[0]).toContain(
    "fieldPath must be a valid path: does not refer to a valid field",
  );
  expect(check({ ...text, ...rules({ rule: "true", optionalOldSelf: true }) })).toEqual([
    "~.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
  ]);
});

test("errors of compilation show the rule", () => {
  expect(check({ ...text, maxLength: 5, ...rules({ rule: "self.foo" }) })).toEqual([
    '~.x-kubernetes-validations[0].rule: Invalid value: apiextensions.ValidationRule{Rule:"self.foo", Message:"", MessageExpression:"", Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}: compilation failed: ERROR: <input>:1:5: type \'string\' does not support field selection\n | self.foo\n | ....^',
  ]);
  expect(check({ ...text, ...rules({ rule: "true", messageExpression: "1" }) })[0]).toContain(
    "messageExpression must evaluate to a string",
  );
});

test("a rule on unbounded data is too expensive; bounds make it cheap", () => {
  const nested = (bound: object): StructuralSchema => ({
    type: "array",
    items: { ...text, ...bound },
    ...(Object.keys(bound).length > 0 ? { maxItems: 10 } : {}),
    ...rules({ rule: "self.all(x, self.exists_one(y, x == y))" }),
  });
  expect(check(nested({ maxLength: 20 }))).toEqual([]);
  const found = check(nested({}));
  expect(found[0]).toBe(
    "~.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
  );
  expect(found.at(-1)).toContain(
    "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x",
  );
});

test("how often a value can occur multiplies its rules' cost", () => {
  const items: StructuralSchema = {
    ...text,
    maxLength: 1000,
    ...rules({ rule: "self.contains('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')" }),
  };
  expect(check({ type: "array", maxItems: 100, items })).toEqual([]);
  expect(check({ type: "array", items })[0]).toMatch(/estimated rule cost exceeds budget by factor of (more than )?\d/);
});

test("oldSelf is refused where old values cannot be matched", () => {
  const items: StructuralSchema = {
    type: "object",
    properties: { k: text, n: { type: "integer", ...rules({ rule: "self >= oldSelf" }) } },
  };
  expect(
    check({ type: "array", maxItems: 3, items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] }),
  ).toEqual([]);
  expect(check({ type: "array", maxItems: 3, items })[0]).toContain(
    "oldSelf cannot be used on the uncorrelatable portion of the schema within",
  );
});
