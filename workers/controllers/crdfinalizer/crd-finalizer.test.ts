import { afterEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { conditionOf, ControllerHarness } from "../testing/controller-harness.ts";
import { customResourceDefinitionsResource, newCRDFinalizer } from "./crd-finalizer.ts";

const finalizer = "customresourcecleanup.apiextensions.k8s.io";
const knobs = { group: "example.com", version: "v1", resource: "knobs" };
let harness: ControllerHarness;

function definition(name: string, conditions: object[], deleted = true): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${name}.example.com`,
      ...(deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] } : {}),
    },
    spec: { group: "example.com", names: { plural: name, kind: "Knob" }, versions: [{ name: "v1", served: true }] },
    status: { conditions },
  };
}

const established = { type: "Established", status: "True", reason: "InitialNamesAccepted" };
const pendingDeletion = { type: "Terminating", status: "True", reason: "InstanceDeletionPending" };

/** Why the finalizer was taken off; once is enough. The fake keeps it, since it takes no metadata from updates of the status. */
function releases(): string[] {
  const patches = harness.client.writes.map(({ patch }) => patch as any);
  const reasons = patches
    .filter((patch) => patch?.metadata?.finalizers === null && patch.status !== undefined)
    .map((patch) => patch.status.conditions.at(-1).reason);
  return [...new Set<string>(reasons)];
}

afterEach(() => harness.stop());

describe("a definition that is being deleted", () => {
  test("without objects is let go", async () => {
    harness = new ControllerHarness();
    harness.client.seed([definition("knobs", [established, pendingDeletion])]);
    await harness.start(newCRDFinalizer(harness.context, { resources: async () => [knobs] }));
    await harness.rest();
    expect(releases()).toEqual(["InstanceDeletionCompleted"]);
  });

  test("whose type was never used is not asked for objects", async () => {
    harness = new ControllerHarness();
    harness.client.seed([definition("knobs", [established, pendingDeletion])]);
    await harness.start(newCRDFinalizer(harness.context, { resources: async () => [] }));
    await harness.rest();
    expect(harness.client.actions.some(({ gvr }) => gvr.resource === knobs.resource)).toBe(false);
    expect(releases()).toEqual(["InstanceDeletionCompleted"]);
  });

  test("takes its objects along, and waits for those with finalizers", async () => {
    harness = new ControllerHarness();
    const knob = (name: string, finalizers: string[]): KubeObject => ({
      apiVersion: "example.com/v1",
      kind: "Knob",
      metadata: { name, namespace: "default", finalizers },
    });
    harness.client.seed([
      definition("knobs", [established, pendingDeletion]),
      knob("plain", []),
      knob("held", ["example.com/hold"]),
    ]);
    await harness.start(newCRDFinalizer(harness.context, { resources: async () => [knobs] }));
    await harness.advance(3_000);
    expect(harness.client.all(knobs).map(({ metadata }) => metadata.name)).toEqual(["held"]);
    expect(conditionOf(harness.client.all(customResourceDefinitionsResource)[0], "Terminating").reason).toBe(
      "InstanceDeletionInProgress",
    );
    await harness.client.patch(knobs, "default", "held", "application/merge-patch+json", {
      metadata: { finalizers: null },
    });
    await harness.advance(3_000);
    expect(releases()).toEqual(["InstanceDeletionCompleted"]);
  });

  test("that was never established has no objects to look for", async () => {
    harness = new ControllerHarness();
    harness.client.seed([definition("knobs", [pendingDeletion])]);
    await harness.start(newCRDFinalizer(harness.context, { resources: async () => [knobs] }));
    await harness.rest();
    expect(harness.client.actions.some(({ gvr }) => gvr.resource === knobs.resource)).toBe(false);
    expect(releases()).toEqual(["NeverEstablished"]);
  });

  test("one that is not being deleted is left alone", async () => {
    harness = new ControllerHarness();
    harness.client.seed([definition("knobs", [established], false)]);
    harness.takeWrites();
    await harness.start(newCRDFinalizer(harness.context, { resources: async () => [knobs] }));
    await harness.rest();
    expect(harness.takeWrites()).toEqual([]);
    const kept = await harness.client.get(customResourceDefinitionsResource, undefined, "knobs.example.com");
    expect(conditionOf(kept, "Terminating")).toBeUndefined();
  });
});
