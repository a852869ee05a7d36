import { assert, constantFrom, property, tuple, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { StatusError } from "../../workers/apimachinery/status-errors.ts";
import { decodeObject } from "../../workers/apis/codec/decode.ts";
import { encodeProtobuf } from "../../workers/apis/codec/protobuf.ts";
import { applyDefaults } from "../../workers/apis/defaulting/defaulting.ts";
import { schemaTable } from "../../workers/apis/schema-table.ts";
import { json, objectsOf, runs, seed, timeout } from "./arbitraries.ts";

const kinds = [
  { group: "", version: "v1", kind: "Pod" },
  { group: "apps", version: "v1", kind: "Deployment" },
  { group: "", version: "v1", kind: "Service" },
  { group: "networking.k8s.io", version: "v1", kind: "Ingress" },
  { group: "rbac.authorization.k8s.io", version: "v1", kind: "ClusterRole" },
  { group: "batch", version: "v1", kind: "CronJob" },
] as const;
const validations = constantFrom("Ignore" as const, "Warn" as const, "Strict" as const);

/** Refused with a Status below 500, or decoded; never anything else. */
function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    expect(error.status.code).toBeGreaterThanOrEqual(400);
    expect(error.status.code).toBeLessThan(500);
  }
}

const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value) ?? "");

test(
  `${runs(0.5)} bodies that look like kinds are decoded and defaulted, or refused (seed ${seed})`,
  { timeout },
  () => {
    const bodies = constantFrom(...kinds).chain((gvk) =>
      tuple(constantFrom(gvk), objectsOf(schemaTable.structOfKind(gvk.group, gvk.version, gvk.kind)!), validations),
    );
    assert(
      property(bodies, ([gvk, object, fieldValidation]) => {
        attempt(() => {
          const decoded = decodeObject(
            text({ ...object, kind: gvk.kind, apiVersion: gvk.group ? `${gvk.group}/${gvk.version}` : gvk.version }),
            "application/json",
            gvk,
            { fieldValidation },
          );
          applyDefaults(gvk, decoded.object);
          // What was decoded once is in its final form.
          const again = decodeObject(text(decoded.object), "application/json", gvk, { fieldValidation: "Strict" });
          expect(JSON.parse(JSON.stringify(again.object))).toEqual(JSON.parse(JSON.stringify(decoded.object)));
        });
      }),
      { numRuns: runs(0.5), seed },
    );
  },
);

test(`${runs(0.25)} bodies of any form and media type are decoded or refused (seed ${seed})`, { timeout }, () => {
  const bodies = tuple(
    json,
    constantFrom("application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "text/plain", ""),
    constantFrom(...kinds),
    validations,
  );
  assert(
    property(bodies, ([value, mediaType, gvk, fieldValidation]) => {
      attempt(() => decodeObject(text(value), mediaType, gvk, { fieldValidation }));
    }),
    { numRuns: runs(0.25), seed },
  );
});

test(`${runs(0.25)} damaged protobuf messages are decoded or refused (seed ${seed})`, { timeout }, () => {
  const magic = [0x6b, 0x38, 0x73, 0];
  const pod = schemaTable.structOfKind("", "v1", "Pod")!;
  const valid = encodeProtobuf(pod, {
    metadata: { name: "a", labels: { b: "c" } },
    spec: { containers: [{ name: "d", image: "e", ports: [{ containerPort: 80 }] }] },
  });
  const bodies = tuple(uint8Array({ maxLength: 40 }), uint8Array({ maxLength: 4 }), validations);
  assert(
    property(bodies, ([noise, damage, fieldValidation]) => {
      const damaged = Uint8Array.from(valid);
      for (const [index, byte] of damage.entries()) damaged[(byte * 31 + index * 17) % damaged.length] = byte;
      for (const body of [
        Uint8Array.from([...magic, ...noise]),
        Uint8Array.from([...magic, 0x12, damaged.length, ...damaged]),
      ]) {
        attempt(() => decodeObject(body, "application/vnd.kubernetes.protobuf", kinds[0], { fieldValidation }));
      }
    }),
    { numRuns: runs(0.25), seed },
  );
});
