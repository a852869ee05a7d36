import { afterEach, expect, test } from "vitest";
import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import type { KubeObject, OwnerReference } from "../../apimachinery/meta.ts";
import { configMapsResource, deploymentsResource, nodesResource, podsResource, replicaSetsResource } from "../gvrs.ts";
import { ControllerHarness } from "../testing/controller-harness.ts";
import type { GarbageCollector } from "./garbage-collector.ts";
import { newGarbageCollector } from "./garbage-collector.ts";

const discovery: Record<string, unknown> = {
  "/api/v1": {
    resources: [
      { name: "pods", kind: "Pod", namespaced: true },
      { name: "configmaps", kind: "ConfigMap", namespaced: true },
      { name: "nodes", kind: "Node", namespaced: false },
    ],
  },
  "/apis/apps/v1": {
    resources: [
      { name: "deployments", kind: "Deployment", namespaced: true },
      { name: "replicasets", kind: "ReplicaSet", namespaced: true },
    ],
  },
};

let harness: ControllerHarness;
afterEach(() => harness.stop());

const types: GroupVersionResource[] = [
  podsResource,
  configMapsResource,
  deploymentsResource,
  replicaSetsResource,
  nodesResource,
];

/** The fake serves no discovery; batches are counted as requests. */
let batches = 0;
async function started(objects: KubeObject[], resources = types): Promise<GarbageCollector> {
  harness = new ControllerHarness();
  harness.client.seed(objects);
  harness.client.raw = async (path) => {
    if (discovery[path] === undefined) throw new Error(`no discovery of ${path}`);
    return discovery[path] as never;
  };
  const { batch } = harness.client;
  batches = 0;
  harness.client.batch = (operations) => {
    batches++;
    return batch.call(harness.client, operations);
  };
  const collector = newGarbageCollector(harness.context, { resources: async () => resources });
  await harness.start(collector);
  await harness.settle();
  return collector;
}

let uids = 0;
function object(kind: string, name: string, ...owners: OwnerReference[]): KubeObject {
  const isApps = kind === "Deployment" || kind === "ReplicaSet";
  const namespace = kind === "Node" ? {} : { namespace: "default" };
  return {
    apiVersion: isApps ? "apps/v1" : "v1",
    kind,
    metadata: { name, ...namespace, uid: `uid-${++uids}`, ...(owners.length > 0 ? { ownerReferences: owners } : {}) },
  };
}

function ownedBy(owner: KubeObject, block = true): OwnerReference {
  const { name, uid } = owner.metadata;
  const { apiVersion, kind } = owner;
  return { apiVersion: apiVersion!, kind: kind!, name: name!, uid: uid!, controller: true, blockOwnerDeletion: block };
}

const names = (gvr: GroupVersionResource): string[] => harness.client.all(gvr).map(({ metadata }) => metadata.name!);

function family(pods: number): KubeObject[] {
  const deployment = object("Deployment", "web");
  const replicaSet = object("ReplicaSet", "web-1", ownedBy(deployment));
  return [
    deployment,
    replicaSet,
    ...Array.from({ length: pods }, (_, index) => object("Pod", `web-1-${index}`, ownedBy(replicaSet))),
  ];
}

test("nothing to collect: no read of any object, no write, also while time passes", async () => {
  await started(family(5));
  await harness.advance(300_000, 60_000);
  const requests = harness.takeRequests().filter(({ verb }) => verb !== "list");
  expect(requests).toEqual([]);
});

test("background: dependents of a deleted owner go, level by level, in few requests", async () => {
  await started([...family(1000), object("Pod", "other")]);
  batches = 0;
  await harness.client.delete(deploymentsResource, "default", "web", { propagationPolicy: "Background" });
  await harness.settle();
  expect(names(replicaSetsResource)).toEqual([]);
  expect(names(podsResource)).toEqual(["other"]);
  expect(batches).toBeLessThan(20);
});

test("foreground: the owner stays until its blocking dependents are gone", async () => {
  const objects = family(2);
  objects[2]!.metadata.finalizers = ["example.com/hold"];
  await started(objects);
  await harness.client.delete(deploymentsResource, "default", "web", { propagationPolicy: "Foreground" });
  await harness.settle();
  expect(names(deploymentsResource)).toEqual(["web"]);
  expect(names(replicaSetsResource)).toEqual(["web-1"]);
  expect(names(podsResource)).toEqual(["web-1-0"]);
  await harness.client.patch(podsResource, "default", "web-1-0", "application/merge-patch+json", {
    metadata: { finalizers: null },
  });
  await harness.advance(5000);
  expect([names(podsResource), names(replicaSetsResource), names(deploymentsResource)]).toEqual([[], [], []]);
});

test("foreground: a dependent that does not block is not waited for", async () => {
  const owner = object("ConfigMap", "owner");
  const dependent = object("ConfigMap", "dependent", ownedBy(owner, false));
  dependent.metadata.finalizers = ["example.com/hold"];
  await started([owner, dependent]);
  await harness.client.delete(configMapsResource, "default", "owner", { propagationPolicy: "Foreground" });
  await harness.advance(1000);
  expect(names(configMapsResource)).toEqual(["dependent"]);
});

test("orphan: dependents lose the reference and live on", async () => {
  await started(family(2));
  await harness.client.delete(deploymentsResource, "default", "web", { propagationPolicy: "Orphan" });
  await harness.settle();
  expect(names(deploymentsResource)).toEqual([]);
  expect(harness.client.all(replicaSetsResource)[0]!.metadata.ownerReferences ?? []).toEqual([]);
  expect(names(podsResource)).toHaveLength(2);
});

test("an absent owner is proved by a live read: wrong uid counts as absent, a failing read does not", async () => {
  const owner = object("ConfigMap", "owner");
  const imposter = { ...ownedBy(owner), uid: "uid-of-a-former-life" };
  const dead = { ...ownedBy(owner), kind: "Node", name: "gone", uid: "uid-gone" };
  const unknown = { ...ownedBy(owner), apiVersion: "x.example.com/v1", kind: "X", name: "x", uid: "uid-x" };
  await started([
    owner,
    object("Pod", "kept", ownedBy(owner)),
    object("Pod", "stale", imposter),
    object("Pod", "dead", dead),
    object("Pod", "undecided", unknown),
  ]);
  await harness.advance(10_000);
  expect(names(podsResource)).toEqual(["kept", "undecided"]);
});

test("one owner is gone, another is not: only the reference goes", async () => {
  const [first, second] = [object("ConfigMap", "first"), object("ConfigMap", "second")];
  await started([first, second, object("Pod", "pod", ownedBy(first), { ...ownedBy(second), controller: false })]);
  await harness.client.delete(configMapsResource, "default", "first");
  await harness.settle();
  expect(harness.client.all(podsResource)[0]!.metadata.ownerReferences).toMatchObject([{ name: "second" }]);
});

test("an owner in another namespace does not count, and an event says so", async () => {
  const owner = object("ConfigMap", "owner");
  owner.metadata.namespace = "elsewhere";
  await started([owner, object("Pod", "pod", ownedBy(owner))]);
  await harness.advance(1000);
  expect(names(podsResource)).toEqual([]);
  expect(harness.events[0]).toMatchObject({
    type: "Warning",
    reason: "OwnerRefInvalidNamespace",
    message:
      `ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: ${owner.metadata.uid}] ` +
      'does not exist in namespace "default"',
  });
});

test("a dependent that changes while it is being judged is read again, and spared when it was adopted", async () => {
  const [first, second] = [object("ConfigMap", "first"), object("ConfigMap", "second")];
  await started([first, second, object("Pod", "pod", ownedBy(first))]);
  harness.client.reactors.push(({ verb, gvr }) => {
    if (verb !== "delete" || gvr.resource !== "pods") return;
    harness.client.reactors.length = 0;
    const [pod] = harness.client.all(podsResource);
    const metadata = { ...pod!.metadata, ownerReferences: [ownedBy(second)] };
    harness.client.storage(podsResource).put({ ...pod!, metadata });
  });
  await harness.client.delete(configMapsResource, "default", "first");
  await harness.advance(5000);
  expect(names(podsResource)).toEqual(["pod"]);
});

test("circles of owners in foreground deletion come to an end", async () => {
  const a = object("ConfigMap", "a");
  const b = object("ConfigMap", "b", ownedBy(a));
  a.metadata.ownerReferences = [ownedBy(b)];
  await started([a, b]);
  await harness.client.delete(configMapsResource, "default", "a", { propagationPolicy: "Foreground" });
  await harness.advance(10_000);
  expect(names(configMapsResource)).toEqual([]);
});

test("a type that comes into use is watched when an owner of it is met", async () => {
  const resources = [podsResource];
  const owner = object("ConfigMap", "owner");
  await started([owner], resources);
  resources.push(configMapsResource);
  harness.client.seed([object("Pod", "pod", ownedBy(owner))]);
  await harness.settle();
  await harness.client.delete(configMapsResource, "default", "owner");
  await harness.settle();
  expect(names(podsResource)).toEqual([]);
});
