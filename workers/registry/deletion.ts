import { formatTime } from "../apimachinery/clock.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import type { DeleteOptions } from "./options.ts";
import type { Strategy } from "./strategy.ts";

/**
 * The rules of graceful deletion and of the garbage collector's finalizers.
 * Mirrors k8s.io/apiserver pkg/registry/rest/delete.go and registry/generic/registry/store.go (1.36).
 */

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

/**
 * Marks `object` for graceful deletion where the strategy has one. `pending`: it is already being deleted and nothing
 * changes; `graceful`: marked (options.gracePeriodSeconds says how long); `immediate`: not graceful.
 */
export function beforeDelete(
  object: KubeObject,
  options: DeleteOptions,
  strategy: Strategy,
  now: number,
): "pending" | "graceful" | "immediate" {
  if (strategy.gracePeriodSeconds === undefined) return "immediate";
  const metadata = object.metadata;
  if (options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0) options.gracePeriodSeconds = 1;
  if (metadata.deletionTimestamp !== undefined) {
    const current = metadata.deletionGracePeriodSeconds;
    if (current === undefined || current === 0) return "immediate";
    // Only a shorter period may be asked for.
    if (options.gracePeriodSeconds === undefined || options.gracePeriodSeconds >= current) return "pending";
    const begun = Date.parse(metadata.deletionTimestamp) - current * 1_000;
    metadata.deletionTimestamp = formatTime(begun + options.gracePeriodSeconds * 1_000);
    metadata.deletionGracePeriodSeconds = options.gracePeriodSeconds;
    return "graceful";
  }
  const seconds = strategy.gracePeriodSeconds(object, options);
  if (seconds === undefined) return "immediate";
  options.gracePeriodSeconds = seconds;
  metadata.deletionTimestamp = formatTime(now + seconds * 1_000);
  metadata.deletionGracePeriodSeconds = seconds;
  if (metadata.generation !== undefined && metadata.generation > 0) metadata.generation++;
  return "graceful";
}

/** Deletion that waits only for finalizers. */
export function markAsDeleting(object: KubeObject, now: number): void {
  const metadata = object.metadata;
  if (metadata.deletionTimestamp === undefined && metadata.generation !== undefined && metadata.generation > 0) {
    metadata.generation++;
  }
  if (metadata.deletionTimestamp === undefined || Date.parse(metadata.deletionTimestamp) > now) {
    metadata.deletionTimestamp = formatTime(now);
  }
  metadata.deletionGracePeriodSeconds = 0;
}

/** The object's finalizers with those of the garbage collector as the deletion asks. */
export function collectionFinalizers(object: KubeObject, options: DeleteOptions, orphansByDefault: boolean): string[] {
  const present = object.metadata.finalizers ?? [];
  const orphan = shouldOrphan(present, options, orphansByDefault);
  const foreground = shouldDeleteDependents(present, options);
  const others = present.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  if (orphan) others.push(orphanFinalizer);
  if (foreground) others.push(foregroundFinalizer);
  return others;
}

function shouldOrphan(present: string[], options: DeleteOptions, byDefault: boolean): boolean {
  if (options.orphanDependents !== undefined) return options.orphanDependents;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === "Orphan";
  if (present.includes(orphanFinalizer)) return true;
  return !present.includes(foregroundFinalizer) && byDefault;
}

function shouldDeleteDependents(present: string[], options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return false;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === "Foreground";
  return present.includes(foregroundFinalizer);
}

/** An update that takes the last finalizer off an object being deleted is its deletion. */
export function shouldDeleteDuringUpdate(
  object: KubeObject,
  previous: KubeObject,
  strategy: Strategy,
  now: number,
): boolean {
  if ((object.metadata.finalizers?.length ?? 0) > 0) return false;
  if (previous.metadata.deletionTimestamp === undefined) return false;
  if ((previous.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return strategy.terminate?.(structuredClone(object), now) !== true;
}
