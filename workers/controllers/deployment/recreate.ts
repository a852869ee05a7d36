import type { KubeObject } from "../../apimachinery/meta.ts";
import { isPodTerminal } from "../pod-utils.ts";
import { deploymentComplete } from "./deployment-status.ts";
import type { DeploymentSync } from "./deployment-sync.ts";
import { activeReplicaSets, replicasOf, statusCount } from "./rollout-math.ts";

/**
 * One step of a Recreate rollout: all old pods must be gone before the first new one is made. The result is
 * {@link DeploymentSync.syncRolloutStatus}'s. Mirrors pkg/controller/deployment/recreate.go (1.36).
 *
 * @param podsOf the pods that a replica set owns
 */
export async function rolloutRecreate(
  sync: DeploymentSync,
  podsOf: (replicaSet: KubeObject) => KubeObject[],
): Promise<Record<string, any> | undefined> {
  await sync.syncRevision(false);
  let scaledDown = false;
  for (const old of activeReplicaSets(sync.oldReplicaSets)) scaledDown = (await sync.scaleTo(old, 0)) || scaledDown;
  if (scaledDown || oldPodsRunning(sync.oldReplicaSets, podsOf)) return sync.syncRolloutStatus();
  if (sync.newReplicaSet === undefined) await sync.syncRevision(true);
  await sync.scaleTo(sync.newReplicaSet!, replicasOf(sync.deployment));
  if (deploymentComplete(sync.deployment, sync.deployment.status ?? {})) await sync.cleanup();
  return sync.syncRolloutStatus();
}

/** Terminating pods still run. */
function oldPodsRunning(
  oldReplicaSets: readonly KubeObject[],
  podsOf: (replicaSet: KubeObject) => KubeObject[],
): boolean {
  if (statusCount(oldReplicaSets, "replicas") > 0) return true;
  return oldReplicaSets.some((replicaSet) => podsOf(replicaSet).some((pod) => !isPodTerminal(pod)));
}
