import { encodeObject } from "../../storage/encode-object.ts";
import { isStorageError } from "../../storage/errors.ts";
import type { Storage } from "../../storage/interfaces.ts";
import { decodeContinue, newExpiredContinue } from "./list-options.ts";

/** How long a list may be continued: as long as history is certainly kept (upstream: etcd's compaction interval). */
const continueMilliseconds = 5 * 60_000;

/** Outside of every type's prefix, so that no list or watch shows it. */
const compactRevisionKey = "/compact_rev_key";

/**
 * When the list that a continue token belongs to began; `now` without one. Throws 410 once that is too long ago. A store
 * that has not changed since then is moved on by one revision, as etcd is by its compaction, so that what continues
 * without consistency tells a revision of its own. Mirrors k8s.io/apiserver pkg/storage/etcd3/compact.go (1.36) in effect.
 */
export async function checkContinue(storage: Storage, token: string, prefix: string, now: number): Promise<number> {
  if (token === "") return now;
  const { revision, after, began = now } = decodeContinue(token, prefix);
  if (revision < 0) return now;
  if (now - began <= continueMilliseconds) return began;
  if ((await storage.currentRevision()) === revision) await moveOn(storage);
  throw newExpiredContinue(prefix, after);
}

async function moveOn(storage: Storage): Promise<void> {
  const value = encodeObject({ apiVersion: "", kind: "", metadata: { name: "compact_rev_key" } });
  const current = await storage.get(compactRevisionKey);
  try {
    await (current === undefined
      ? storage.create(compactRevisionKey, value)
      : storage.update(compactRevisionKey, value, current.revision));
  } catch (error) {
    // Somebody else has just done it.
    if (!isStorageError(error, "KeyExists") && !isStorageError(error, "RevisionConflict")) throw error;
  }
}
