import { deploymentComplete } from "./deployment-status.ts";
import type { DeploymentSync } from "./deployment-sync.ts";
import {
  activeReplicaSets,
  byCreation,
  maxUnavailable,
  newReplicaSetReplicas,
  replicaCount,
  replicasOf,
  statusCount,
} from "./rollout-math.ts";

/**
 * One step of a rolling update: grow the new replica set as far as the surge allows, else shrink the old ones as far as
 * availability allows. The result is {@link DeploymentSync.syncRolloutStatus}'s.
 * Mirrors pkg/controller/deployment/rolling.go (1.36).
 */
export async function rolloutRolling(sync: DeploymentSync): Promise<Record<string, any> | undefined> {
  await sync.syncRevision(true);
  const moved = (await reconcileNewReplicaSet(sync)) || (await reconcileOldReplicaSets(sync));
  if (!moved && deploymentComplete(sync.deployment, sync.deployment.status ?? {})) await sync.cleanup();
  return sync.syncRolloutStatus();
}

async function reconcileNewReplicaSet(sync: DeploymentSync): Promise<boolean> {
  const newReplicaSet = sync.newReplicaSet!;
  const current = replicasOf(newReplicaSet);
  const desired = replicasOf(sync.deployment);
  if (current === desired) return false;
  const size = current > desired ? desired : newReplicaSetReplicas(sync.deployment, sync.allReplicaSets, current);
  return sync.scaleTo(newReplicaSet, size);
}

async function reconcileOldReplicaSets(sync: DeploymentSync): Promise<boolean> {
  if (replicaCount(activeReplicaSets(sync.oldReplicaSets)) === 0) return false;
  const newReplicaSet = sync.newReplicaSet!;
  const minAvailable = replicasOf(sync.deployment) - maxUnavailable(sync.deployment);
  // New pods that are not available yet count as lost already: old ones may not go on their account.
  const newUnavailable = replicasOf(newReplicaSet) - (newReplicaSet.status?.availableReplicas ?? 0);
  const maxScaledDown = replicaCount(sync.allReplicaSets) - minAvailable - newUnavailable;
  if (maxScaledDown <= 0) return false;
  const cleaned = await cleanupUnhealthyReplicas(sync, maxScaledDown);
  const scaledDown = await scaleDownOldReplicaSets(sync, minAvailable, maxScaledDown - cleaned);
  return cleaned + scaledDown > 0;
}

/** Old pods that are not available go first: they protect nothing and would block the rollout. */
async function cleanupUnhealthyReplicas(sync: DeploymentSync, maxCleanup: number): Promise<number> {
  let total = 0;
  for (const old of activeReplicaSets(sync.oldReplicaSets).sort(byCreation)) {
    if (total >= maxCleanup) break;
    const unhealthy = replicasOf(old) - (old.status?.availableReplicas ?? 0);
    if (unhealthy <= 0) continue;
    const count = Math.min(maxCleanup - total, unhealthy);
    await sync.scaleTo(old, replicasOf(old) - count);
    total += count;
  }
  return total;
}

/**
 * `limit` is what the wanted sizes allow. With a fresh status it never binds; it does (other than upstream) when the
 * status of an old replica set still counts pods that were given up before.
 */
async function scaleDownOldReplicaSets(sync: DeploymentSync, minAvailable: number, limit: number): Promise<number> {
  const spare = Math.min(limit, statusCount(sync.allReplicaSets, "availableReplicas") - minAvailable);
  let total = 0;
  for (const old of activeReplicaSets(sync.oldReplicaSets).sort(byCreation)) {
    if (total >= spare) break;
    const count = Math.min(replicasOf(old), spare - total);
    await sync.scaleTo(old, replicasOf(old) - count);
    total += count;
  }
  return total;
}
