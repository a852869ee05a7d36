import { invalid } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { nonnegative, numberOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

/**
 * Counts in the status of a workload: none negative, none above the replicas. Mirrors the status checks of
 * pkg/apis/apps/validation and pkg/apis/core/validation (1.36).
 */
function counts(all: readonly string[], bounded: readonly string[], readyDetail: string) {
  return (object: KubeObject, previous: KubeObject, causes: Causes): void => {
    const status = object.status ?? {};
    for (const field of all) nonnegative(status[field], `status.${field}`, causes);
    const replicas = numberOf(status.replicas);
    for (const field of bounded) {
      if (numberOf(status[field]) > replicas) {
        causes.push(invalid(`status.${field}`, status[field], "cannot be greater than status.replicas"));
      }
    }
    if (bounded.includes("availableReplicas") && numberOf(status.availableReplicas) > numberOf(status.readyReplicas)) {
      causes.push(invalid("status.availableReplicas", status.availableReplicas, readyDetail));
    }
    if (numberOf(status.collisionCount) < numberOf(previous.status?.collisionCount)) {
      causes.push(invalid("status.collisionCount", numberOf(status.collisionCount), "cannot be decremented"));
    }
  };
}

export const validateDeploymentStatusUpdate = counts(
  [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "collisionCount",
  ],
  ["updatedReplicas", "readyReplicas", "availableReplicas"],
  "cannot be greater than readyReplicas",
);

export const validateReplicaSetStatusUpdate = counts(
  ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"],
  ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  "cannot be greater than readyReplicas",
);

export const validateStatefulSetStatusUpdate = counts(
  [
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  ],
  ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
  "cannot be greater than status.readyReplicas",
);

export const validateDaemonSetStatusUpdate = counts(
  [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ],
  [],
  "",
);
