import { describe, expect, test } from "vitest";
import { applySchemaDefaults } from "./defaulting.ts";
import { isSupportedFormat, matchesFormat } from "./formats.ts";
import type { JsonSchema } from "./json-schema.ts";
import { compilePattern } from "./patterns.ts";
import { prune } from "./pruning.ts";
import { validateStructural } from "./structural.ts";
import { uncorrelated, validateSchema } from "./validate.ts";

const object = (properties: Record<string, JsonSchema>, rest: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...rest,
});
const string: JsonSchema = { type: "string" };

describe("pruning", () => {
  test("keeps what is specified, free-form parts, maps, and the type and metadata of resources", () => {
    const schema = object({
      spec: object({
        free: object({ known: object({ a: string }) }, { "x-kubernetes-preserve-unknown-fields": true }),
        map: { type: "object", additionalProperties: object({ a: string }) },
        list: { type: "array", items: object({ a: string }) },
        embedded: object({ spec: object({ a: string }) }, { "x-kubernetes-embedded-resource": true }),
        closed: { type: "object" },
      }),
    });
    const value = {
      apiVersion: "v1",
      kind: "K",
      metadata: { name: "n" },
      extra: 1,
      spec: {
        free: { anything: { b: 1 }, known: { a: "x", b: 1 } },
        map: { any: { a: "x", b: 1 } },
        list: [{ a: "x" }, { b: 1 }],
        embedded: { apiVersion: "v1", kind: "K", metadata: { name: "n" }, other: 1, spec: { b: 1 } },
        closed: { b: 1 },
      },
    };
    expect(prune(value, schema, true).toSorted()).toEqual([
      "extra",
      "spec.closed.b",
      "spec.embedded.other",
      "spec.embedded.spec.b",
      "spec.free.known.b",
      "spec.list[1].b",
      "spec.map.any.b",
    ]);
    expect(value.spec).toEqual({
      free: { anything: { b: 1 }, known: { a: "x" } },
      map: { any: { a: "x" } },
      list: [{ a: "x" }, {}],
      embedded: { apiVersion: "v1", kind: "K", metadata: { name: "n" }, spec: {} },
      closed: {},
    });
  });
});

describe("defaulting", () => {
  test("fills what is absent or wrongly null, at any depth, and never what is there", () => {
    const schema = object({
      a: { type: "integer", default: 1 },
      nullable: { type: "string", nullable: true, default: "x" },
      dropped: string,
      nested: object({ b: { type: "string", default: "deep" } }, { default: {} }),
      absent: object({ c: { type: "string", default: "never" } }),
      list: { type: "array", items: object({ d: { type: "boolean", default: true } }) },
      map: { type: "object", additionalProperties: { type: "integer", default: 7 } },
    });
    const value: Record<string, unknown> = {
      a: null,
      nullable: null,
      dropped: null,
      list: [{}, { d: false }],
      map: { x: null, y: 1 },
    };
    applySchemaDefaults(value, schema);
    expect(value).toEqual({
      a: 1,
      nullable: null,
      nested: { b: "deep" },
      list: [{ d: true }, { d: false }],
      map: { x: 7, y: 1 },
    });
    expect(schema.properties?.nested?.default).toEqual({});
  });
});

describe("validation", () => {
  test("a null has to be allowed by type and by enum", () => {
    const fields = (schema: JsonSchema) =>
      validateSchema({ a: null }, object({ a: schema }), uncorrelated).map(({ reason }) => reason);
    expect(fields({ type: "string" })).toEqual(["FieldValueTypeInvalid"]);
    expect(fields({ type: "string", nullable: true })).toEqual([]);
    expect(fields({ type: "string", nullable: true, enum: ["x"] })).toEqual(["FieldValueNotSupported"]);
  });

  test("of several failing alternatives the one that went furthest is told", () => {
    const schema = object(
      { a: object({ b: string }), c: string },
      { anyOf: [{ required: ["c"] }, { properties: { a: { properties: { b: { minLength: 3 } } } } }] },
    );
    const causes = validateSchema({ a: { b: "x" } }, schema, uncorrelated);
    expect(causes.map(({ field, message }) => `${field} ${message}`)).toEqual([
      '<nil> Invalid value: "": "" must validate at least one schema (anyOf)',
      'a.b Invalid value: "x": a.b in body should be at least 3 chars long',
    ]);
  });

  test("patterns are RE2's: no lookaround, flags anywhere, linear in the text", () => {
    expect(() => compilePattern("(?=x)")).toThrow("error parsing regexp: invalid or unsupported Perl syntax: `(?=`");
    expect(compilePattern("^(?i)(abort|warn)?$").matches("ABORT")).toBe(true);
    expect(compilePattern("(a+)+$").matches(`${"a".repeat(20_000)}b`)).toBe(false);
  });

  test.each([
    ["date-time", "2026-01-31T10:00:00Z", "2026-02-30T10:00:00Z"],
    ["date", "2024-02-29", "2023-02-29"],
    ["ipv4", "10.0.0.1", "10.0.0.256"],
    ["ipv6", "fd00::1", "fd00:::1"],
    ["cidr", "10.0.0.0/8", "10.0.0.0/33"],
    ["uuid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810"],
    ["email", "a@example.com", "a@"],
    ["hostname", "a.example.com", "-a"],
    ["byte", "aGk=", "aGk"],
    ["duration", "1h30m", "soon"],
  ])("format %s takes %s and not %s", (format, good, bad) => {
    expect([matchesFormat(format, good), matchesFormat(format, bad)]).toEqual([true, false]);
  });

  test("an unknown format is no obstacle", () => {
    expect([
      isSupportedFormat("int64"),
      isSupportedFormat("uri"),
      isSupportedFormat("colour"),
      matchesFormat("colour", "x"),
    ]).toEqual([true, true, false, true]);
  });
});

describe("structurality", () => {
  const problems = (schema: JsonSchema) =>
    validateStructural(schema, "s").map(({ field, message }) => `${field}: ${message}`);

  test("the two forms of int-or-string are allowed, other types in junctors are not", () => {
    const types = [{ type: "integer" }, { type: "string" }];
    expect(
      problems(
        object({
          a: { "x-kubernetes-int-or-string": true, anyOf: types },
          b: { "x-kubernetes-int-or-string": true, allOf: [{ anyOf: types }, { pattern: "x" }] },
        }),
      ),
    ).toEqual([]);
    expect(problems(object({ a: { type: "string", oneOf: types } }))).toHaveLength(2);
  });

  test("what junctors restrict has to be specified outside of them", () => {
    expect(problems(object({ a: string }, { oneOf: [{ properties: { b: { minLength: 1 } } }] }))).toEqual([
      "s.properties[b]: Required value: because it is defined in s.oneOf[0].properties[b]",
    ]);
  });

  test("metadata may restrict names only", () => {
    expect(problems(object({ metadata: object({ name: { type: "string", maxLength: 5 } }) }))).toEqual([]);
    expect(problems(object({ metadata: object({ labels: { type: "object" } }) }))).toEqual([
      "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ]);
  });
});
