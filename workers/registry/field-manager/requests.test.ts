import { describe, expect, test } from "vitest";
import type { ManagedFieldsEntry } from "../../apimachinery/meta.ts";
import { StatusError } from "../../apimachinery/status-errors.ts";
import { readApplyBody, validateApplyOptions } from "./apply-body.ts";
import { decodeManagedFields, encodeManagedFields } from "./managed-fields.ts";
import { managerOrUserAgent } from "./manager-name.ts";
import { parentManagedFields, scaleManagedFields } from "./scale-handler.ts";

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return `${error.status.code} ${error.status.message}`;
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

test("the manager is what is named, else the program of the User-Agent, cut at 128 bytes and at what does not print", () => {
  expect(managerOrUserAgent("me", "kubectl/v1")).toBe("me");
  expect(managerOrUserAgent("", "kubectl/v1.36.0 (linux/amd64) kubernetes/abc")).toBe("kubectl");
  expect(managerOrUserAgent("", `${"é".repeat(100)}/1`)).toBe("é".repeat(64));
  expect(managerOrUserAgent("", "a\u0007b/1")).toBe("a");
  expect(managerOrUserAgent("", undefined)).toBe("");
});

describe("the body of an apply", () => {
  test("is YAML or JSON; a key given twice is named, or refused", () => {
    expect(readApplyBody("a: 1\nmetadata: {name: x}\n", "Warn").applied).toEqual({ a: 1, metadata: { name: "x" } });
    expect(readApplyBody('{"a": 1}', "Strict").applied).toEqual({ a: 1, metadata: {} });
    const twice = "a: 1\na: 2\n";
    expect(readApplyBody(twice, "Warn")).toEqual({
      applied: { a: 2, metadata: {} },
      warnings: [expect.stringContaining('key "a" already set in map')],
    });
    expect(messageOf(() => readApplyBody(twice, "Strict"))).toMatch(
      /^400 error strict decoding YAML: .*key "a" already set in map/s,
    );
    expect(messageOf(() => readApplyBody("a: [", "Warn"))).toMatch(/^400 error decoding YAML: /);
    expect(messageOf(() => readApplyBody("[1]", "Warn"))).toMatch(/^400 error decoding YAML: .*cannot unmarshal array/);
  });

  test("needs a manager; force is for apply", () => {
    validateApplyOptions(true, "me", "true");
    validateApplyOptions(false, "", null);
    expect(messageOf(() => validateApplyOptions(true, "", null))).toContain(
      "fieldManager: Required value: is required for apply patch",
    );
    expect(messageOf(() => validateApplyOptions(false, "", "false"))).toContain(
      "force: Forbidden: may not be specified for non-apply patch",
    );
  });
});

const entry = (
  manager: string,
  operation: "Apply" | "Update",
  fieldsV1: object,
  rest: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: "apps/v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: fieldsV1 as Record<string, unknown>,
  ...rest,
});

describe("entries", () => {
  test("are sorted by operation, time and name, and come back as they were", () => {
    const fields = { "f:spec": { ".": {}, "f:replicas": {} } };
    const later = { time: "2026-01-01T00:00:01Z" };
    const entries = [
      entry("b", "Update", fields),
      entry("a", "Update", fields, later),
      entry("z", "Apply", fields),
      entry("c", "Update", fields, { subresource: "status" }),
    ];
    expect(encodeManagedFields(decodeManagedFields(entries))!.map(({ manager }) => manager)).toEqual([
      "z",
      "b",
      "c",
      "a",
    ]);
    expect(encodeManagedFields(decodeManagedFields([entries[0]!]))).toEqual([entries[0]]);
    expect(encodeManagedFields(decodeManagedFields([]))).toBeUndefined();
  });

  test.each([
    [{ operation: "Patch" }, "operation must be `Apply` or `Update`"],
    [{ apiVersion: "" }, "apiVersion must not be empty"],
    [{ fieldsType: undefined }, "missing fieldsType in managed fields entry 0"],
    [{ fieldsType: "FieldsV2" }, 'invalid fieldsType "FieldsV2" in managed fields entry 0'],
  ])("%j is refused", (change, message) => {
    expect(
      messageOf(() => decodeManagedFields([{ ...entry("a", "Update", {}), ...change } as ManagedFieldsEntry])),
    ).toBe(message);
  });
});

describe("scale", () => {
  const paths = new Map([["apps/v1", ["f:spec", "f:replicas"]]]);
  const replicas = { "f:spec": { "f:replicas": {} } };
  const parent = [
    entry("owner", "Apply", { "f:spec": { "f:replicas": {}, "f:selector": {} } }),
    entry("other", "Update", { "f:spec": { "f:paused": {} } }),
  ];

  test("shows the owners of the replicas", () => {
    expect(scaleManagedFields(parent, paths)).toEqual([
      entry("owner", "Apply", replicas, { apiVersion: "autoscaling/v1" }),
    ]);
  });

  test("a write through scale takes the replicas and nothing else", () => {
    const written = [entry("scaler", "Update", replicas, { apiVersion: "autoscaling/v1", subresource: "scale" })];
    expect(parentManagedFields(parent, written, "apps/v1", paths)).toEqual([
      entry("owner", "Apply", { "f:spec": { "f:selector": {} } }),
      parent[1],
      entry("scaler", "Update", replicas, { subresource: "scale" }),
    ]);
    expect(parentManagedFields(parent, scaleManagedFields(parent, paths), "apps/v1", paths)).toEqual(parent);
  });
});
