import { array, assert, constantFrom, nat, oneof, property, record, tuple } from "fast-check";
import type { Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../../workers/apimachinery/meta.ts";
import type { InvalidCause } from "../../workers/apimachinery/status-errors.ts";
import { catalog } from "../../workers/apis/catalog.ts";
import { decodeObject } from "../../workers/apis/codec/decode.ts";
import { applyDefaults } from "../../workers/apis/defaulting/defaulting.ts";
import type { ResourceInfo } from "../../workers/apis/resource-info.ts";
import { schemaTable } from "../../workers/apis/schema-table.ts";
import { validKinds } from "../../workers/apis/validation/testing/valid-objects.ts";
import { validate, validateSubresourceUpdate, validateUpdate } from "../../workers/apis/validation/validation.ts";
import { json, objectsOf, runs, seed, timeout } from "./arbitraries.ts";
import { attempt } from "./attempt.ts";

/** The stored version of every built-in kind. */
const resources = catalog
  .groups()
  .flatMap(({ group, versions }) => versions.flatMap((version) => catalog.resources(group, version)))
  .filter(({ persisted, version, storageVersion }) => persisted && version === storageVersion);

/** As the registry passes them to validation; undefined when the body is refused before. */
function stored({ group, version, kind }: ResourceInfo, body: object): KubeObject | undefined {
  const gvk = { group, version, kind };
  return attempt(() => {
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const text = new TextEncoder().encode(JSON.stringify({ ...body, apiVersion, kind }));
    const { object } = decodeObject(text, "application/json", gvk, { fieldValidation: "Ignore" });
    object.metadata ??= {};
    applyDefaults(gvk, object);
    return object;
  });
}

function check(causes: InvalidCause[]): void {
  for (const { field, message, reason } of causes) {
    expect([typeof field, typeof message, typeof reason]).toEqual(["string", "string", "string"]);
    expect(message).not.toMatch(/undefined|\[object |NaN/);
  }
}

function checkAll(resource: ResourceInfo, object: KubeObject, previous: KubeObject): void {
  const before = JSON.stringify([object, previous]);
  check(validate(resource, object));
  check(validateUpdate(resource, object, previous));
  for (const { name } of resource.subresources) check(validateSubresourceUpdate(resource, name, object, previous));
  expect(JSON.stringify([object, previous])).toBe(before);
}

const bodiesOf = new Map<ResourceInfo, Arbitrary<[ResourceInfo, object, object]>>();

function bodies(resource: ResourceInfo): Arbitrary<[ResourceInfo, object, object]> {
  let known = bodiesOf.get(resource);
  if (known === undefined) {
    const struct = schemaTable.structOfKind(resource.group, resource.version, resource.kind)!;
    known = tuple(constantFrom(resource), objectsOf(struct), objectsOf(struct));
    bodiesOf.set(resource, known);
  }
  return known;
}

test(
  `${runs(0.4)} objects of all ${resources.length} kinds are validated, new and as updates of others (seed ${seed})`,
  { timeout },
  () => {
    const checked = new Set<string>();
    assert(
      property(oneof(...resources.map(bodies)), ([resource, body, previousBody]) => {
        const [object, previous] = [stored(resource, body), stored(resource, previousBody)];
        if (object === undefined) return;
        checked.add(resource.kind);
        checkAll(resource, object, previous ?? object);
        if (previous !== undefined) checkAll(resource, { ...previous, metadata: object.metadata }, object);
      }),
      { numRuns: runs(0.4), seed },
    );
    if (runs() > 2_000) expect(checked.size).toBe(new Set(resources.map(({ kind }) => kind)).size);
  },
);

interface Damage {
  /** Which of all places, counted from the start. */
  at: number;
  value: unknown;
}

const values = oneof(
  json,
  constantFrom<unknown>(
    undefined,
    null,
    "",
    0,
    -1,
    2 ** 31,
    "a".repeat(300),
    [],
    {},
    [null],
    [{}],
    "10.0.0.1",
    "fd00::/8",
    "*",
    "../x",
    "1Gi",
  ),
);
const damages: Arbitrary<Damage[]> = array(record({ at: nat(400), value: values }), { minLength: 1, maxLength: 3 });

function damaged(manifest: object, damage: readonly Damage[]): object {
  const copy = structuredClone(manifest);
  for (const { at, value } of damage) {
    const places: [container: Record<string, unknown>, key: string][] = [];
    const visit = (node: unknown) => {
      if (typeof node !== "object" || node === null) return;
      for (const key of Object.keys(node)) {
        places.push([node as Record<string, unknown>, key]);
        visit((node as Record<string, unknown>)[key]);
      }
    };
    visit(copy);
    const place = places[at % places.length];
    if (place !== undefined) place[0][place[1]] = structuredClone(value);
  }
  return copy;
}

test(`${runs(0.4)} valid objects with some damage are validated (seed ${seed})`, { timeout }, () => {
  const kinds = validKinds.map(({ gvk, manifest }) => ({
    resource: catalog.findKind(gvk.group, gvk.version, gvk.kind)!,
    manifest,
  }));
  assert(
    property(tuple(constantFrom(...kinds), damages, damages), ([{ resource, manifest }, damage, other]) => {
      const [object, previous] = [
        stored(resource, damaged(manifest, damage)),
        stored(resource, damaged(manifest, other)),
      ];
      if (object === undefined) return;
      checkAll(resource, object, stored(resource, manifest)!);
      checkAll(resource, stored(resource, manifest)!, object);
      if (previous !== undefined) checkAll(resource, object, previous);
    }),
    { numRuns: runs(0.4), seed },
  );
});
