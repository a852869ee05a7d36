import { expect, test } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newForbidden } from "../../apimachinery/status-errors.ts";
import { deploymentsResource, podsResource, replicaSetsResource } from "../gvrs.ts";
import { newReplicaSetController } from "../replicaset/replica-set.ts";
import { ControllerHarness, conditionOf } from "../testing/controller-harness.ts";
import { livePods, makeAllReady } from "../testing/pod-simulator.ts";
import { newDeploymentController } from "./deployment-controller.ts";

export function deployment(replicas: number, spec: object = {}): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", annotations: { note: "a" } },
    spec: {
      replicas,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      selector: { matchLabels: { app: "web" } },
      template: template("v1"),
      ...spec,
    },
  };
}

function template(image: string): object {
  return { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image }] } };
}

async function started(...objects: KubeObject[]): Promise<ControllerHarness> {
  const harness = new ControllerHarness();
  harness.client.seed(objects);
  await harness.start(newDeploymentController(harness.context), newReplicaSetController(harness.context));
  return harness;
}

const stored = (harness: ControllerHarness): KubeObject => harness.client.all(deploymentsResource)[0]!;
const imageOf = (object: KubeObject): string => object.spec.template.spec.containers[0].image;
const replicaSetOf = (harness: ControllerHarness, image: string): KubeObject =>
  harness.client.all(replicaSetsResource).find((each) => imageOf(each) === image)!;

async function patch(harness: ControllerHarness, spec: object): Promise<void> {
  await harness.client.patch(deploymentsResource, "default", "web", "application/merge-patch+json", { spec });
  await harness.rest();
}

const setImage = (harness: ControllerHarness, image: string): Promise<void> =>
  patch(harness, { template: { spec: { containers: [{ name: "c", image }] } } });

const scalingEvents = (harness: ControllerHarness): string[] =>
  harness.events
    .filter(({ reason }) => reason === "ScalingReplicaSet")
    .map(({ message }) => message.replace(/web-[a-z0-9]+/, "RS"));

test("a new deployment gets a hashed replica set, revision 1 and its conditions", async () => {
  const harness = await started(deployment(3));
  const replicaSet = replicaSetOf(harness, "v1");
  const hash = replicaSet.metadata.labels!["pod-template-hash"]!;
  expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5,10}$/);
  expect(replicaSet.metadata).toMatchObject({
    name: `web-${hash}`,
    labels: { app: "web" },
    annotations: {
      note: "a",
      "deployment.kubernetes.io/revision": "1",
      "deployment.kubernetes.io/desired-replicas": "3",
      "deployment.kubernetes.io/max-replicas": "4",
    },
    ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", controller: true }],
  });
  expect(replicaSet.spec.selector.matchLabels).toEqual({ app: "web", "pod-template-hash": hash });
  expect(livePods(harness)[0]!.metadata.labels).toEqual({ app: "web", "pod-template-hash": hash });
  expect(stored(harness).metadata.annotations!["deployment.kubernetes.io/revision"]).toBe("1");
  expect(conditionOf(stored(harness), "Available")).toMatchObject({
    status: "False",
    reason: "MinimumReplicasUnavailable",
    message: "Deployment does not have minimum availability.",
  });
  expect(conditionOf(stored(harness), "Progressing")).toMatchObject({ status: "True", reason: "ReplicaSetUpdated" });
  expect(stored(harness).status).toMatchObject({ replicas: 3, updatedReplicas: 3, unavailableReplicas: 3 });

  await makeAllReady(harness);
  expect(scalingEvents(harness)).toEqual(["Scaled up replica set RS from 0 to 3"]);
  const { conditions, ...counts } = stored(harness).status;
  expect(counts).toEqual({
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    terminatingReplicas: 0,
  });
  expect(conditions).toMatchObject([
    { type: "Available", status: "True", reason: "MinimumReplicasAvailable" },
    {
      type: "Progressing",
      status: "True",
      reason: "NewReplicaSetAvailable",
      message: `ReplicaSet "web-${hash}" has successfully progressed.`,
    },
  ]);
  await harness.stop();
});

test("a deployment at rest costs no request, also after a restart", async () => {
  const harness = await started(deployment(3));
  await makeAllReady(harness);
  harness.takeRequests();
  await harness.advance(3_600_000, 600_000);
  expect(harness.takeRequests()).toEqual([]);
  const restarted = newDeploymentController(harness.context);
  const replicaSets = newReplicaSetController(harness.context);
  await restarted.sync("default/web");
  await replicaSets.sync(`default/${replicaSetOf(harness, "v1").metadata.name}`);
  expect(harness.takeRequests()).toEqual([]);
  await harness.stop();
});

test("a rolling update moves in the steps that surge and unavailability allow", async () => {
  const harness = await started(deployment(10));
  await makeAllReady(harness);
  harness.events.length = 0;
  await setImage(harness, "v2");
  expect(scalingEvents(harness)).toEqual([
    "Scaled up replica set RS from 0 to 3",
    "Scaled down replica set RS from 10 to 8",
    "Scaled up replica set RS from 3 to 5",
  ]);
  await makeAllReady(harness);
  expect(replicaSetOf(harness, "v1").spec.replicas).toBe(0);
  expect(replicaSetOf(harness, "v2").spec.replicas).toBe(10);
  expect(stored(harness).metadata.annotations!["deployment.kubernetes.io/revision"]).toBe("2");
  expect(stored(harness).status).toMatchObject({ replicas: 10, updatedReplicas: 10, availableReplicas: 10 });
  await harness.stop();
});

test("undo adopts the old replica set under a new revision and keeps its history", async () => {
  const harness = await started(deployment(2));
  await makeAllReady(harness);
  await setImage(harness, "v2");
  await makeAllReady(harness);
  const name = replicaSetOf(harness, "v1").metadata.name;
  await setImage(harness, "v1");
  await makeAllReady(harness);
  const replicaSet = replicaSetOf(harness, "v1");
  expect(harness.client.all(replicaSetsResource)).toHaveLength(2);
  expect(replicaSet.metadata.name).toBe(name);
  expect(replicaSet.spec.replicas).toBe(2);
  expect(replicaSet.metadata.annotations).toMatchObject({
    "deployment.kubernetes.io/revision": "3",
    "deployment.kubernetes.io/revision-history": "1",
  });
  expect(stored(harness).metadata.annotations!["deployment.kubernetes.io/revision"]).toBe("3");
  await harness.stop();
});

test("Recreate starts no new pod before the last old one is gone", async () => {
  const harness = await started(deployment(2, { strategy: { type: "Recreate" } }));
  for (const { metadata } of livePods(harness)) {
    const spec = { nodeName: "n" };
    await harness.client.patch(podsResource, "default", metadata.name!, "application/merge-patch+json", { spec });
  }
  await makeAllReady(harness);
  await setImage(harness, "v2");
  const old = harness.client.all(podsResource);
  expect(old.map(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([true, true]);
  expect(replicaSetOf(harness, "v2")).toBeUndefined();
  for (const { metadata } of old) {
    await harness.client.delete(podsResource, "default", metadata.name!, { gracePeriodSeconds: 0 });
  }
  await harness.rest();
  expect(replicaSetOf(harness, "v2").spec.replicas).toBe(2);
  expect(livePods(harness)).toHaveLength(2);
  await harness.stop();
});

test("a resize in the middle of a rollout is spread in proportion", async () => {
  const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
  const harness = await started(deployment(10, { strategy: { type: "RollingUpdate", rollingUpdate } }));
  await makeAllReady(harness);
  await setImage(harness, "v2");
  expect([replicaSetOf(harness, "v1"), replicaSetOf(harness, "v2")].map(({ spec }) => spec.replicas)).toEqual([8, 5]);
  await patch(harness, { replicas: 15 });
  const sizes = [replicaSetOf(harness, "v1"), replicaSetOf(harness, "v2")].map(({ spec }) => spec.replicas);
  expect(sizes).toEqual([11, 7]);
  await makeAllReady(harness);
  expect(stored(harness).status).toMatchObject({ replicas: 15, updatedReplicas: 15, availableReplicas: 15 });
  await harness.stop();
});

test("paused: a new template waits, a new size does not; resumed: it rolls", async () => {
  const harness = await started(deployment(2));
  await makeAllReady(harness);
  await patch(harness, { paused: true });
  expect(conditionOf(stored(harness), "Progressing")).toMatchObject({
    status: "Unknown",
    reason: "DeploymentPaused",
    message: "Deployment is paused",
  });
  await setImage(harness, "v2");
  await patch(harness, { replicas: 4 });
  expect(replicaSetOf(harness, "v2")).toBeUndefined();
  expect(replicaSetOf(harness, "v1").spec.replicas).toBe(4);
  await patch(harness, { paused: false });
  await makeAllReady(harness);
  expect(replicaSetOf(harness, "v2").spec.replicas).toBe(4);
  expect(conditionOf(stored(harness), "Progressing").reason).toBe("NewReplicaSetAvailable");
  await harness.stop();
});

test("no progress for progressDeadlineSeconds is reported once, and progress heals it", async () => {
  const harness = await started(deployment(1, { progressDeadlineSeconds: 30 }));
  await harness.advance(29_000);
  expect(conditionOf(stored(harness), "Progressing").status).toBe("True");
  await harness.advance(4000);
  expect(conditionOf(stored(harness), "Progressing")).toMatchObject({
    status: "False",
    reason: "ProgressDeadlineExceeded",
    message: `ReplicaSet "${replicaSetOf(harness, "v1").metadata.name}" has timed out progressing.`,
  });
  harness.takeRequests();
  await harness.advance(600_000, 60_000);
  expect(harness.takeRequests()).toEqual([]);
  await makeAllReady(harness);
  expect(conditionOf(stored(harness), "Progressing").reason).toBe("NewReplicaSetAvailable");
  await harness.stop();
});

test("old replica sets beyond revisionHistoryLimit are deleted, oldest revision first", async () => {
  const harness = await started(deployment(1, { revisionHistoryLimit: 2 }));
  for (const image of ["v2", "v3", "v4", "v5"]) {
    await makeAllReady(harness);
    await setImage(harness, image);
  }
  await makeAllReady(harness);
  expect(harness.client.all(replicaSetsResource).map(imageOf).sort()).toEqual(["v3", "v4", "v5"]);
  await harness.stop();
});

test("a name that another template has taken counts as a collision", async () => {
  const probe = await started(deployment(1));
  const { name } = replicaSetOf(probe, "v1").metadata;
  await probe.stop();
  const taken = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "default", labels: { app: "other" } },
    spec: { replicas: 0, selector: { matchLabels: { app: "other" } }, template: template("other") },
  };
  const harness = await started(taken, deployment(1));
  await harness.advance(1000);
  expect(stored(harness).status.collisionCount).toBe(1);
  expect(replicaSetOf(harness, "v1").metadata.name).not.toBe(name);
  await harness.stop();
});

test("a replica set that cannot be created and one that cannot create pods are reported", async () => {
  const harness = new ControllerHarness();
  harness.client.seed([deployment(1)]);
  let refused = "replicasets";
  harness.client.reactors.push(({ verb, gvr }) => {
    if (verb === "create" && gvr.resource === refused) throw newForbidden(gvr, "x", "no");
  });
  await harness.start(newDeploymentController(harness.context), newReplicaSetController(harness.context));
  expect(conditionOf(stored(harness), "Progressing")).toMatchObject({
    status: "False",
    reason: "ReplicaSetCreateError",
    message: expect.stringMatching(
      /^Failed to create new replica set "web-[a-z0-9]+": replicasets.apps "x" is forbidden: no$/,
    ),
  });
  refused = "pods";
  await harness.advance(60_000);
  expect(conditionOf(stored(harness), "ReplicaFailure")).toMatchObject({ status: "True", reason: "FailedCreate" });
  refused = "";
  await harness.advance(120_000);
  expect(conditionOf(stored(harness), "ReplicaFailure")).toBeUndefined();
  await harness.stop();
});
