import { expect, test } from "vitest";
import { newForbidden, newNotFound } from "../../apimachinery/status-errors.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { podsResource, replicaSetsResource, replicationControllersResource } from "../gvrs.ts";
import { ControllerHarness, conditionOf } from "../testing/controller-harness.ts";
import { frozenInformers } from "../testing/frozen-informers.ts";
import { livePods, makeAllReady, setPodReady } from "../testing/pod-simulator.ts";
import { newReplicationController } from "../replication/replication.ts";
import { newReplicaSetController } from "./replica-set.ts";

function replicaSet(replicas: number, spec: object = {}): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      ...spec,
    },
  };
}

async function started(...objects: KubeObject[]): Promise<ControllerHarness> {
  const harness = new ControllerHarness();
  harness.client.seed(objects);
  await harness.start(newReplicaSetController(harness.context));
  return harness;
}

const stored = (harness: ControllerHarness): KubeObject => harness.client.all(replicaSetsResource)[0]!;

test("creates the missing pods once, reports them, then is silent", async () => {
  const harness = await started(replicaSet(3));
  const pods = harness.client.all(podsResource);
  expect(pods).toHaveLength(3);
  expect(pods[0]!.metadata).toMatchObject({
    generateName: "web-",
    labels: { app: "web" },
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", controller: true, blockOwnerDeletion: true },
    ],
  });
  expect(harness.events).toContainEqual({
    component: "replicaset-controller",
    about: "web",
    type: "Normal",
    reason: "SuccessfulCreate",
    message: `Created pod: ${pods[0]!.metadata.name}`,
  });
  await makeAllReady(harness);
  expect(stored(harness).status).toEqual({
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    terminatingReplicas: 0,
    observedGeneration: 1,
  });
  harness.takeRequests();
  const again = newReplicaSetController(harness.context);
  await again.sync("default/web");
  expect(harness.takeRequests()).toEqual([]);
  await harness.stop();
});

test("scales down: unassigned, then not ready, then cheap pods go first", async () => {
  const harness = await started(replicaSet(4));
  await makeAllReady(harness);
  const [unready, cheap, ...kept] = livePods(harness);
  await setPodReady(harness, unready!, false);
  const cost = { metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": "-5" } } };
  await harness.client.patch(podsResource, "default", cheap!.metadata.name!, "application/merge-patch+json", cost);
  await harness.client.patch(replicaSetsResource, "default", "web", "application/merge-patch+json", {
    spec: { replicas: 2 },
  });
  await harness.rest();
  expect(livePods(harness).map(({ metadata }) => metadata.name)).toEqual(kept.map(({ metadata }) => metadata.name));
  expect(harness.reasons().filter((reason) => reason === "SuccessfulDelete")).toHaveLength(2);
  await harness.stop();
});

test("adopts matching orphans and releases pods that no longer match", async () => {
  const orphan = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "orphan", namespace: "default", labels: { app: "web" } },
    spec: {},
    status: { phase: "Running" },
  };
  const harness = await started(replicaSet(2), orphan);
  const owners = (name: string): unknown =>
    harness.client.all(podsResource).find(({ metadata }) => metadata.name === name)?.metadata.ownerReferences;
  expect(owners("orphan")).toMatchObject([{ name: "web", controller: true }]);
  expect(livePods(harness)).toHaveLength(2);
  await harness.client.patch(podsResource, "default", "orphan", "application/merge-patch+json", {
    metadata: { labels: { app: "other" } },
  });
  await harness.rest();
  expect(owners("orphan") ?? []).toEqual([]);
  expect(livePods(harness)).toHaveLength(3);
  await harness.stop();
});

test("a refused creation shows as ReplicaFailure, is probed with one pod, and heals", async () => {
  const harness = new ControllerHarness();
  harness.client.seed([replicaSet(20)]);
  let refuse = true;
  harness.client.reactors.push(({ verb, gvr }) => {
    if (refuse && verb === "create" && gvr.resource === "pods") throw newForbidden(gvr, "web-x", "exceeded quota: q");
  });
  await harness.start(newReplicaSetController(harness.context));
  expect(conditionOf(stored(harness), "ReplicaFailure")).toMatchObject({
    status: "True",
    reason: "FailedCreate",
    message: 'pods "web-x" is forbidden: exceeded quota: q',
  });
  expect(harness.events[0]).toMatchObject({
    reason: "FailedCreate",
    message: 'Error creating: pods "web-x" is forbidden: exceeded quota: q',
  });
  expect(harness.reasons().length).toBeLessThan(3);
  harness.takeRequests();
  await harness.advance(10_000);
  const attempts = harness.takeWrites().filter(({ verb }) => verb === "create");
  expect(attempts.length).toBeGreaterThan(0);
  expect(attempts.length).toBeLessThan(20);
  refuse = false;
  await harness.advance(60_000);
  expect(livePods(harness)).toHaveLength(20);
  expect(conditionOf(stored(harness), "ReplicaFailure")).toBeUndefined();
  await harness.stop();
});

test("a cache that does not show its pods yet leads to no second creation", async () => {
  const harness = await started();
  harness.client.seed([replicaSet(2)]);
  const informers = frozenInformers({ replicasets: harness.client.all(replicaSetsResource) });
  const controller = newReplicaSetController({ ...harness.context, informers });
  await harness.stop();
  await controller.sync("default/web");
  const first = livePods(harness).length;
  await controller.sync("default/web");
  expect([first, livePods(harness).length]).toEqual([2, 2]);
  await harness.clock.advance(5 * 60_000 + 1);
  await controller.sync("default/web");
  expect(livePods(harness)).toHaveLength(4);
});

test("a pod counts as available minReadySeconds after it became ready", async () => {
  const harness = await started(replicaSet(1, { minReadySeconds: 10 }));
  await makeAllReady(harness);
  expect(stored(harness).status.availableReplicas).toBeUndefined();
  expect(stored(harness).status.readyReplicas).toBe(1);
  await harness.advance(9000);
  expect(stored(harness).status.availableReplicas).toBeUndefined();
  await harness.advance(1000);
  expect(stored(harness).status.availableReplicas).toBe(1);
  await harness.stop();
});

test("a terminating pod is replaced at once and counted as terminating", async () => {
  const harness = await started(replicaSet(1));
  const pod = livePods(harness)[0]!;
  await harness.client.patch(podsResource, "default", pod.metadata.name!, "application/merge-patch+json", {
    spec: { nodeName: "n" },
  });
  await makeAllReady(harness);
  await harness.client.delete(podsResource, "default", pod.metadata.name!);
  await harness.rest();
  expect(harness.client.all(podsResource)).toHaveLength(2);
  expect(stored(harness).status).toMatchObject({ replicas: 1, terminatingReplicas: 1 });
  await harness.stop();
});

test("a vanished owner does not adopt", async () => {
  const harness = new ControllerHarness();
  harness.client.seed([replicaSet(1)]);
  harness.client.seed([
    { apiVersion: "v1", kind: "Pod", metadata: { name: "orphan", labels: { app: "web" } }, spec: {}, status: {} },
  ]);
  harness.client.reactors.push(({ verb, gvr, name }) => {
    if (verb === "get" && gvr.resource === "replicasets") throw newNotFound(gvr, name!);
  });
  await harness.start(newReplicaSetController(harness.context));
  expect(harness.client.all(podsResource)[0]!.metadata.ownerReferences).toBeUndefined();
  await harness.stop();
});

test("ReplicationControllers run on the same engine", async () => {
  const harness = new ControllerHarness();
  harness.client.seed([
    {
      apiVersion: "v1",
      kind: "ReplicationController",
      metadata: { name: "old", namespace: "default" },
      spec: { replicas: 2, selector: { app: "old" }, template: { metadata: { labels: { app: "old" } }, spec: {} } },
    },
  ]);
  await harness.start(newReplicationController(harness.context));
  expect(livePods(harness)).toHaveLength(2);
  expect(harness.client.all(replicationControllersResource)[0]!.status).toMatchObject({ replicas: 2 });
  await harness.stop();
});
