import { assert, property, tuple } from "fast-check";
import { expect, test } from "vitest";
import { checkRules } from "../../workers/admission/cel/rule-checks.ts";
import type { StructuralSchema } from "../../workers/admission/cel/structural-schema.ts";
import { FakeClock } from "../../workers/apimachinery/clock.ts";
import type { KubeObject } from "../../workers/apimachinery/meta.ts";
import { toFieldSet } from "../../workers/apimachinery/structured-merge/to-field-set.ts";
import { customResourceInfo } from "../../workers/apiserver/extensions/custom-kind.ts";
import type { CustomResourceDefinition } from "../../workers/apiserver/extensions/definition.ts";
import { validateDefinitionSchema } from "../../workers/apiserver/extensions/schema/definition-schema.ts";
import { itemsOf, someSchema } from "../../workers/apiserver/extensions/schema/json-schema.ts";
import type { JsonSchema } from "../../workers/apiserver/extensions/schema/json-schema.ts";
import { prune } from "../../workers/apiserver/extensions/schema/pruning.ts";
import { fieldManagerFor } from "../../workers/registry/field-manager/resource-field-manager.ts";
import { runs, seed, timeout } from "./arbitraries.ts";
import { attempt, expectSettled, throughJson } from "./attempt.ts";
import { schemas, valuesFor } from "./schemas.ts";

function resourceOf(schema: JsonSchema) {
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    subresources: { status: {} },
  };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [version],
    },
  } as unknown as CustomResourceDefinition;
  return customResourceInfo(definition, definition.spec.versions[0]!);
}

const cases = schemas.chain((schema) =>
  tuple(valuesFor(schema), valuesFor(schema)).map(([now, before]) => ({ schema, now, before })),
);

const asObject = (value: unknown): KubeObject => ({
  ...(typeof value === "object" && value !== null && !Array.isArray(value) ? structuredClone(value) : {}),
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "x", namespace: "default" },
});

test(
  `${runs()} schemas are refused, or their objects are pruned, defaulted, validated and applied (seed ${seed})`,
  { timeout },
  () => {
    let accepted = 0;
    let valid = 0;
    assert(
      property(cases, ({ schema, now, before }) => {
        const given = JSON.stringify(schema);
        const refusals = validateDefinitionSchema(schema, "spec.versions[0].schema", true);
        expect(validateDefinitionSchema(schema, "spec.versions[0].schema", true)).toEqual(refusals);
        checkRules(schema as StructuralSchema, "schema");
        if (refusals.length > 0) return;
        accepted++;
        const resource = resourceOf(schema);
        const kind = resource.custom!;
        const [object, previous] = [asObject(now), asObject(before)];
        kind.fit(object);
        kind.fit(previous);
        const fitted = structuredClone(object);
        expect(prune(object, schema, true)).toEqual([]);
        expect(kind.fit(object)).toEqual([]);
        expect(object).toEqual(fitted);
        kind.fromStorage(object);
        expect(object).toEqual(fitted);
        const causes = kind.validate(object, undefined, "object");
        expect(kind.validate(object, undefined, "object")).toEqual(causes);
        kind.validate(object, previous, "object");
        kind.validate(object, previous, "status");
        expect(object).toEqual(fitted);
        toFieldSet(kind.fieldType, object);
        if (causes.length === 0) {
          valid++;
          expect(kind.validate(structuredClone(object), undefined, "object")).toEqual([]);
          const fits = !hasSetOfMaps(schema) && kind.validate(previous, undefined, "object").length === 0;
          applyTwice(resource, object, previous, fits);
        }
        expect(JSON.stringify(schema)).toBe(given);
      }),
      { numRuns: runs(), seed },
    );
    expect(accepted).toBeGreaterThan(runs() / 10);
    expect(valid).toBeGreaterThan(accepted / 10);
  },
);

/** A definition may have them, and apply refuses every entry. */
function hasSetOfMaps(schema: JsonSchema): boolean {
  const scalars = ["string", "integer", "number", "boolean"];
  return someSchema(
    schema,
    (each) => each["x-kubernetes-list-type"] === "set" && !scalars.includes(itemsOf(each)?.type ?? ""),
  );
}

const clock = new FakeClock();

function applyTwice(
  resource: ReturnType<typeof resourceOf>,
  object: KubeObject,
  previous: KubeObject,
  previousFits: boolean,
): void {
  const manager = fieldManagerFor(resource, "", clock);
  const configuration = asObject(object);
  const schemaMismatch = ({ message }: { message?: string }) =>
    (previousFits ? /^failed to create typed patch object/ : /^failed to create typed (patch|live) object/).test(
      message ?? "",
    );
  const live = manager.update(undefined, previous, "creator");
  const apply = (object: KubeObject) => {
    const result = manager.apply(object, structuredClone(configuration), "applier", true);
    resource.custom!.fit(result);
    return throughJson(result);
  };
  const applied = attempt(() => apply(live), schemaMismatch);
  if (applied !== undefined) expectSettled(applied, apply);
}
