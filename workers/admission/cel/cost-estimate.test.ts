import { expect, test } from "vitest";
import { estimateCost } from "./cost-estimate.ts";
import { compileRule, ruleScope } from "./rule-program.ts";
import type { StructuralSchema } from "./structural-schema.ts";

type Build = (bound: number | undefined) => StructuralSchema;

const formats = ["duration", "date", "date-time", "byte"];

function scalar(type: string): StructuralSchema {
  if (type === "int-or-string") return { "x-kubernetes-int-or-string": true };
  return formats.includes(type) ? { type: "string", format: type } : { type };
}

const bounded = (keyword: string, bound: number | undefined): StructuralSchema =>
  bound === undefined ? {} : { [keyword]: bound };
const text: Build = (bound) => ({ type: "string", ...bounded("maxLength", bound) });
const listOf =
  (items: StructuralSchema): Build =>
  (bound) => ({ type: "array", items, ...bounded("maxItems", bound) });
const mapOf =
  (values: StructuralSchema): Build =>
  (bound) => ({ type: "object", additionalProperties: values, ...bounded("maxProperties", bound) });
const textList: Build = (bound) => ({ type: "array", items: text(bound), ...bounded("maxItems", bound) });
const required: StructuralSchema = {
  type: "object",
  required: ["a"],
  properties: { a: { type: "string" }, b: { type: "string" } },
};

function maxCost(schema: StructuralSchema, rule: string): number {
  const scope = ruleScope(schema, false);
  if (scope === undefined) throw new Error("no scope");
  const compiled = compileRule({ rule }, scope);
  if (compiled.program === undefined) throw new Error(compiled.error);
  return estimateCost(compiled.program.checked).max;
}

/** Upstream's own expectations: without a bound, and with one. */
test.each<[string, Build, number, number, number]>([
  ["self.all(x, true)", listOf(scalar("number")), 4_718_591, 10, 32],
  ["self.all(x, true)", listOf(scalar("string")), 3_145_727, 20, 62],
  ["self.all(x, true)", listOf(scalar("boolean")), 1_887_437, 5, 17],
  ["self.all(x, true)", listOf(scalar("int-or-string")), 4_718_591, 10, 32],
  ["self.all(x, true)", listOf(scalar("duration")), 2_359_295, 5, 17],
  ["self.all(x, true)", listOf(scalar("date")), 725_936, 15, 47],
  ["self.all(x, true)", listOf(scalar("date-time")), 428_963, 25, 77],
  ["self.all(x, true)", listOf(listOf(scalar("number"))(undefined)), 3_145_727, 100, 302],
  ["self.all(x, true)", mapOf(scalar("number")), 1_348_169, 10, 32],
  ["self.all(x, true)", mapOf(scalar("string")), 1_179_647, 3, 11],
  ["self.all(x, true)", mapOf(mapOf(scalar("number"))(undefined)), 1_179_647, 10, 32],
  ["has(self.x)", mapOf(scalar("string")), 1, 550, 1],
  ["self.contains('test')", text, 314_574, 10, 5],
  ["self.startsWith('test')", text, 2, 15, 2],
  ["size(self + 'hello') > size('hello')", text, 314_578, 4, 7],
  ["self.matches('x')", text, 314_574, 50, 22],
  ["''.matches('(((((((((())))))))))[0-9]')", text, 7, 10, 7],
  ["self.matches('')", text, 1, 100, 1],
  ["self.find('[0-9]+') == ''", text, 629_147, 10, 11],
  ["self.lowerAscii() == 'lower!'", text, 314_575, 10, 6],
  ["self == 'x'", text, 2, 0, 1],
  ["self[1] == 0.0", listOf(scalar("number")), 2, 5000, 2],
  ["self[1] == self[1]", listOf(scalar("string")), 314_577, 8, 314_577],
  ["self[0] == 5", listOf(scalar("int-or-string")), 3, 10, 3],
  ["self[0] == null", listOf(required), 2, 422, 2],
  ["self[0].x > 2.0", listOf(mapOf(scalar("number"))(undefined)), 4, 3000, 4],
  ["self[0].getHours() == 2", listOf(scalar("duration")), 4, 525, 4],
  ["self.all(x, x == 0.0)", listOf(scalar("number")), 6_291_454, 3 * 1024 * 2048, 25_165_826],
  ["self.all(x, x.y == 25.2)", listOf(mapOf(scalar("number"))(undefined)), 6_291_452, 12, 74],
  ["oldSelf.size() == self.size()", mapOf(scalar("integer")), 5, 10, 5],
  ["self['a'] == self['b']", mapOf(scalar("date-time")), 8, 7, 8],
  ["self.join(' ') == 'aa bb'", textList, 329_853_068_905, 10, 43],
  ["self.isSorted() == true", textList, 329_854_432_052, 10, 52],
])("%s (%#)", (rule, build, free, bound, limited) => {
  expect([maxCost(build(undefined), rule), maxCost(build(bound), rule)]).toEqual([free, limited]);
});

test("loops within loops multiply", () => {
  const list = listOf(scalar("number"));
  expect(maxCost(list(10), "self.all(x, self.all(y, true))")).toBe(352);
  expect(maxCost(list(10), "self.all(x, self.all(y, self.all(z, true)))")).toBe(3552);
  expect(maxCost(list(undefined), "self.all(x, self.all(y, true))")).toBeGreaterThan(10_000_000);
});

test("an enum bounds a text", () => {
  const choice = { type: "string", enum: ["A", "LongValue"] };
  expect(maxCost(choice, "self.contains('A')")).toBe(2);
});

test("the results of replace and split have sizes", () => {
  const object = (bound: number | undefined): StructuralSchema => ({
    type: "object",
    properties: { s: text(bound), sep: text(bound), old: text(2), new: text(4) },
  });
  expect(maxCost(object(4), "self.s.replace(self.old, self.new) == 'does not matter'")).toBe(12);
  expect(maxCost(object(10), "self.s.split(self.sep) == []")).toBe(22);
});
