import type { SharedInformer } from "../informers/interfaces.ts";
import type { Cache } from "./cache/cache.ts";
import {
  assignedPodUpdateEvent,
  nodeUpdateEvent,
  schedulerNameOf,
  unscheduledPodUpdateEvents,
} from "./cluster-events.ts";
import { Action } from "./framework/events.ts";
import type { Node, Pod } from "./framework/pod-info.ts";
import { isTerminal, PodInfo, uidOf } from "./framework/pod-info.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";

export interface EventTargets {
  schedulerName: string;
  cache: Cache;
  queue: SchedulingQueue;
  /** The pod does not exist any more. */
  onPodGone(pod: Pod): void;
  /** A gated pod has come in. */
  onGated(pod: Pod): void;
}

/** Feeds the cache and the queue from informers. Mirrors pkg/scheduler/eventhandlers.go (1.36). */
export function addAllEventHandlers(
  informers: { pods: SharedInformer<Pod>; nodes: SharedInformer<Node>; namespaces: SharedInformer },
  targets: EventTargets,
): void {
  const { cache, queue } = targets;
  informers.pods.addEventHandler({
    onAdd: (pod) => transition(undefined, pod, targets),
    onUpdate: (previous, pod) => {
      if (previous.metadata.uid === pod.metadata.uid) return transition(previous, pod, targets);
      transition(previous, undefined, targets);
      transition(undefined, pod, targets);
    },
    onDelete: (pod) => transition(pod, undefined, targets),
  });
  informers.nodes.addEventHandler({
    onAdd: (node) => {
      cache.addOrUpdateNode(node);
      queue.moveAllToActiveOrBackoffQueue({ resource: "Node", action: Action.Add }, undefined, node);
    },
    onUpdate: (previous, node) => {
      cache.addOrUpdateNode(node);
      const event = nodeUpdateEvent(previous, node);
      if (event !== undefined) queue.moveAllToActiveOrBackoffQueue(event, previous, node);
    },
    onDelete: (node) => {
      cache.removeNode(node.metadata.name ?? "");
      queue.moveAllToActiveOrBackoffQueue({ resource: "Node", action: Action.Delete }, node, undefined);
    },
  });
  informers.namespaces.addEventHandler({
    onAdd: (namespace) =>
      queue.moveAllToActiveOrBackoffQueue({ resource: "Namespace", action: Action.Add }, undefined, namespace),
    onUpdate: (previous, namespace) => {
      if (JSON.stringify(previous.metadata.labels) === JSON.stringify(namespace.metadata.labels)) return;
      queue.moveAllToActiveOrBackoffQueue(
        { resource: "Namespace", action: Action.UpdateNamespaceLabel },
        previous,
        namespace,
      );
    },
  });
}

/** Where a pod belongs: on its node, in the queue, or nowhere (terminal, being deleted unassigned, another scheduler's). */
function placeOf(pod: Pod | undefined, schedulerName: string): "node" | "queue" | undefined {
  if (pod === undefined || isTerminal(pod)) return undefined;
  if (pod.spec?.nodeName) return "node";
  return schedulerNameOf(pod) === schedulerName && pod.metadata.deletionTimestamp === undefined ? "queue" : undefined;
}

function transition(previous: Pod | undefined, current: Pod | undefined, targets: EventTargets): void {
  const { cache, queue, schedulerName } = targets;
  const from = placeOf(previous, schedulerName);
  const to = placeOf(current, schedulerName);

  if (from === "queue" && to !== "queue") {
    queue.delete(uidOf(previous!));
  }
  if (from === "node" && to !== "node") {
    cache.removePod(uidOf(previous!));
    queue.moveAllToActiveOrBackoffQueue({ resource: "AssignedPod", action: Action.Delete }, previous, undefined);
  }
  if (to === undefined) {
    // An assumed pod may end before it was ever seen on its node; nobody else would take it back.
    if (cache.forgetPod(uidOf((current ?? previous)!))) {
      queue.moveAllToActiveOrBackoffQueue(
        { resource: "AssignedPod", action: Action.Delete },
        previous ?? current,
        undefined,
      );
    }
    if (current === undefined) targets.onPodGone(previous!);
    return;
  }
  if (to === "node") {
    const info = new PodInfo(current!);
    const before = from === "node" ? cache.getPod(info.uid) : undefined;
    cache.addPod(info);
    if (from !== "node") {
      queue.moveAllToActiveOrBackoffQueue({ resource: "AssignedPod", action: Action.Add }, undefined, current);
    } else {
      const event = assignedPodUpdateEvent(before, info);
      if (event !== undefined) queue.moveAllToActiveOrBackoffQueue(event, previous, current);
    }
  }
  if (to === "queue") {
    const info = new PodInfo(current!);
    if (cache.isAssumedPod(info.uid)) return;
    if (from === "queue") queue.update(previous, info, unscheduledPodUpdateEvents(new PodInfo(previous!), info));
    else queue.add(info);
    if (queue.isGated(info.uid)) targets.onGated(current!);
  }
}
