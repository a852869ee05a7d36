import { afterEach, expect, test } from "vitest";
import { newServiceUnavailable } from "../../apimachinery/status-errors.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { DiscoveredResources } from "../discovery.ts";
import { configMapsResource, namespacesResource, nodesResource, podsResource } from "../gvrs.ts";
import { ControllerHarness, conditionOf } from "../testing/controller-harness.ts";
import { newNamespaceController } from "./namespace-controller.ts";

const verbs = ["list", "delete", "deletecollection"];
let discovered: DiscoveredResources;
let harness: ControllerHarness;
afterEach(() => harness.stop());

async function started(...objects: KubeObject[]): Promise<void> {
  harness = new ControllerHarness();
  discovered = {
    failures: new Map(),
    resources: [
      { gvr: podsResource, kind: "Pod", namespaced: true, verbs },
      { gvr: configMapsResource, kind: "ConfigMap", namespaced: true, verbs: ["list", "delete"] },
      { gvr: nodesResource, kind: "Node", namespaced: false, verbs },
    ],
  };
  harness.client.seed([
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "shop" },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other", namespace: "default" } },
    { apiVersion: "v1", kind: "Node", metadata: { name: "node" } },
    ...objects,
  ]);
  await harness.start(newNamespaceController(harness.context, { discover: async () => discovered }));
}

const configMap = (name: string, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop", ...metadata },
});
const namespace = (): KubeObject | undefined => harness.client.all(namespacesResource)[0];
const names = (): string[] => harness.client.all(configMapsResource).map(({ metadata }) => metadata.name!);

test("empties the namespace, and only it, then lets it go", async () => {
  await started(configMap("a"), configMap("b"));
  await harness.advance(10_000);
  expect(harness.takeWrites()).toEqual([]);
  await harness.client.delete(namespacesResource, undefined, "shop");
  await harness.advance(3000);
  expect(names()).toEqual(["other"]);
  expect(namespace()).toBeUndefined();
  expect(harness.client.all(nodesResource)).toHaveLength(1);
});

test("waits for pods before it touches the rest, and goes on when the last is gone", async () => {
  await started(configMap("a"), {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop" },
    spec: { nodeName: "node", terminationGracePeriodSeconds: 600 },
    status: { phase: "Running" },
  });
  await harness.client.delete(namespacesResource, undefined, "shop");
  await harness.advance(3000);
  expect(names()).toEqual(["other", "a"]);
  expect(harness.client.all(podsResource)[0]!.metadata.deletionTimestamp).toBeDefined();
  expect(namespace()!.status.phase).toBe("Terminating");
  expect(conditionOf(namespace(), "NamespaceContentRemaining")).toMatchObject({
    status: "True",
    reason: "SomeResourcesRemain",
    message: "Some resources are remaining: pods. has 1 resource instances",
  });
  expect(namespace()!.status.conditions.map(({ type }: any) => type)).toEqual([
    "NamespaceDeletionDiscoveryFailure",
    "NamespaceDeletionGroupVersionParsingFailure",
    "NamespaceDeletionContentFailure",
    "NamespaceContentRemaining",
    "NamespaceFinalizersRemaining",
  ]);
  await harness.client.delete(podsResource, "shop", "web", { gracePeriodSeconds: 0 });
  await harness.settle();
  expect(namespace()).toBeUndefined();
});

test("objects held by finalizers are named and awaited", async () => {
  await started(configMap("held", { finalizers: ["example.com/hold"] }));
  await harness.client.delete(namespacesResource, undefined, "shop");
  await harness.advance(3000);
  expect(conditionOf(namespace(), "NamespaceFinalizersRemaining")).toMatchObject({
    status: "True",
    reason: "SomeFinalizersRemain",
    message: "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
  });
  await harness.client.patch(configMapsResource, "shop", "held", "application/merge-patch+json", {
    metadata: { finalizers: null },
  });
  await harness.advance(10_000);
  expect(namespace()).toBeUndefined();
});

test("a group that cannot be discovered keeps the namespace and is reported", async () => {
  await started(configMap("a"));
  discovered.failures.set(
    "metrics.k8s.io/v1beta1",
    newServiceUnavailable("the server is currently unable to handle the request"),
  );
  await harness.client.delete(namespacesResource, undefined, "shop");
  await harness.advance(3000);
  expect(names()).toEqual(["other"]);
  expect(conditionOf(namespace(), "NamespaceDeletionDiscoveryFailure")).toMatchObject({
    status: "True",
    reason: "DiscoveryFailed",
    message:
      "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: " +
      "metrics.k8s.io/v1beta1: the server is currently unable to handle the request",
  });
  discovered.failures.clear();
  await harness.advance(60_000);
  expect(namespace()).toBeUndefined();
});
