import type { KubeObject } from "../apimachinery/meta.ts";
import { completeObject, encodeObject } from "./encode-object.ts";
import { isStorageError, StorageError } from "./errors.ts";
import type { EncodedObject, Storage, StoredObject } from "./interfaces.ts";

/** What must hold of the object that is changed; metav1.Preconditions. */
export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

/** The object does not meet the preconditions. Answered as a conflict. */
export class PreconditionError extends Error {}

export interface GuaranteedUpdateOptions {
  /** A state that may be stale, which saves the read. A failure with it counts only after a fresh read. */
  cached?: StoredObject;
  /** Creates the object when it is not there: `tryUpdate` then gets undefined. */
  ignoreNotFound?: boolean;
  preconditions?: Preconditions;
}

/**
 * Gives the object as it shall become, from the object as it is (a copy of its own, without apiVersion and kind, that it
 * may change). Runs again after each conflict, so it must not have other effects. What it throws ends the update.
 */
export type TryUpdate = (existing: KubeObject | undefined, revision: number) => KubeObject | Promise<KubeObject>;

/**
 * Read, change, compare-and-swap, again on conflict until it is through. An unchanged object is not written.
 * Throws KeyNotFound, PreconditionError, and what `tryUpdate` throws.
 * Mirrors GuaranteedUpdate of k8s.io/apiserver pkg/storage/etcd3/store.go (1.36).
 */
export async function guaranteedUpdate(
  storage: Storage,
  key: string,
  tryUpdate: TryUpdate,
  options: GuaranteedUpdateOptions = {},
): Promise<StoredObject> {
  return retry(storage, key, options, async (existing) => {
    if (existing === undefined && !options.ignoreNotFound) throw new StorageError({ code: "KeyNotFound", key });
    const object = existing === undefined ? undefined : decode(existing);
    if (object !== undefined) checkPreconditions(object, options.preconditions);
    const encoded = encodeObject(await tryUpdate(object, existing?.revision ?? 0));
    if (existing === undefined) return storage.create(key, encoded);
    // With a stale state "nothing to do" may be wrong: the caller's retry reads anew.
    if (completeObject(encoded, existing.revision) === existing.value) return "unchanged";
    return storage.update(key, encoded, existing.revision);
  });
}

/**
 * Removes the object once `validate` (if given) does not throw on its newest state; the tombstone carries that state.
 * Throws KeyNotFound, PreconditionError, and what `validate` throws. Mirrors Delete of the same upstream file.
 */
export async function guaranteedDelete(
  storage: Storage,
  key: string,
  options: Omit<GuaranteedUpdateOptions, "ignoreNotFound"> & {
    validate?: (existing: KubeObject) => void | Promise<void>;
  } = {},
): Promise<StoredObject> {
  return retry(storage, key, options, async (existing) => {
    if (existing === undefined) throw new StorageError({ code: "KeyNotFound", key });
    const object = decode(existing);
    checkPreconditions(object, options.preconditions);
    await options.validate?.(object);
    return storage.delete(key, lastState(existing), existing.revision);
  });
}

/** Throws PreconditionError with upstream's words (k8s.io/apiserver pkg/storage/interfaces.go). */
export function checkPreconditions(object: KubeObject, preconditions: Preconditions | undefined): void {
  const { uid, resourceVersion } = object.metadata;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw new PreconditionError(
      `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid ?? ""}`,
    );
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw new PreconditionError(
      `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ` +
        `ResourceVersion in object meta: ${resourceVersion ?? ""}`,
    );
  }
}

type Attempt = (existing: StoredObject | undefined) => Promise<StoredObject | "unchanged">;

async function retry(
  storage: Storage,
  key: string,
  options: GuaranteedUpdateOptions,
  attempt: Attempt,
): Promise<StoredObject> {
  let fresh = options.cached === undefined;
  let existing = fresh ? await storage.get(key) : options.cached;
  for (;;) {
    try {
      const result = await attempt(existing);
      if (result !== "unchanged") return result;
      if (fresh) return existing!;
    } catch (error) {
      if (isStorageError(error, "RevisionConflict")) {
        existing = error.shape.current ?? (await storage.get(key));
        fresh = true;
        continue;
      }
      if (fresh && !appearedOrVanished(error, existing, key)) throw error;
    }
    existing = await storage.get(key);
    fresh = true;
  }
}

/** Someone created or deleted the object between the read and the write. */
function appearedOrVanished(error: unknown, existing: StoredObject | undefined, key: string): boolean {
  if (existing === undefined) return isStorageError(error, "KeyExists") && error.shape.key === key;
  return isStorageError(error, "KeyNotFound") && error.shape.key === key;
}

function decode(object: StoredObject): KubeObject {
  return JSON.parse(object.value) as KubeObject;
}

function lastState(object: StoredObject): EncodedObject {
  return encodeObject(decode(object));
}
