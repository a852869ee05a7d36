import type { KubeObject } from "../../apimachinery/meta.ts";
import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { podTemplateHashLabel } from "./annotations.ts";
import { byCreation } from "./rollout-math.ts";

/** Whether two pod templates are the same but for the hash label (deployment_util.go EqualIgnoreHash, 1.36). */
export function equalIgnoreHash(left: any, right: any): boolean {
  return semanticEqual(withoutHash(left), withoutHash(right));
}

function withoutHash(template: any): any {
  const { [podTemplateHashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  const { creationTimestamp: _time, ...metadata } = template?.metadata ?? {};
  return { ...template, metadata: { ...metadata, labels } };
}

/** The replica set of the current template: the oldest, if several match. */
export function findNewReplicaSet(deployment: KubeObject, replicaSets: readonly KubeObject[]): KubeObject | undefined {
  return [...replicaSets]
    .sort(byCreation)
    .find((replicaSet) => equalIgnoreHash(replicaSet.spec?.template, deployment.spec?.template));
}

/** All other replica sets. */
export function findOldReplicaSets(
  replicaSets: readonly KubeObject[],
  newReplicaSet: KubeObject | undefined,
): KubeObject[] {
  return replicaSets.filter((replicaSet) => replicaSet.metadata.uid !== newReplicaSet?.metadata.uid);
}
