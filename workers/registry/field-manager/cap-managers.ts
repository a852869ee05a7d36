import { union } from "../../apimachinery/structured-merge/field-set.ts";
import type { ManagedSet } from "../../apimachinery/structured-merge/updater.ts";
import { managerIdentifier } from "./managed-fields.ts";
import type { Managed } from "./managed-fields.ts";

export const maxUpdateManagers = 10;
const oldUpdatesManager = "ancient-changes";

/**
 * Merges the oldest Update entries of each version into one named "ancient-changes" while there are more than ten.
 * Mirrors k8s.io/apimachinery pkg/util/managedfields/internal/capmanagers.go (1.36).
 */
export function capUpdateManagers(managed: Managed, limit = maxUpdateManagers): Managed {
  const updaters = [...managed.managers.keys()].filter((identifier) => !managed.managers.get(identifier)!.applied);
  if (updaters.length <= limit) return managed;
  const managers = new Map<string, ManagedSet>(managed.managers);
  const times = new Map(managed.times);
  const timeOf = (identifier: string) => times.get(identifier) ?? "";
  updaters.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : a < b ? -1 : 1));
  const firstOfVersion = new Map<string, string>();
  let left = updaters.length;
  for (const identifier of updaters) {
    if (left <= limit) break;
    const oldest = managers.get(identifier)!;
    const { apiVersion } = oldest;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, identifier);
      continue;
    }
    const bucket = managerIdentifier({ manager: oldUpdatesManager, operation: "Update", apiVersion });
    if (!managers.has(bucket)) {
      managers.set(bucket, managers.get(first)!);
      managers.delete(first);
    }
    managers.set(bucket, { ...oldest, set: union(oldest.set, managers.get(bucket)!.set) });
    if (identifier !== bucket) managers.delete(identifier);
    left--;
    // The younger of the two.
    times.set(bucket, timeOf(identifier) || undefined);
  }
  return { ...managed, managers, times };
}
