import { formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isPodAvailable, isPodReady, podReadyTime } from "../pod-utils.ts";

/** What went wrong while creating or deleting pods. */
export interface ReplicaFailure {
  reason: "FailedCreate" | "FailedDelete";
  message: string;
}

/**
 * The status that follows from the owned pods. Counts of zero are left out where the API leaves them out.
 * Mirrors pkg/controller/replicaset/replica_set_utils.go calculateStatus (1.36).
 *
 * @param failure of this sync; undefined clears the condition
 * @param terminating number of owned pods on their way out; undefined where the kind does not report it
 */
export function calculateReplicaSetStatus(
  replicaSet: KubeObject,
  activePods: readonly KubeObject[],
  terminating: number | undefined,
  failure: ReplicaFailure | undefined,
  now: number,
): Record<string, any> {
  const templateLabels = Object.entries<string>(replicaSet.spec?.template?.metadata?.labels ?? {});
  const minReadySeconds = replicaSet.spec?.minReadySeconds ?? 0;
  let fullyLabeled = 0;
  let ready = 0;
  let available = 0;
  for (const pod of activePods) {
    const labels = pod.metadata.labels ?? {};
    if (templateLabels.every(([key, value]) => labels[key] === value)) fullyLabeled++;
    if (!isPodReady(pod)) continue;
    ready++;
    if (isPodAvailable(pod, minReadySeconds, now)) available++;
  }
  const conditions = nextConditions(replicaSet.status?.conditions ?? [], failure, now);
  const generation = replicaSet.metadata.generation ?? 0;
  return {
    replicas: activePods.length,
    ...(fullyLabeled > 0 ? { fullyLabeledReplicas: fullyLabeled } : {}),
    ...(ready > 0 ? { readyReplicas: ready } : {}),
    ...(available > 0 ? { availableReplicas: available } : {}),
    ...(terminating !== undefined ? { terminatingReplicas: terminating } : {}),
    ...(generation > 0 ? { observedGeneration: generation } : {}),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

function nextConditions(current: readonly any[], failure: ReplicaFailure | undefined, now: number): any[] {
  const existing = current.find((condition) => condition.type === "ReplicaFailure");
  if (failure !== undefined && existing !== undefined) return [...current];
  if (failure === undefined) return current.filter((condition) => condition.type !== "ReplicaFailure");
  return [
    ...current,
    {
      type: "ReplicaFailure",
      status: "True",
      lastTransitionTime: formatTime(now),
      reason: failure.reason,
      message: failure.message,
    },
  ];
}

/** Milliseconds until the next ready pod counts as available, undefined when none is waiting. */
export function nextAvailability(
  activePods: readonly KubeObject[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  if (minReadySeconds === 0) return undefined;
  let next: number | undefined;
  for (const pod of activePods) {
    const readyAt = podReadyTime(pod);
    if (readyAt === undefined) continue;
    const wait = readyAt + minReadySeconds * 1000 - now;
    if (wait > 0 && (next === undefined || wait < next)) next = wait;
  }
  return next;
}
