import { describe, expect, test } from "vitest";
import { StatusError } from "../status-errors.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";

function codeOf(run: () => unknown): number {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error.status.code;
    throw error;
  }
  return 200;
}

const document = { a: { b: [1, 2, 3], c: "x" }, "d/e": { "~": 1 }, n: null };

describe("json patch", () => {
  test.each<[string, object[], unknown]>([
    ["add member", [{ op: "add", path: "/a/z", value: 1 }], { ...document, a: { ...document.a, z: 1 } }],
    ["add at index", [{ op: "add", path: "/a/b/1", value: 9 }], { ...document, a: { b: [1, 9, 2, 3], c: "x" } }],
    ["append", [{ op: "add", path: "/a/b/-", value: 9 }], { ...document, a: { b: [1, 2, 3, 9], c: "x" } }],
    ["negative index", [{ op: "remove", path: "/a/b/-1" }], { ...document, a: { b: [1, 2], c: "x" } }],
    [
      "negative index of add",
      [{ op: "add", path: "/a/b/-1", value: 4 }],
      { ...document, a: { b: [1, 2, 3, 4], c: "x" } },
    ],
    ["replace of a missing member adds", [{ op: "replace", path: "/new", value: 1 }], { ...document, new: 1 }],
    ["escapes", [{ op: "replace", path: "/d~1e/~0", value: 2 }], { ...document, "d/e": { "~": 2 } }],
    ["move", [{ op: "move", from: "/a/c", path: "/m" }], { a: { b: [1, 2, 3] }, "d/e": { "~": 1 }, n: null, m: "x" }],
    [
      "copy then change leaves the source",
      [
        { op: "copy", from: "/a/b", path: "/m" },
        { op: "add", path: "/m/-", value: 4 },
      ],
      { ...document, m: [1, 2, 3, 4] },
    ],
    [
      "test passes",
      [
        { op: "test", path: "/a/b", value: [1, 2, 3] },
        { op: "test", path: "/missing", value: null },
      ],
      document,
    ],
    [
      "replace of the root",
      [
        { op: "test", path: "", value: document },
        { op: "replace", path: "", value: { z: 1 } },
      ],
      { z: 1 },
    ],
    ["copy of a missing member", [{ op: "copy", from: "/x", path: "/y" }], { ...document, y: null }],
    [
      "inherited names are not there",
      [{ op: "replace", path: "/toString", value: "own" }],
      { ...document, toString: "own" },
    ],
  ])("%s", (_name, operations, expected) => {
    const before = JSON.stringify(document);
    expect(JSON.parse(JSON.stringify(applyJsonPatch(document, operations)))).toEqual(
      JSON.parse(JSON.stringify(expected)),
    );
    expect(JSON.stringify(document)).toBe(before);
  });

  test.each<[string, unknown, number]>([
    ["no list", { op: "add" }, 400],
    ["no object", ["add"], 400],
    ["path of another type", [{ op: "add", path: 1 }], 400],
    ["unknown operation", [{ op: "frob", path: "/a" }], 422],
    ["missing parent", [{ op: "add", path: "/x/y", value: 1 }], 422],
    ["missing member", [{ op: "remove", path: "/x" }], 422],
    ["index out of range", [{ op: "add", path: "/a/b/9", value: 1 }], 422],
    ["failed test", [{ op: "test", path: "/a/c", value: "y" }], 422],
    ["root", [{ op: "add", path: "", value: {} }], 422],
    ["test of the root", [{ op: "test", path: "", value: {} }], 422],
    ["prototype", [{ op: "add", path: "/__proto__/x", value: 1 }], 422],
    ["10,001 operations", Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a/c", value: "x" })), 413],
    [
      "doubling copies",
      Array.from({ length: 30 }, (_, index) => ({ op: "copy", from: "/a", path: `/a/${index}` })),
      422,
    ],
  ])("%s is refused", (_name, operations, code) => {
    expect(codeOf(() => applyJsonPatch(document, operations))).toBe(code);
  });

  test("a failed patch names no cause", () => {
    expect(() => applyJsonPatch(document, [{ op: "remove", path: "/x" }])).toThrow(
      "the server rejected our request due to an error in our request",
    );
  });
});

describe("merge patch", () => {
  test.each<[object, unknown, object]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b", c: 1 }, { a: null }, { c: 1 }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: [1, { b: 1 }] }, { a: [1] }, { a: [1] }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  ])("%j + %j", (original, patch, expected) => {
    expect(applyMergePatch(original, patch)).toEqual(expected);
  });
  test("a patch that is no object is refused", () => {
    expect(codeOf(() => applyMergePatch({}, ["a"]))).toBe(400);
  });
});
