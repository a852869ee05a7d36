import { formatTime } from "../../apimachinery/clock.ts";

/** Condition types and reasons of Deployments (pkg/controller/deployment/util/deployment_util.go, 1.36). */
export type DeploymentConditionType = "Progressing" | "Available" | "ReplicaFailure";

export type DeploymentConditionReason =
  | "ReplicaSetUpdated"
  | "ReplicaSetCreateError"
  | "NewReplicaSetCreated"
  | "FoundNewReplicaSet"
  | "NewReplicaSetAvailable"
  | "ProgressDeadlineExceeded"
  | "DeploymentPaused"
  | "DeploymentResumed"
  | "MinimumReplicasAvailable"
  | "MinimumReplicasUnavailable";

export interface DeploymentCondition {
  type: DeploymentConditionType;
  status: "True" | "False" | "Unknown";
  lastUpdateTime: string;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

export function newDeploymentCondition(
  type: DeploymentConditionType,
  status: DeploymentCondition["status"],
  reason: DeploymentConditionReason,
  message: string,
  now: number,
): DeploymentCondition {
  const time = formatTime(now);
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

export function findCondition(
  conditions: readonly DeploymentCondition[] | undefined,
  type: DeploymentConditionType,
): DeploymentCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function withoutCondition(
  conditions: readonly DeploymentCondition[],
  type: DeploymentConditionType,
): DeploymentCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}

/**
 * Puts a condition at the end in place of the one of its type. The same status and reason change nothing (not even the
 * message or times); the same status keeps its transition time.
 */
export function withCondition(
  conditions: readonly DeploymentCondition[],
  condition: DeploymentCondition,
): DeploymentCondition[] {
  const current = findCondition(conditions, condition.type);
  if (current?.status === condition.status && current.reason === condition.reason) return [...conditions];
  const next =
    current?.status === condition.status ? { ...condition, lastTransitionTime: current.lastTransitionTime } : condition;
  return [...withoutCondition(conditions, condition.type), next];
}
