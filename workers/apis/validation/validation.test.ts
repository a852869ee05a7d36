import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { decodeObject } from "../codec/decode.ts";
import bodies from "../codec/kubectl-bodies.json" with { type: "json" };
import { normalizeObject } from "../codec/normalize.ts";
import { applyDefaults } from "../defaulting/defaulting.ts";
import { schemaTable } from "../schema-table.ts";
import { validKinds, validObject } from "./testing/valid-objects.ts";
import { validate, validateStatusUpdate, validateUpdate } from "./validation.ts";

describe("valid objects", () => {
  for (const { gr } of validKinds) {
    it(`${gr.resource} pass, as new objects and unchanged`, () => {
      const { object } = validObject(gr.resource);
      expect(validate(gr, object)).toEqual([]);
      expect(validateUpdate(gr, structuredClone(object), object)).toEqual([]);
    });
  }

  it("a kind that is not known here passes", () => {
    expect(validate({ group: "example.com", resource: "things" }, { metadata: {} })).toEqual([]);
    expect(validate({ group: "", resource: "constructor" }, { metadata: {} })).toEqual([]);
  });

  it("finalizers of built-in kinds are standard or qualified", () => {
    const { gr, object } = validObject("configmaps");
    object.metadata.finalizers = ["foregroundDeletion", "example.com/a", "mine"];
    expect(validate(gr, object)).toEqual([
      {
        reason: "FieldValueInvalid",
        field: "metadata.finalizers[2]",
        message: 'Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      },
    ]);
  });
});

describe("what kubectl sends", () => {
  const protobuf = "application/vnd.kubernetes.protobuf";
  const resources: Record<string, [group: string, resource: string]> = {
    Deployment: ["apps", "deployments"],
    ConfigMap: ["", "configmaps"],
    Namespace: ["", "namespaces"],
    Service: ["", "services"],
  };

  it("create of each kind passes", () => {
    const seen = new Set<string>();
    for (const body of bodies) {
      const { object } = decodeObject(new Uint8Array(Buffer.from(body, "base64")), protobuf, undefined, {
        fieldValidation: "Strict",
      });
      const kind = object.kind ?? "";
      const found = resources[kind];
      if (found === undefined) continue;
      const [group, resource] = found;
      applyDefaults({ group, version: "v1", kind }, object);
      object.metadata.namespace = "default";
      expect(validate({ group, resource }, object), kind).toEqual([]);
      seen.add(kind);
    }
    expect([...seen].sort()).toEqual(Object.keys(resources).sort());
  });
});

const odd: unknown[] = [
  "",
  "x",
  "-1",
  "..",
  "a/b/c",
  "UPPER",
  "200%",
  "1e3",
  0,
  -1,
  2 ** 31,
  true,
  null,
  [],
  {},
  [null],
  [{}],
];

/** Takes away, replaces or repeats one member somewhere in `value`. */
function mutate(value: any, random: () => number): void {
  const keys = Object.keys(value);
  if (keys.length === 0) return;
  const key = keys[Math.floor(random() * keys.length)]!;
  const member = value[key];
  if (typeof member === "object" && member !== null && random() < 0.8) return mutate(member, random);
  const choice = random();
  if (Array.isArray(value)) {
    if (choice < 0.3) value.splice(Number(key), 1);
    else if (choice < 0.6) value.push(structuredClone(member));
    else value[Number(key)] = odd[Math.floor(random() * odd.length)];
  } else if (choice < 0.4) delete value[key];
  else value[key] = odd[Math.floor(random() * odd.length)];
}

describe("mutations of valid objects", () => {
  it("never make validation throw", () => {
    const random = seededRandom(20_260_401);
    let found = 0;
    for (let round = 0; round < 6_000; round++) {
      const { gr, gvk } = validKinds[round % validKinds.length]!;
      const { object } = validObject(gr.resource);
      const changed: KubeObject = structuredClone(object);
      for (let times = 1 + Math.floor(random() * 4); times > 0; times--) mutate(changed, random);
      let normal: KubeObject;
      try {
        normal = normalizeObject(changed, schemaTable.structOfKind(gvk.group, gvk.version, gvk.kind)!)
          .object as unknown as KubeObject;
      } catch {
        // The decoder refuses it, so validation never sees it.
        continue;
      }
      normal.metadata ??= {};
      for (const causes of [
        validate(gr, normal),
        validateUpdate(gr, normal, object),
        validateUpdate(gr, object, normal),
        validateStatusUpdate(gr, normal, object),
      ]) {
        found += causes.length;
        for (const cause of causes) {
          expect(cause.field).not.toMatch(/undefined|\[object/);
          expect(cause.message).not.toMatch(/undefined|\[object/);
        }
      }
    }
    expect(found).toBeGreaterThan(1_000);
  });
});
