import type { KubeObject } from "../../apimachinery/meta.ts";

/** Numbers of a rollout. Mirrors pkg/controller/deployment/util/deployment_util.go (1.36). */

export function replicasOf(object: KubeObject): number {
  return object.spec?.replicas ?? 1;
}

export function isRollingUpdate(deployment: KubeObject): boolean {
  return (deployment.spec?.strategy?.type ?? "RollingUpdate") === "RollingUpdate";
}

/** An absolute number, or a percentage of the total. */
function scaledValue(value: number | string | undefined, total: number, roundUp: boolean): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === "number") return value;
  const percent = /^([0-9]+)%$/.exec(value);
  if (percent === null) throw new Error(`invalid value for IntOrString: invalid type: string is not a percentage`);
  const scaled = (Number(percent[1]) * total) / 100;
  return roundUp ? Math.ceil(scaled) : Math.floor(scaled);
}

/** Surge rounds up, unavailability down; if both are 0, one pod may be unavailable, or nothing could ever move. */
export function resolveFenceposts(
  surgeValue: number | string | undefined,
  unavailableValue: number | string | undefined,
  desired: number,
): { surge: number; unavailable: number } {
  const surge = scaledValue(surgeValue, desired, true);
  const unavailable = scaledValue(unavailableValue, desired, false);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

function fencepostsOf(deployment: KubeObject): { surge: number; unavailable: number } {
  const rolling = deployment.spec?.strategy?.rollingUpdate;
  return resolveFenceposts(rolling?.maxSurge ?? "25%", rolling?.maxUnavailable ?? "25%", replicasOf(deployment));
}

export function maxSurge(deployment: KubeObject): number {
  return isRollingUpdate(deployment) ? fencepostsOf(deployment).surge : 0;
}

export function maxUnavailable(deployment: KubeObject): number {
  const desired = replicasOf(deployment);
  if (!isRollingUpdate(deployment) || desired === 0) return 0;
  return Math.min(fencepostsOf(deployment).unavailable, desired);
}

/** Sum of the wanted pods. */
export function replicaCount(replicaSets: readonly KubeObject[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + replicasOf(replicaSet), 0);
}

/** Sum of a count of the replica sets' status. */
export function statusCount(
  replicaSets: readonly KubeObject[],
  field: "replicas" | "readyReplicas" | "availableReplicas",
): number {
  return replicaSets.reduce((sum, replicaSet) => sum + (replicaSet.status?.[field] ?? 0), 0);
}

export function activeReplicaSets(replicaSets: readonly KubeObject[]): KubeObject[] {
  return replicaSets.filter((replicaSet) => replicasOf(replicaSet) > 0);
}

/** How large the new replica set may be now, given all pods that are wanted. */
export function newReplicaSetReplicas(
  deployment: KubeObject,
  allReplicaSets: readonly KubeObject[],
  newReplicas: number,
): number {
  const desired = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return desired;
  const room = desired + maxSurge(deployment) - replicaCount(allReplicaSets);
  if (room <= 0) return newReplicas;
  return newReplicas + Math.min(room, desired - newReplicas);
}

/**
 * New sizes when several replica sets are active and the deployment is resized: each grows or shrinks in proportion
 * (so that a rollout under way keeps its risk), the largest takes what rounding left over.
 * Mirrors pkg/controller/deployment/sync.go scale (1.36).
 *
 * @param maxReplicasBefore the deployment's size with surge that a replica set was last scaled for
 * @returns sizes in the order in which the replica sets should be scaled
 */
export function proportionalSizes(
  deployment: KubeObject,
  replicaSets: readonly KubeObject[],
  maxReplicasBefore: (replicaSet: KubeObject) => number | undefined,
): { replicaSet: KubeObject; size: number }[] {
  const desired = replicasOf(deployment);
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const toAdd = allowed - replicaCount(replicaSets);
  const sorted = [...replicaSets];
  if (toAdd > 0) sorted.sort((a, b) => replicasOf(b) - replicasOf(a) || byCreation(b, a));
  if (toAdd < 0) sorted.sort((a, b) => replicasOf(b) - replicasOf(a) || byCreation(a, b));
  let added = 0;
  const sizes = sorted.map((replicaSet) => {
    const current = replicasOf(replicaSet);
    if (toAdd === 0 || current === 0 || toAdd === added) return { replicaSet, size: current };
    const before = maxReplicasBefore(replicaSet) || (deployment.status?.replicas ?? 0);
    const target = desired === 0 || before === 0 ? 0 : Math.round((current * allowed) / before);
    const room = toAdd - added;
    const proportion = toAdd > 0 ? Math.min(target - current, room) : Math.max(target - current, room);
    added += proportion;
    return { replicaSet, size: current + proportion };
  });
  const largest = sizes[0];
  if (largest !== undefined) largest.size = Math.max(0, largest.size + toAdd - added);
  return sizes;
}

/** Oldest first, then by name. */
export function byCreation(a: KubeObject, b: KubeObject): number {
  return (
    compareText(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
    compareText(a.metadata.name ?? "", b.metadata.name ?? "")
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
