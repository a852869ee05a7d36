import * as fc from "fast-check";
import { expect, test } from "vitest";
import { newFieldSelector, parseFieldSelector } from "./fields.ts";

test("parses, sorts and matches", () => {
  const selector = parseFieldSelector("status.phase!=Running,,metadata.name==a");
  expect(selector.requirements).toEqual([
    { field: "metadata.name", operator: "=", value: "a" },
    { field: "status.phase", operator: "!=", value: "Running" },
  ]);
  const valueOf = (values: Record<string, string>) => (field: string) => values[field] ?? "";
  expect(selector.matches(valueOf({ "metadata.name": "a" }))).toBe(true);
  expect(selector.matches(valueOf({ "metadata.name": "a", "status.phase": "Running" }))).toBe(false);
  expect(selector.requiresExactMatch("metadata.name")).toBe("a");
  expect(selector.requiresExactMatch("status.phase")).toBeUndefined();
  expect(parseFieldSelector("").empty).toBe(true);
});

test.each([
  ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ["a=b=c", "invalid field selector: unescaped character in value: 61"],
  ["a=\\x", "invalid field selector: invalid escape sequence: \\x"],
  ["a=x\\", "invalid field selector: invalid escape sequence: \\"],
])("%s is refused", (text, message) => {
  expect(() => parseFieldSelector(text)).toThrow(new Error(message));
});

test("any value survives escaping", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("=" as const, "!=" as const), (value, operator) => {
      const requirement = { field: "spec.x", operator, value };
      expect(parseFieldSelector(newFieldSelector([requirement]).toString()).requirements).toEqual([requirement]);
    }),
    { seed: 20260105 },
  );
});
