import type { KubeObject } from "../../apimachinery/meta.ts";
import { maxSurge, replicasOf } from "./rollout-math.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
export const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
export const podTemplateHashLabel = "pod-template-hash";

/** The revision history of a replica set is cut from its old end to stay below this. */
const maxRevisionHistoryCharacters = 2000;

const notCopied = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
]);

/** A missing revision is 0, an unreadable one undefined. */
export function revisionOf(object: KubeObject): number | undefined {
  const text = object.metadata.annotations?.[revisionAnnotation];
  if (text === undefined) return 0;
  return /^-?[0-9]+$/.test(text) ? Number(text) : undefined;
}

export function maxRevision(replicaSets: readonly KubeObject[]): number {
  let highest = 0;
  for (const replicaSet of replicaSets) highest = Math.max(highest, revisionOf(replicaSet) ?? 0);
  return highest;
}

/**
 * The annotations that the newest replica set of a deployment should have: the deployment's own, the revision (never
 * lowered), former revisions when it is rolled back to, and, if it is new, the replica counts.
 * Mirrors pkg/controller/deployment/util/deployment_util.go SetNewReplicaSetAnnotations (1.36).
 */
export function newReplicaSetAnnotations(
  deployment: KubeObject,
  replicaSet: KubeObject,
  newRevision: number,
  exists: boolean,
): Record<string, string> {
  const annotations = { ...replicaSet.metadata.annotations };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!notCopied.has(key)) annotations[key] = value;
  }
  const oldText = annotations[revisionAnnotation];
  const oldRevision = revisionOf(replicaSet) ?? 0;
  if (oldRevision < newRevision) {
    annotations[revisionAnnotation] = String(newRevision);
    if (oldText !== undefined) {
      const history = annotations[revisionHistoryAnnotation];
      annotations[revisionHistoryAnnotation] = appendHistory(history, oldText);
    }
  }
  return exists ? annotations : withReplicasAnnotations(annotations, deployment);
}

function appendHistory(history: string | undefined, revision: string): string {
  const revisions = history ? history.split(",") : [];
  revisions.push(revision);
  while (revisions.length > 1 && revisions.join(",").length > maxRevisionHistoryCharacters) revisions.shift();
  return revisions.join(",");
}

/** Records the deployment's size in a replica set, so that scaling can be told from a rollout. */
export function withReplicasAnnotations(
  annotations: Record<string, string> | undefined,
  deployment: KubeObject,
): Record<string, string> {
  const desired = replicasOf(deployment);
  return {
    ...annotations,
    [desiredReplicasAnnotation]: String(desired),
    [maxReplicasAnnotation]: String(desired + maxSurge(deployment)),
  };
}

export function integerAnnotation(object: KubeObject, key: string): number | undefined {
  const text = object.metadata.annotations?.[key];
  return text !== undefined && /^-?[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** A deployment was resized when an active replica set still carries another desired count. */
export function isScalingEvent(deployment: KubeObject, replicaSets: readonly KubeObject[]): boolean {
  return replicaSets.some((replicaSet) => {
    if (replicasOf(replicaSet) === 0) return false;
    const desired = integerAnnotation(replicaSet, desiredReplicasAnnotation);
    return desired !== undefined && desired !== replicasOf(deployment);
  });
}
