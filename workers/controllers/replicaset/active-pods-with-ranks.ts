import type { KubeObject } from "../../apimachinery/meta.ts";
import { isPodActive, isPodReady, parseTime, podReadyTime } from "../pod-utils.ts";

const podDeletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";

const phaseOrdinal: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The `count` pods to delete first. Ties of age are decided in doubling buckets, so that a scale-down does not always
 * take the very newest. Mirrors pkg/controller/controller_utils.go ActivePodsWithRanks and
 * pkg/controller/replicaset/replica_set.go getPodsToDelete (1.36).
 *
 * @param related pods of all replica sets of the same owner, for the number of pods that share a node
 */
export function getPodsToDelete(
  pods: readonly KubeObject[],
  related: readonly KubeObject[],
  count: number,
  now: number,
): KubeObject[] {
  if (count >= pods.length) return [...pods];
  const podsOnNode = new Map<string, number>();
  for (const pod of related) {
    if (!isPodActive(pod)) continue;
    const node = pod.spec?.nodeName ?? "";
    podsOnNode.set(node, (podsOnNode.get(node) ?? 0) + 1);
  }
  const rankOf = (pod: KubeObject): number => podsOnNode.get(pod.spec?.nodeName ?? "") ?? 0;
  return [...pods].sort((a, b) => compareForDeletion(a, b, rankOf, now)).slice(0, count);
}

function compareForDeletion(a: KubeObject, b: KubeObject, rankOf: (pod: KubeObject) => number, now: number): number {
  const assigned = Number(Boolean(a.spec?.nodeName)) - Number(Boolean(b.spec?.nodeName));
  if (assigned !== 0) return assigned;
  const phase = ordinalOf(a) - ordinalOf(b);
  if (phase !== 0) return phase;
  const readyA = isPodReady(a);
  const readyB = isPodReady(b);
  if (readyA !== readyB) return readyA ? 1 : -1;
  const cost = deletionCost(a) - deletionCost(b);
  if (cost !== 0) return cost;
  const rank = rankOf(b) - rankOf(a);
  if (rank !== 0) return rank;
  if (readyA && readyB) {
    const difference = compareAge(a, b, podReadyTime(a), podReadyTime(b), now);
    if (difference !== 0) return difference;
  }
  const restarts = maxRestarts(b) - maxRestarts(a);
  if (restarts !== 0) return restarts;
  return compareAge(a, b, parseTime(a.metadata.creationTimestamp), parseTime(b.metadata.creationTimestamp), now);
}

/** Younger first, an unknown time youngest; times of the same doubling bucket are ordered by uid. */
function compareAge(
  a: KubeObject,
  b: KubeObject,
  timeA: number | undefined,
  timeB: number | undefined,
  now: number,
): number {
  if (timeA === timeB) return 0;
  if (timeA === undefined) return -1;
  if (timeB === undefined) return 1;
  const bucket = ageBucket(timeA, now) - ageBucket(timeB, now);
  if (bucket !== 0) return bucket;
  const uidA = a.metadata.uid ?? "";
  const uidB = b.metadata.uid ?? "";
  return uidA < uidB ? -1 : uidA > uidB ? 1 : 0;
}

function ageBucket(time: number, now: number): number {
  const age = now - time;
  return age <= 0 ? -1 : Math.floor(Math.log2(age * 1e6));
}

function ordinalOf(pod: KubeObject): number {
  return phaseOrdinal[pod.status?.phase ?? ""] ?? 0;
}

/** An unreadable cost counts as none. */
function deletionCost(pod: KubeObject): number {
  const text = pod.metadata.annotations?.[podDeletionCostAnnotation];
  if (text === undefined || !/^(?:0|-?[1-9][0-9]*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -2147483648 && cost <= 2147483647 ? cost : 0;
}

function maxRestarts(pod: KubeObject): number {
  let most = 0;
  for (const status of pod.status?.containerStatuses ?? []) most = Math.max(most, status.restartCount ?? 0);
  for (const status of pod.status?.initContainerStatuses ?? []) most = Math.max(most, status.restartCount ?? 0);
  return most;
}
