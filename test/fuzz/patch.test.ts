import { array, assert, constantFrom, property, record, tuple } from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../../workers/apimachinery/meta.ts";
import { applyJsonPatch } from "../../workers/apimachinery/patch/json-patch.ts";
import { applyMergePatch } from "../../workers/apimachinery/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../workers/apimachinery/patch/strategic-merge-patch.ts";
import { StatusError } from "../../workers/apimachinery/status-errors.ts";
import { decodePatched } from "../../workers/apis/codec/decode-patched.ts";
import { schemaTable } from "../../workers/apis/schema-table.ts";
import { json, objectsOf, runs, seed, timeout } from "./arbitraries.ts";

const gvk = { group: "apps", version: "v1", kind: "Deployment" };
const struct = schemaTable.structOfKind(gvk.group, gvk.version, gvk.kind)!;
const deployment = {
  metadata: { name: "a", labels: { b: "c" }, finalizers: ["d.e/f"] },
  spec: {
    replicas: 1,
    template: {
      spec: {
        containers: [{ name: "x", image: "y", ports: [{ containerPort: 1, protocol: "TCP" }] }],
        tolerations: [{ key: "k" }],
      },
    },
  },
};

function attempt(patch: unknown, apply: () => unknown): void {
  const before = JSON.stringify(deployment);
  try {
    const result = apply();
    if (typeof result === "object" && result !== null && !Array.isArray(result))
      decodePatched(result as KubeObject, gvk, patch, "Strict");
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    expect(error.status.code).toBeGreaterThanOrEqual(400);
    // Upstream itself answers some malformed strategic patches with 500; what must not be is an exception of ours.
    expect([400, 409, 413, 422, 500]).toContain(error.status.code);
  }
  expect(JSON.stringify(deployment)).toBe(before);
}

test(
  `${runs(0.5)} strategic merge patches are applied or refused, and change nothing that they were given (seed ${seed})`,
  { timeout },
  () => {
    assert(
      property(tuple(objectsOf(struct), json), ([patch, noise]) => {
        attempt(patch, () => applyStrategicMergePatch(deployment, patch, struct, schemaTable));
        if (typeof noise === "object" && noise !== null && !Array.isArray(noise)) {
          attempt(noise, () => applyStrategicMergePatch(deployment, noise, struct, schemaTable));
        }
      }),
      { numRuns: runs(0.5), seed },
    );
  },
);

test(`${runs(0.5)} merge and JSON patches are applied or refused (seed ${seed})`, { timeout }, () => {
  const operation = record(
    {
      op: constantFrom("add", "remove", "replace", "move", "copy", "test", "destroy"),
      path: constantFrom(
        "",
        "/",
        "/metadata/labels/b",
        "/spec/template/spec/containers/0/image",
        "/spec/template/spec/containers/-",
        "/__proto__/x",
        "/constructor/prototype/x",
        "no",
        "/spec/template/spec/containers/99",
      ),
      from: constantFrom("/metadata", "/spec/replicas", "/nowhere", ""),
      value: json,
    },
    { requiredKeys: ["op"] },
  );
  assert(
    property(tuple(json, array(operation, { maxLength: 5 })), ([merge, operations]) => {
      if (typeof merge === "object" && merge !== null && !Array.isArray(merge))
        attempt(merge, () => applyMergePatch(deployment, merge));
      attempt(operations, () => applyJsonPatch(deployment, operations));
    }),
    { numRuns: runs(0.5), seed },
  );
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});
