import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compare } from "./compare.ts";
import { pathsOf } from "./field-set.ts";
import { merge } from "./merge.ts";
import { removeItems } from "./remove-items.ts";
import type { ListType, MapType, SchemaType } from "./schema.ts";
import { deducedType, valueEquals } from "./schema.ts";
import { setOf } from "./field-set.ts";
import { toFieldSet } from "./to-field-set.ts";
import { validate } from "./validate.ts";

const string: SchemaType = { kind: "scalar", scalar: "string" };
const numeric: SchemaType = { kind: "scalar", scalar: "numeric" };
const struct = (fields: Record<string, SchemaType>, atomic = false): MapType => ({
  kind: "map",
  atomic,
  fields: new Map(Object.entries(fields).map(([name, type]) => [name, { type }])),
  element: undefined,
});
const listOf = (element: SchemaType, keys: string[] = [], atomic = false): ListType => ({
  kind: "list",
  atomic,
  keys,
  element,
});
const port: MapType = {
  ...struct({ port: numeric, protocol: string, name: string }),
  fields: new Map([
    ["port", { type: numeric }],
    ["protocol", { type: string, default: "TCP" }],
    ["name", { type: string }],
  ]),
};
const type = struct({
  scalar: string,
  items: listOf(struct({ name: string, value: string }), ["name"]),
  ports: listOf(port, ["port", "protocol"]),
  set: listOf(string),
  atomic: listOf(string, [], true),
  labels: { kind: "map", atomic: false, fields: new Map(), element: string },
  selector: { kind: "map", atomic: true, fields: new Map(), element: string },
  free: deducedType,
});
const shown = (set: Parameters<typeof pathsOf>[0]) => pathsOf(set).map((path) => path.join(" "));

describe("toFieldSet", () => {
  test("owns leaves, entries and empty structs, but not the structs and lists around them", () => {
    expect(
      shown(
        toFieldSet(type, {
          scalar: "a",
          items: [{ name: "x", value: "1" }],
          set: ["s"],
          atomic: ["1"],
          labels: { k: "v" },
          selector: { k: "v" },
          free: { list: [1], none: {} },
        }),
      ),
    ).toEqual([
      "f:atomic",
      "f:scalar",
      "f:selector",
      "f:free f:list",
      "f:free f:none",
      'f:items k:{"name":"x"}',
      'f:items k:{"name":"x"} f:name',
      'f:items k:{"name":"x"} f:value',
      "f:labels f:k",
      'f:set v:"s"',
    ]);
  });

  test("an absent key counts with its default; entries with the same identity are one", () => {
    expect(
      shown(toFieldSet(type, { ports: [{ port: 80 }, { port: 80, protocol: "UDP" }, { port: 80, name: "again" }] })),
    ).toEqual([
      'f:ports k:{"port":80,"protocol":"TCP"}',
      'f:ports k:{"port":80,"protocol":"UDP"}',
      'f:ports k:{"port":80,"protocol":"UDP"} f:port',
      'f:ports k:{"port":80,"protocol":"UDP"} f:protocol',
    ]);
  });
});

describe("compare", () => {
  test("added structs and entries count themselves, changed leaves do not count what is around them", () => {
    const { added, modified, removed } = compare(
      type,
      {
        scalar: "a",
        items: [
          { name: "x", value: "1" },
          { name: "gone", value: "" },
        ],
        labels: {},
        atomic: ["1", "2"],
      },
      {
        scalar: "a",
        items: [
          { name: "y", value: "2" },
          { name: "x", value: "3" },
        ],
        labels: {},
        atomic: ["2", "1"],
        selector: { a: "b" },
      },
    );
    expect(shown(added)).toEqual([
      "f:selector",
      'f:items k:{"name":"y"}',
      'f:items k:{"name":"y"} f:name',
      'f:items k:{"name":"y"} f:value',
    ]);
    expect(shown(modified)).toEqual(["f:atomic", 'f:items k:{"name":"x"} f:value']);
    expect(shown(removed)).toEqual([
      'f:items k:{"name":"gone"}',
      'f:items k:{"name":"gone"} f:name',
      'f:items k:{"name":"gone"} f:value',
    ]);
  });

  test("entries that share an identity are compared as one leaf", () => {
    const two = {
      items: [
        { name: "x", value: "1" },
        { name: "x", value: "2" },
      ],
    };
    const changed = {
      items: [
        { name: "x", value: "1" },
        { name: "x", value: "3" },
      ],
    };
    expect(shown(compare(type, two, changed).modified)).toEqual(['f:items k:{"name":"x"}']);
    const one = compare(type, two, { items: [{ name: "x", value: "1" }] });
    expect([shown(one.removed), shown(one.added)]).toEqual([
      ['f:items k:{"name":"x"}'],
      ['f:items k:{"name":"x"}', 'f:items k:{"name":"x"} f:name', 'f:items k:{"name":"x"} f:value'],
    ]);
  });
});

describe("merge", () => {
  const names = (live: string[], applied: string[]) =>
    (merge(type, { set: live }, { set: applied }) as { set: string[] }).set.join("");

  test.each([
    ["abc", "", "abc"],
    ["abc", "bd", "abcd"],
    ["abc", "cba", "cba"],
    ["abc", "ca", "bca"],
    ["abcd", "da", "bcda"],
    ["ac", "abc", "abc"],
    ["1234", "a3b1c", "2a34b1c"],
  ])("order of %s with %s laid over it", (live, applied, expected) => {
    expect(names([...live], [...applied])).toBe(expected);
  });

  test("atomic values are replaced, all others merged; an empty list removes nothing", () => {
    expect(
      merge(
        type,
        {
          scalar: "a",
          atomic: ["1"],
          labels: { a: "1", b: "1" },
          selector: { a: "1" },
          items: [{ name: "x", value: "1" }],
        },
        { atomic: ["2"], labels: { b: "2" }, selector: { b: "2" }, items: [] },
      ),
    ).toEqual({
      scalar: "a",
      atomic: ["2"],
      labels: { a: "1", b: "2" },
      selector: { b: "2" },
      items: [{ name: "x", value: "1" }],
    });
  });

  const letters = fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { maxLength: 8 });
  const value = fc.record(
    {
      scalar: fc.string({ maxLength: 2 }),
      set: letters,
      labels: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("1", "2"), { minKeys: 1 }),
      items: letters.map((list) => list.map((name) => ({ name, value: `v${name}` }))),
    },
    { requiredKeys: [] },
  );

  test("agrees with a naive model, keeps the applied order, and is idempotent", () => {
    fc.assert(
      fc.property(value, value, (live, applied) => {
        const merged = merge(type, live, applied) as typeof live;
        expect(new Set(merged.set ?? [])).toEqual(new Set([...(live.set ?? []), ...(applied.set ?? [])]));
        expect((merged.set ?? []).filter((entry) => applied.set?.includes(entry))).toEqual(applied.set ?? []);
        expect({ ...merged.labels }).toEqual({ ...live.labels, ...applied.labels });
        expect(merged.scalar).toBe(applied.scalar ?? live.scalar);
        expect(merge(type, merged, applied)).toEqual(merged);
        for (const path of pathsOf(toFieldSet(type, applied)))
          expect(pathsOf(toFieldSet(type, merged))).toContainEqual(path);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

test("entries may be named as what every object inherits", () => {
  const live = JSON.parse('{"labels": {"a": "1", "__proto__": "x"}}');
  const applied = JSON.parse('{"labels": {"constructor": "y", "toString": "z"}}');
  const merged = merge(type, live, applied);
  expect(JSON.stringify(merged)).toBe('{"labels":{"a":"1","__proto__":"x","constructor":"y","toString":"z"}}');
  expect(shown(compare(type, live, merged).added)).toEqual(["f:labels f:constructor", "f:labels f:toString"]);
  expect(valueEquals(live, merged)).toBe(false);
  expect(JSON.stringify(removeItems(type, merged, setOf(["f:labels", "f:a"], ["f:labels", "f:toString"])))).toBe(
    '{"labels":{"__proto__":"x","constructor":"y"}}',
  );
});

test("removeItems takes fields, entries and what becomes empty by it", () => {
  const live = {
    scalar: "a",
    items: [
      { name: "x", value: "1" },
      { name: "y", value: "2" },
    ],
    labels: { a: "1" },
    set: ["p", "q"],
  };
  const removed = removeItems(
    type,
    live,
    setOf(
      ["f:items", 'k:{"name":"x"}'],
      ["f:items", 'k:{"name":"y"}', "f:value"],
      ["f:labels", "f:a"],
      ["f:set", 'v:"p"'],
    ),
  );
  expect(removed).toEqual({ scalar: "a", items: [{ name: "y" }], set: ["q"] });
});

describe("validate", () => {
  test.each([
    [{ unknown: 1 }, ".unknown: field not declared in schema"],
    [{ scalar: 8080 }, ".scalar: expected string, got &value.valueUnstructured{Value:8080}"],
    [{ items: [{ name: "x" }, { name: "x" }] }, '.items: duplicate entries for key [name="x"]'],
    [
      { items: [{ value: "x" }] },
      '.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [
      { items: [{ name: "x", value: true }] },
      '.items[name="x"].value: expected string, got &value.valueUnstructured{Value:true}',
    ],
    [{ labels: [1] }, ".labels: expected map, got &{[1]}"],
    [{ set: { a: "b" } }, ".set: expected list, got &{map[a:b]}"],
    [
      { scalar: 1, set: 2 },
      "errors:\n  .scalar: expected string, got &value.valueUnstructured{Value:1}\n  .set: expected list, got &{2}",
    ],
  ])("%j", (value, message) => {
    expect(() => validate(type, value)).toThrow(new Error(message));
  });

  test("null fits everything", () => {
    validate(type, { scalar: null, items: null, free: { any: [null, 1] } });
  });
});
