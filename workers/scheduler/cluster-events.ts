import type { ClusterEvent } from "./framework/events.ts";
import { Action } from "./framework/events.ts";
import type { Node, Pod, PodInfo } from "./framework/pod-info.ts";

/** What an update means to scheduling. Mirrors pkg/scheduler/framework/events.go (1.36). */
export function nodeUpdateEvent(previous: Node, current: Node): ClusterEvent | undefined {
  let action = 0;
  if (!same(previous.status?.allocatable, current.status?.allocatable)) action |= Action.UpdateNodeAllocatable;
  if (!same(previous.metadata.labels, current.metadata.labels)) action |= Action.UpdateNodeLabel;
  if (
    Boolean(previous.spec?.unschedulable) !== Boolean(current.spec?.unschedulable) ||
    !same(previous.spec?.taints, current.spec?.taints)
  ) {
    action |= Action.UpdateNodeTaint;
  }
  if (!same(conditionStatuses(previous), conditionStatuses(current))) action |= Action.UpdateNodeCondition;
  if (!same(previous.metadata.annotations, current.metadata.annotations)) action |= Action.UpdateNodeAnnotation;
  return action === 0 ? undefined : { resource: "Node", action };
}

/** For an assigned pod. */
export function assignedPodUpdateEvent(previous: PodInfo | undefined, current: PodInfo): ClusterEvent | undefined {
  if (previous === undefined) return undefined;
  let action = 0;
  if (!same(previous.labels, current.labels)) action |= Action.UpdatePodLabel;
  if (requestsShrank(previous, current)) action |= Action.UpdatePodScaleDown;
  return action === 0 ? undefined : { resource: "AssignedPod", action };
}

/** For a pod that waits. */
export function unscheduledPodUpdateEvents(previous: PodInfo | undefined, current: PodInfo): ClusterEvent[] {
  if (previous === undefined) return [];
  const before = previous.pod.spec;
  const after = current.pod.spec;
  const events: ClusterEvent[] = [];
  const add = (action: number) => events.push({ resource: "UnscheduledPod", action });
  if (!same(previous.labels, current.labels)) add(Action.UpdatePodLabel);
  if (requestsShrank(previous, current)) add(Action.UpdatePodScaleDown);
  if (!same(before?.tolerations, after?.tolerations)) add(Action.UpdatePodToleration);
  if (before?.schedulingGates?.length && !after?.schedulingGates?.length)
    add(Action.UpdatePodSchedulingGatesEliminated);
  return events;
}

export function schedulerNameOf(pod: Pod): string {
  return pod.spec?.schedulerName || "default-scheduler";
}

function requestsShrank(previous: PodInfo, current: PodInfo): boolean {
  const before = previous.requests;
  const after = current.requests;
  if (after.milliCPU < before.milliCPU || after.memory < before.memory) return true;
  if (after.ephemeralStorage < before.ephemeralStorage) return true;
  for (const [name, amount] of before.scalars ?? []) if ((after.scalars?.get(name) ?? 0) < amount) return true;
  return false;
}

function conditionStatuses(node: Node): string[] {
  return (node.status?.conditions ?? []).map((condition: any) => `${condition.type}=${condition.status}`);
}

/** Structural equality of small JSON values; a different order of keys counts as a difference, which is harmless here. */
function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
