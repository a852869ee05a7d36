import { afterEach, expect, test } from "vitest";
import { formatMicroTime, formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { leasesResource, nodesResource, podsResource } from "../gvrs.ts";
import { newTaintEvictionController } from "../tainteviction/taint-eviction-controller.ts";
import { ControllerHarness, conditionOf } from "../testing/controller-harness.ts";
import { newNodeLifecycleController } from "./node-lifecycle-controller.ts";

let harness: ControllerHarness;
afterEach(() => harness.stop());

function node(name: string, ready = "True"): KubeObject {
  const time = formatTime(Date.UTC(2025, 11, 31));
  const condition = { status: ready, lastHeartbeatTime: time, lastTransitionTime: time, reason: "r", message: "m" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec: {},
    status: { conditions: [{ ...condition, type: "Ready" }] },
  };
}

function lease(name: string): KubeObject {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: "kube-node-lease" },
    spec: { renewTime: formatMicroTime(Date.UTC(2025, 11, 31)) },
  };
}

function pod(name: string, nodeName: string, tolerations: object[] = []): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { nodeName, tolerations },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
}

const tolerateFor = (tolerationSeconds: number): object[] => [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds },
];

async function started(...objects: KubeObject[]): Promise<void> {
  harness = new ControllerHarness();
  harness.client.seed(objects);
  await harness.start(newNodeLifecycleController(harness.context), newTaintEvictionController(harness.context));
}

async function beat(...names: string[]): Promise<void> {
  for (const name of names) {
    const spec = { renewTime: formatMicroTime(harness.clock.now()) };
    await harness.client.patch(leasesResource, "kube-node-lease", name, "application/merge-patch+json", { spec });
  }
  await harness.settle();
}

/** Time in which only these nodes renew their leases. */
async function live(milliseconds: number, ...names: string[]): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 10_000) {
    await beat(...names);
    await harness.advance(Math.min(10_000, left));
  }
}

const stored = (name: string): KubeObject =>
  harness.client.all(nodesResource).find((each) => each.metadata.name === name)!;
const taintsOf = (name: string): string[] =>
  (stored(name).spec.taints ?? []).map(({ key, effect }: any) => `${key}:${effect}`).sort();

test("nodes that renew their leases cost nothing", async () => {
  await started(node("a"), lease("a"), node("b"), lease("b"));
  harness.takeRequests();
  await live(300_000, "a", "b");
  expect(harness.takeRequests().filter(({ gvr }) => gvr.resource !== "leases")).toEqual([]);
});

test("a silent node becomes Unknown after 50 s, its pods not ready, and it is tainted", async () => {
  await started(node("a"), lease("a"), node("b"), lease("b"), pod("web", "b"));
  await live(50_000, "a");
  expect(conditionOf(stored("b"), "Ready").status).toBe("True");
  await live(10_000, "a");
  expect(conditionOf(stored("b"), "Ready")).toMatchObject({
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  });
  expect(conditionOf(stored("b"), "DiskPressure")).toMatchObject({
    status: "Unknown",
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
  });
  expect(taintsOf("b")).toEqual([
    "node.kubernetes.io/unreachable:NoExecute",
    "node.kubernetes.io/unreachable:NoSchedule",
  ]);
  expect(stored("b").spec.taints[0].timeAdded).toBeDefined();
  expect(conditionOf(stored("a"), "Ready").status).toBe("True");
  expect(taintsOf("a")).toEqual([]);
  const events = harness.events.map(({ about, reason, message }) => ({ about, reason, message }));
  expect(events).toContainEqual({ about: "b", reason: "NodeNotReady", message: "Node b status is now: NodeNotReady" });
  expect(events).toContainEqual({ about: "web", reason: "NodeNotReady", message: "Node is not ready" });
});

test("pods leave an unreachable node when their toleration ends; those that tolerate it stay", async () => {
  const forever = [{ operator: "Exists" }];
  await started(
    ...[node("a"), lease("a"), node("b"), lease("b")],
    ...[pod("at-once", "b"), pod("later", "b", tolerateFor(300)), pod("daemon", "b", forever)],
  );
  await live(60_000, "a");
  const deleted = (name: string): boolean =>
    harness.client.all(podsResource).find((each) => each.metadata.name === name)!.metadata.deletionTimestamp !==
    undefined;
  expect(["at-once", "later", "daemon"].map(deleted)).toEqual([true, false, false]);
  await live(280_000, "a");
  expect(deleted("later")).toBe(false);
  await live(30_000, "a");
  expect(["later", "daemon"].map(deleted)).toEqual([true, false]);
  const evicted = harness.client.all(podsResource).find(({ metadata }) => metadata.name === "later")!;
  expect(conditionOf(evicted, "DisruptionTarget")).toMatchObject({
    status: "True",
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
  });
  expect(harness.events).toContainEqual(
    expect.objectContaining({ reason: "TaintManagerEviction", message: "Marking for deletion Pod default/later" }),
  );
});

test("a node that comes back loses its taints and its pods stay", async () => {
  await started(node("a"), lease("a"), node("b"), lease("b"), pod("web", "b", tolerateFor(300)));
  await live(100_000, "a");
  const status = { conditions: [{ ...stored("b").status.conditions[0], status: "True", lastHeartbeatTime: "now" }] };
  await harness.client.update(nodesResource, { ...stored("b"), status }, "status");
  await live(400_000, "a", "b");
  expect(taintsOf("b")).toEqual([]);
  expect(harness.client.all(podsResource)[0]!.metadata.deletionTimestamp).toBeUndefined();
  expect(harness.events.map(({ message }) => message)).toContain("Cancelling deletion of Pod default/web");
});

test("time in which the host slept does not count as silence", async () => {
  await started(node("a"), lease("a"), node("b"), lease("b"));
  await live(20_000, "a", "b");
  harness.takeRequests();
  await harness.clock.advance(4999);
  await harness.settle();
  // The timers of the loop stand still and fire an hour late.
  const { now } = harness.clock;
  harness.clock.now = () => now.call(harness.clock) + 3_600_000;
  await harness.advance(45_000);
  expect(harness.takeWrites()).toEqual([]);
  await harness.advance(30_000);
  expect(conditionOf(stored("b"), "Ready").status).toBe("Unknown");
});

test("no node is ready: nobody is evicted", async () => {
  await started(node("a"), lease("a"), node("b"), lease("b"), pod("web", "b"));
  await harness.advance(300_000, 5000);
  expect(taintsOf("a")).toEqual(["node.kubernetes.io/unreachable:NoSchedule"]);
  expect(taintsOf("b")).toEqual(["node.kubernetes.io/unreachable:NoSchedule"]);
  expect(harness.client.all(podsResource)[0]!.metadata.deletionTimestamp).toBeUndefined();
});

test("nodes are tainted for eviction at most one in ten seconds", async () => {
  const names = ["b", "c"];
  await started(node("a"), lease("a"), node("z"), lease("z"), ...names.flatMap((name) => [node(name), lease(name)]));
  await live(60_000, "a", "z");
  const evicting = (): number =>
    names.filter((name) => taintsOf(name).includes("node.kubernetes.io/unreachable:NoExecute")).length;
  expect(evicting()).toBe(1);
  await live(10_000, "a", "z");
  expect(evicting()).toBe(2);
});

test("cordon and pressure show as NoSchedule taints, foreign taints are left alone", async () => {
  const cordoned = node("a");
  cordoned.spec = { unschedulable: true, taints: [{ key: "mine", effect: "NoSchedule" }] };
  cordoned.status.conditions.push({ type: "MemoryPressure", status: "True" });
  await started(cordoned, lease("a"));
  expect(taintsOf("a")).toEqual([
    "mine:NoSchedule",
    "node.kubernetes.io/memory-pressure:NoSchedule",
    "node.kubernetes.io/unschedulable:NoSchedule",
  ]);
  await harness.client.patch(nodesResource, undefined, "a", "application/merge-patch+json", {
    spec: { unschedulable: null },
  });
  await harness.settle();
  expect(taintsOf("a")).toEqual(["mine:NoSchedule", "node.kubernetes.io/memory-pressure:NoSchedule"]);
});
