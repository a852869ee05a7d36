import { expect, test } from "vitest";
import { formatMicroTime } from "../apimachinery/clock.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import { newControllers } from "./controllers.ts";
import {
  configMapsResource,
  deploymentsResource,
  leasesResource,
  namespacesResource,
  nodesResource,
  podsResource,
  replicaSetsResource,
  serviceAccountsResource,
} from "./gvrs.ts";
import { ControllerHarness } from "./testing/controller-harness.ts";
import { makeAllReady } from "./testing/pod-simulator.ts";

const kinds: Record<string, string> = {
  pods: "Pod",
  nodes: "Node",
  namespaces: "Namespace",
  serviceaccounts: "ServiceAccount",
  configmaps: "ConfigMap",
  deployments: "Deployment",
  replicasets: "ReplicaSet",
};
const resources = [
  podsResource,
  nodesResource,
  namespacesResource,
  serviceAccountsResource,
  configMapsResource,
  deploymentsResource,
  replicaSetsResource,
];

async function start(harness: ControllerHarness): Promise<void> {
  harness.client.raw = async (path) => {
    const list = resources.filter(({ group }) => path === (group === "" ? "/api/v1" : `/apis/${group}/v1`));
    const verbs = ["list", "watch", "delete", "deletecollection"];
    const groups = [{ name: "apps", preferredVersion: { groupVersion: "apps/v1", version: "v1" } }];
    const names = list.map(({ resource }) => ({
      name: resource,
      kind: kinds[resource],
      namespaced: !["nodes", "namespaces"].includes(resource),
      verbs,
    }));
    return (path === "/apis" ? { groups } : { resources: names }) as never;
  };
  await harness.start(...newControllers(harness.context, { resources: async () => resources, rootCA: "PEM" }));
}

const node: KubeObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  spec: {},
  status: { conditions: [{ type: "Ready", status: "True" }] },
};
const lease: KubeObject = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "n", namespace: "kube-node-lease" },
  spec: {},
};
const shop: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop" },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
};
const web: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    replicas: 5,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [] } },
  },
};

async function liveOn(harness: ControllerHarness, milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 10_000) {
    const spec = { renewTime: formatMicroTime(harness.clock.now()) };
    await harness.client.patch(leasesResource, "kube-node-lease", "n", "application/merge-patch+json", { spec });
    await harness.advance(10_000, 5000);
  }
}

const besidesLeases = (harness: ControllerHarness): string[] =>
  harness
    .takeRequests()
    .filter(({ gvr }) => gvr.resource !== "leases")
    .map(({ verb, gvr, name }) => `${verb} ${gvr.resource} ${name}`);

test("a cluster at rest costs no request of any controller, and a restart only lists", async () => {
  const harness = new ControllerHarness();
  harness.client.seed([node, lease, shop, web]);
  await start(harness);
  await makeAllReady(harness);
  await liveOn(harness, 30_000);
  expect(harness.client.all(podsResource)).toHaveLength(5);
  harness.takeRequests();
  await liveOn(harness, 600_000);
  expect(besidesLeases(harness)).toEqual([]);
  await harness.stop();

  const restarted = new ControllerHarness();
  restarted.client.seed(resources.concat(leasesResource).flatMap((gvr) => structuredClone(harness.client.all(gvr))));
  await start(restarted);
  await liveOn(restarted, 120_000);
  expect(besidesLeases(restarted).filter((request) => !request.startsWith("list"))).toEqual([]);
  await restarted.stop();
});

test("a namespace with a running deployment goes away whole", async () => {
  const harness = new ControllerHarness();
  harness.client.seed([node, lease, shop, web]);
  await start(harness);
  await makeAllReady(harness);
  await harness.client.delete(namespacesResource, undefined, "shop");
  await liveOn(harness, 30_000);
  expect(harness.client.all(namespacesResource)).toEqual([]);
  for (const gvr of [podsResource, replicaSetsResource, deploymentsResource, configMapsResource]) {
    expect(harness.client.all(gvr)).toEqual([]);
  }
  await harness.stop();
});

test("an unknown controller is refused", () => {
  const harness = new ControllerHarness();
  expect(() => newControllers(harness.context, { resources: async () => [] }, ["nope"])).toThrow(
    '"nope" is not a known controller',
  );
});
