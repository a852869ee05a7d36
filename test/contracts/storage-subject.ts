import type { KubeObject } from "../../workers/apimachinery/meta.ts";
import { encodeObject } from "../../workers/storage/encode-object.ts";
import type { EncodedObject, ListResult, Storage, StorageErrorShape } from "../../workers/storage/interfaces.ts";
import { ordinal } from "../support/revisions.ts";

/** One empty store and what a test may do to it from outside. */
export interface StorageContractSubject {
  storage: Storage;
  /** Makes the store forget what was before `revision`, wherever it keeps history. */
  compact(revision: number): Promise<void>;
}

export interface StorageCapabilities {
  /** Without it, the suite checks instead that `watch` says so. */
  watch: boolean;
}

export const things = "/registry/things/";

/** An object with something to tell its versions apart. */
export function thing(name: string, value: unknown = 0, uid = `uid-${name}`): EncodedObject {
  const [namespace, ownName] = name.includes("/") ? name.split("/") : [undefined, name];
  const object: KubeObject = { metadata: { name: ownName, namespace, uid, resourceVersion: "77" }, value };
  return encodeObject({ apiVersion: "v1", kind: "Thing", ...object });
}

/** The objects of a list as `name@n`, written by the nth change. */
export async function names(list: ListResult): Promise<string[]> {
  const objects = JSON.parse(`[${await list.text()}]`) as KubeObject[];
  return objects.map(({ metadata }) => `${metadata.name}@${ordinal(metadata.resourceVersion!)}`);
}

export async function failure(promise: Promise<unknown>): Promise<StorageErrorShape> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Error && "shape" in error) return error.shape as StorageErrorShape;
  throw new Error(`expected a StorageError, got ${String(error)}`);
}
