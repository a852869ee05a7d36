import { afterEach, expect, test } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { nodesResource, podsResource } from "../gvrs.ts";
import { ControllerHarness } from "../testing/controller-harness.ts";
import { newPodGCController } from "./pod-gc-controller.ts";

let harness: ControllerHarness;
afterEach(() => harness.stop());

function pod(name: string, spec: object, phase = "Running", metadata: object = {}): KubeObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, ...metadata }, spec, status: { phase } };
}

const node: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: {}, status: {} };
const names = (): string[] => harness.client.all(podsResource).map(({ metadata }) => metadata.name!);

async function started(threshold: number, ...objects: KubeObject[]): Promise<void> {
  harness = new ControllerHarness();
  harness.client.seed(objects);
  await harness.start(newPodGCController(harness.context, { terminatedPodThreshold: threshold }));
}

test("pods of a node that is gone are failed and removed after quarantine", async () => {
  await started(0, node, pod("a", { nodeName: "n" }), pod("b", {}));
  await harness.advance(120_000, 20_000);
  expect(names()).toEqual(["a", "b"]);
  await harness.client.delete(nodesResource, undefined, "n");
  await harness.advance(50_000);
  expect(names()).toEqual(["a", "b"]);
  harness.takeWrites();
  await harness.advance(20_000);
  expect(names()).toEqual(["b"]);
  expect(harness.takeWrites()[0]!.patch).toMatchObject({
    status: { phase: "Failed", conditions: [{ type: "DisruptionTarget", reason: "DeletionByPodGC" }] },
  });
});

test("the oldest finished pods beyond the threshold go, evicted ones before all", async () => {
  const aged = (name: string, day: number, reason?: string): KubeObject => {
    const finished = pod(name, {}, "Failed", { creationTimestamp: `2025-01-0${day}T00:00:00Z` });
    if (reason !== undefined) finished.status.reason = reason;
    return finished;
  };
  await started(2, aged("old", 1), aged("older", 2), aged("new", 3), aged("evicted", 4, "Evicted"), pod("live", {}));
  await harness.advance(21_000);
  expect(names()).toEqual(["live", "new", "older"]);
});

test("terminating pods without a node go; at rest nothing is asked", async () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  await started(0, pod("stuck", {}, "Pending", { deletionTimestamp, deletionGracePeriodSeconds: 30 }), pod("a", {}));
  await harness.advance(21_000);
  expect(names()).toEqual(["a"]);
  harness.takeRequests();
  await harness.advance(600_000, 60_000);
  expect(harness.takeRequests()).toEqual([]);
});
