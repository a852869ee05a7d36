import type { KubeObject } from "../../apimachinery/meta.ts";
import { parseTime } from "../pod-utils.ts";
import type { DeploymentCondition } from "./conditions.ts";
import { findCondition, newDeploymentCondition, withCondition, withoutCondition } from "./conditions.ts";
import { maxUnavailable, replicaCount, replicasOf, statusCount } from "./rollout-math.ts";

const noDeadline = 2147483647;

/** progressDeadlineSeconds; undefined when progress is not to be judged. */
export function progressDeadline(deployment: KubeObject): number | undefined {
  const seconds = deployment.spec?.progressDeadlineSeconds;
  return seconds === undefined || seconds === null || seconds === noDeadline ? undefined : seconds;
}

/**
 * Counts and the Available condition that follow from the replica sets. Zero counts are left out, as the API does.
 * Mirrors pkg/controller/deployment/sync.go calculateStatus (1.36).
 */
export function calculateDeploymentStatus(
  deployment: KubeObject,
  allReplicaSets: readonly KubeObject[],
  newReplicaSet: KubeObject | undefined,
  now: number,
): Record<string, any> {
  const available = statusCount(allReplicaSets, "availableReplicas");
  const counts = {
    replicas: statusCount(allReplicaSets, "replicas"),
    updatedReplicas: newReplicaSet === undefined ? 0 : statusCount([newReplicaSet], "replicas"),
    readyReplicas: statusCount(allReplicaSets, "readyReplicas"),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, replicaCount(allReplicaSets) - available),
    observedGeneration: deployment.metadata.generation ?? 0,
  };
  const terminating = terminatingCount(allReplicaSets);
  const enough = available >= replicasOf(deployment) - maxUnavailable(deployment);
  const condition = enough
    ? newDeploymentCondition(
        "Available",
        "True",
        "MinimumReplicasAvailable",
        "Deployment has minimum availability.",
        now,
      )
    : newDeploymentCondition(
        "Available",
        "False",
        "MinimumReplicasUnavailable",
        "Deployment does not have minimum availability.",
        now,
      );
  const collisionCount = deployment.status?.collisionCount;
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(deployment.status?.conditions ?? [], condition),
  };
}

/** Undefined when a replica set has been observed but does not report it. */
function terminatingCount(replicaSets: readonly KubeObject[]): number | undefined {
  let sum = 0;
  for (const { status } of replicaSets) {
    if (status?.terminatingReplicas !== undefined) sum += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) !== 0) return undefined;
  }
  return sum;
}

/** All wanted pods are new and available, and none of the old is left. */
export function deploymentComplete(deployment: KubeObject, status: Record<string, any>): boolean {
  const desired = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** More new, ready or available pods, or fewer old ones, than the stored status says. */
function deploymentProgressing(deployment: KubeObject, status: Record<string, any>): boolean {
  const old = deployment.status ?? {};
  const count = (from: Record<string, any>, field: string): number => from[field] ?? 0;
  const oldPods = (from: Record<string, any>): number => count(from, "replicas") - count(from, "updatedReplicas");
  return (
    count(status, "updatedReplicas") > count(old, "updatedReplicas") ||
    oldPods(status) < oldPods(old) ||
    count(status, "readyReplicas") > count(old, "readyReplicas") ||
    count(status, "availableReplicas") > count(old, "availableReplicas")
  );
}

function deploymentTimedOut(deployment: KubeObject, status: Record<string, any>, now: number): boolean {
  const deadline = progressDeadline(deployment);
  const condition = findCondition(status.conditions, "Progressing");
  if (deadline === undefined || condition === undefined) return false;
  if (condition.reason === "NewReplicaSetAvailable") return false;
  if (condition.reason === "ProgressDeadlineExceeded") return true;
  return (parseTime(condition.lastUpdateTime) ?? 0) + deadline * 1000 < now;
}

/**
 * The status during a rollout: counts, then the Progressing condition, then failures of the replica sets.
 * Mirrors pkg/controller/deployment/progress.go syncRolloutStatus (1.36).
 */
export function rolloutStatus(
  deployment: KubeObject,
  allReplicaSets: readonly KubeObject[],
  newReplicaSet: KubeObject | undefined,
  now: number,
): Record<string, any> {
  const status = calculateDeploymentStatus(deployment, allReplicaSets, newReplicaSet, now);
  const current = findCondition(deployment.status?.conditions, "Progressing");
  const settled =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === "NewReplicaSetAvailable";
  if (progressDeadline(deployment) === undefined) {
    status.conditions = withoutCondition(status.conditions, "Progressing");
  } else if (!settled) {
    status.conditions = judgeProgress(deployment, status, newReplicaSet, current, now);
  }
  const failure = replicaFailure(allReplicaSets, newReplicaSet);
  status.conditions =
    failure === undefined
      ? withoutCondition(status.conditions, "ReplicaFailure")
      : withCondition(status.conditions, failure);
  return status;
}

function judgeProgress(
  deployment: KubeObject,
  status: Record<string, any>,
  newReplicaSet: KubeObject | undefined,
  current: DeploymentCondition | undefined,
  now: number,
): DeploymentCondition[] {
  const subject =
    newReplicaSet === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${newReplicaSet.metadata.name}"`;
  const progressing = (value: "True" | "False", reason: any, message: string): DeploymentCondition =>
    newDeploymentCondition("Progressing", value, reason, `${subject} ${message}`, now);

  if (deploymentComplete(deployment, status)) {
    const condition = progressing("True", "NewReplicaSetAvailable", "has successfully progressed.");
    return withCondition(status.conditions, condition);
  }
  if (deploymentProgressing(deployment, status)) {
    const condition = progressing("True", "ReplicaSetUpdated", "is progressing.");
    // Each sign of progress renews the update time, even under the same reason.
    if (current?.status === "True") condition.lastTransitionTime = current.lastTransitionTime;
    return [...withoutCondition(status.conditions, "Progressing"), condition];
  }
  if (deploymentTimedOut(deployment, status, now)) {
    const condition = progressing("False", "ProgressDeadlineExceeded", "has timed out progressing.");
    return withCondition(status.conditions, condition);
  }
  return status.conditions;
}

/** The failure of the new replica set, else of any other. */
function replicaFailure(
  allReplicaSets: readonly KubeObject[],
  newReplicaSet: KubeObject | undefined,
): DeploymentCondition | undefined {
  for (const replicaSet of newReplicaSet === undefined ? allReplicaSets : [newReplicaSet, ...allReplicaSets]) {
    const condition = (replicaSet.status?.conditions ?? []).find((each: any) => each.type === "ReplicaFailure");
    if (condition === undefined) continue;
    return {
      type: "ReplicaFailure",
      status: condition.status,
      lastUpdateTime: condition.lastTransitionTime,
      lastTransitionTime: condition.lastTransitionTime,
      reason: condition.reason,
      message: condition.message,
    };
  }
  return undefined;
}

/**
 * When a deployment that shows no progress must be looked at again, in milliseconds from now; undefined when there is
 * nothing to wait for. Mirrors requeueStuckDeployment.
 */
export function progressCheckDelay(
  deployment: KubeObject,
  status: Record<string, any>,
  now: number,
): number | undefined {
  const deadline = progressDeadline(deployment);
  const current = findCondition(deployment.status?.conditions, "Progressing");
  if (deadline === undefined || current === undefined) return undefined;
  if (deploymentComplete(deployment, status) || current.reason === "ProgressDeadlineExceeded") return undefined;
  if (current.reason === "NewReplicaSetAvailable") return undefined;
  const after = (parseTime(current.lastUpdateTime) ?? now) + deadline * 1000 - now;
  return Math.max(0, after) + 1000;
}
