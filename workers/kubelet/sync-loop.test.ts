import { expect, it } from "vitest";
import type { ResourceEventHandler, SharedInformer } from "../informers/interfaces.ts";
import type { Kubelet } from "./kubelet.ts";
import { PodManager } from "./pod-manager.ts";
import { startSyncLoop } from "./sync-loop.ts";
import type { Pod } from "./types.ts";

function setUp() {
  let handler: ResourceEventHandler<Pod> = {};
  const calls: string[] = [];
  const podManager = new PodManager();
  const record = (call: string, update: boolean) => (pod: Pod) => {
    calls.push(`${call} ${pod.metadata.uid}`);
    if (update) podManager.update(pod);
    else podManager.remove(pod.metadata.uid!);
  };
  const kubelet = {
    podManager,
    handlePodAddition: record("add", true),
    handlePodUpdate: record("update", true),
    handlePodReconcile: record("reconcile", true),
    handlePodRemove: record("remove", false),
  } as unknown as Kubelet;
  const informer = {
    addEventHandler: (added: ResourceEventHandler<Pod>) => {
      handler = added;
      return () => {};
    },
  } as unknown as SharedInformer<Pod>;
  startSyncLoop(informer, (name) => (name === "node-0" ? kubelet : undefined));
  return { handler, calls };
}

const podOf = (uid: string, nodeName?: string, more: object = {}): Pod => ({
  metadata: { name: "web", namespace: "default", uid, generation: 1, ...more },
  spec: nodeName === undefined ? {} : { nodeName },
});

it("hands each node's kubelet its own pods, from the moment they are bound", () => {
  const { handler, calls } = setUp();
  handler.onAdd!(podOf("1"), false);
  handler.onUpdate!(podOf("1"), podOf("1", "node-0"));
  handler.onAdd!(podOf("2", "elsewhere"), false);
  handler.onDelete!(podOf("2", "elsewhere"), false);
  handler.onDelete!(podOf("1", "node-0"), false);
  expect(calls).toEqual(["add 1", "remove 1"]);
});

it("tells changes of the spec or a deletion from echoes of the status", () => {
  const { handler, calls } = setUp();
  const first = podOf("1", "node-0");
  handler.onAdd!(first, true);
  handler.onUpdate!(first, { ...first, status: { phase: "Running" } });
  handler.onUpdate!(first, podOf("1", "node-0", { labels: { a: "b" } }));
  handler.onUpdate!(first, podOf("1", "node-0", { generation: 2 }));
  handler.onUpdate!(first, podOf("1", "node-0", { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z" }));
  expect(calls).toEqual(["add 1", "reconcile 1", "reconcile 1", "update 1", "update 1"]);
});

it("knows another pod of the same name by its uid, where the deletion was missed", () => {
  const { handler, calls } = setUp();
  handler.onAdd!(podOf("1", "node-0"), true);
  handler.onUpdate!(podOf("1", "node-0"), podOf("2", "node-0"));
  expect(calls).toEqual(["add 1", "remove 1", "add 2"]);
});
