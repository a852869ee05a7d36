import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { normalizeObject } from "../codec/normalize.ts";
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

const odd: unknown[] = ["", "x", "-1", "..", "a/b/c", "UPPER", "200%", "1e3", 0, -1, 2 ** 31, true, null, [], {}, [null], [{}]];

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
        normal = normalizeObject(changed, schemaTable.structOfKind(gvk.group, gvk.version, gvk.kind)!).object as unknown as KubeObject;
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
