import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  difference,
  equals,
  has,
  intersection,
  isEmpty,
  parseFieldSet,
  pathsOf,
  recursiveDifference,
  setOf,
  sortSet,
  union,
} from "./field-set.ts";
import { keyElement, printPath, valueElement } from "./path-element.ts";

const element = fc.constantFrom("f:a", "f:b", "f:c", 'k:{"name":"x"}', 'v:"s"', "v:2", "i:1");
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 12 });
const seeded = { seed: 20_260, numRuns: 400 };
const keys = (list: string[][]) => new Set(list.map((entry) => entry.join("/")));
const members = (set: Parameters<typeof pathsOf>[0]) => keys(pathsOf(set));

describe("sets of fields behave as sets of paths", () => {
  test("union, intersection and difference", () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const [left, right] = [setOf(...a), setOf(...b)];
        const [x, y] = [keys(a), keys(b)];
        expect(members(left)).toEqual(x);
        expect(members(union(left, right))).toEqual(new Set([...x, ...y]));
        expect(members(intersection(left, right))).toEqual(new Set([...x].filter((each) => y.has(each))));
        expect(members(difference(left, right))).toEqual(new Set([...x].filter((each) => !y.has(each))));
        expect(isEmpty(difference(left, right))).toBe([...x].every((each) => y.has(each)));
        for (const each of a) expect(has(left, each)).toBe(true);
        for (const each of b) expect(has(left, each)).toBe(x.has(each.join("/")));
      }),
      seeded,
    );
  });

  test("a recursive difference takes what is below, too", () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const rest = a.filter((each) => !b.some((root) => root.every((step, index) => each[index] === step)));
        expect(members(recursiveDifference(setOf(...a), setOf(...b)))).toEqual(keys(rest));
      }),
      seeded,
    );
  });

  test("FieldsV1 and back, in any order of keys", () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const set = union(setOf(...a), setOf(...b));
        const text = JSON.stringify(sortSet(set));
        expect(parseFieldSet(JSON.parse(text))).toEqual(set);
        expect(JSON.stringify(sortSet(setOf(...[...a, ...b].reverse())))).toBe(text);
        expect(equals(parseFieldSet(JSON.parse(text)), set)).toBe(true);
      }),
      seeded,
    );
  });

  test("operations leave their arguments alone, and give them back when nothing changes", () => {
    const a = setOf(["f:a"], ["f:a", "f:b"]);
    const b = setOf(["f:c", "f:d"]);
    const before = JSON.stringify([a, b]);
    union(a, b);
    difference(a, setOf(["f:a", "f:b"]));
    expect(JSON.stringify([a, b])).toBe(before);
    expect(union(a, setOf(["f:a"]))).toBe(a);
    expect(difference(a, b)).toBe(a);
  });
});

describe("FieldsV1", () => {
  test("fields come before keys, values and indexes; a member with children says so", () => {
    const set = setOf(
      ["i:0"],
      ["v:10"],
      ["v:9"],
      ['v:"a"'],
      ['k:{"name":"b"}', "f:x"],
      ['k:{"name":"b"}'],
      ["f:z"],
      ["f:a"],
    );
    expect(JSON.stringify(sortSet(set))).toBe(
      String.raw`{"f:a":{},"f:z":{},"k:{\"name\":\"b\"}":{".":{},"f:x":{}},"v:9":{},"v:10":{},"v:\"a\"":{},"i:0":{}}`,
    );
  });

  test("what a client wrote is brought to the canonical form", () => {
    expect(parseFieldSet({ 'k:{"protocol":"TCP", "port":80}': { "x:future": {} }, "q:other": {} })).toEqual({
      'k:{"port":80,"protocol":"TCP"}': {},
    });
    expect(() => parseFieldSet({ f: {} })).toThrow("key must be 2 characters long");
    expect(() => parseFieldSet({ abc: {} })).toThrow("missing colon: abc");
    expect(() => parseFieldSet({ "i:x": {} })).toThrow("invalid syntax");
  });

  test("paths are shown as upstream shows them", () => {
    const path = [
      "f:spec",
      keyElement([
        ["port", 80],
        ["protocol", "TCP"],
      ]),
      valueElement("a<b"),
      "i:3",
      "f:x",
    ];
    expect(path[2]).toBe(String.raw`v:"a\u003cb"`);
    expect(printPath(path)).toBe(String.raw`.spec[port=80,protocol="TCP"][="a\u003cb"][3].x`);
  });
});
