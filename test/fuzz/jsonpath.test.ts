import { array, assert, constantFrom, oneof, property, string, tuple } from "fast-check";
import { expect, test } from "vitest";
import { formatJsonPathValue, parseJsonPath } from "../../workers/apimachinery/jsonpath.ts";
import { json, runs, seed, timeout } from "./arbitraries.ts";

const tokens = array(
  oneof(
    {
      weight: 8,
      arbitrary: constantFrom(
        ".spec",
        ".name",
        ".a",
        "..",
        ".",
        "..name",
        "[*]",
        ".*",
        "[0]",
        "[-1]",
        "[0:2]",
        "[::2]",
        "[:-1]",
        "[0,1]",
        "['a','name']",
        '["a.b"]',
        "['it\\'s']",
        '[?(@.name=="a")]',
        "[?(@.a)]",
        "[?(@.a<1 || @.b && $.c)]",
        "[?(@[?(@.a)])]",
        "$",
        "@",
        "[",
        "]",
        "?(",
        ")",
        "'",
        '"',
        "\\",
        "\\.",
        "0",
        "==",
        " ",
        "{",
        "}",
        "__proto__",
        "constructor",
      ),
    },
    { weight: 1, arbitrary: string({ maxLength: 3 }) },
  ),
  { maxLength: 8 },
).map((parts) => parts.join(""));

const objects = oneof(
  json,
  constantFrom<unknown>(
    {
      spec: { name: "a", list: [{ name: "a", a: 1 }, { name: "b", a: { b: [1, 2] } }, null, 3] },
      a: [[1], [2, [3]]],
      name: ["a"],
    },
    [{ a: { a: { a: { a: 1 } } } }, { name: "a" }],
  ),
);

test(`${runs()} templates lead to values of the object, or are refused (seed ${seed})`, { timeout }, () => {
  let parsed = 0;
  assert(
    property(tuple(tokens, objects), ([template, object]) => {
      let path;
      try {
        path = parseJsonPath(template);
      } catch (error) {
        // Its own error, not one of the engine.
        expect((error as Error).constructor).toBe(Error);
        expect((error as Error).message).not.toBe("");
        return;
      }
      parsed++;
      const before = JSON.stringify(object);
      const values = path.find(object);
      expect(path.find(object)).toEqual(values);
      for (const value of values) expect(typeof formatJsonPathValue(value)).toBe("string");
      expect(JSON.stringify(object)).toBe(before);
    }),
    { numRuns: runs(), seed },
  );
  expect(parsed).toBeGreaterThan(runs() / 10);
});

test("nothing is found that an object has only by its prototype", () => {
  for (const template of [".constructor", "..__proto__", "['toString']", ".a.length"])
    expect(parseJsonPath(template).find({ a: ["b"] })).toEqual([]);
});
