import type { KubeObject } from "../apimachinery/meta.ts";

/** Neither finished nor on its way out (pkg/controller/controller_utils.go IsPodActive, 1.36). */
export function isPodActive(pod: KubeObject): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Being deleted and not yet finished. */
export function isPodTerminating(pod: KubeObject): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;
}

export function isPodTerminal(pod: KubeObject): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

export function podCondition(pod: KubeObject, type: string): any {
  return (pod.status?.conditions ?? []).find((condition: any) => condition.type === type);
}

export function isPodReady(pod: KubeObject): boolean {
  return podCondition(pod, "Ready")?.status === "True";
}

/** When the pod became ready, in milliseconds; undefined when it is not, or did not say. */
export function podReadyTime(pod: KubeObject): number | undefined {
  const condition = podCondition(pod, "Ready");
  return condition?.status === "True" ? parseTime(condition.lastTransitionTime) : undefined;
}

/** Ready for at least `minReadySeconds` (pkg/api/v1/pod IsPodAvailable). */
export function isPodAvailable(pod: KubeObject, minReadySeconds: number, now: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const readyAt = podReadyTime(pod);
  return readyAt !== undefined && readyAt + minReadySeconds * 1000 <= now;
}

/** Milliseconds since the epoch; undefined for an absent or unreadable time. */
export function parseTime(time: string | null | undefined): number | undefined {
  if (!time) return undefined;
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
