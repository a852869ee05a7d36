import type { GroupVersionResource } from "../apimachinery/gvk.ts";
import type { KubeObject, OwnerReference } from "../apimachinery/meta.ts";
import { controllerOf } from "../apimachinery/meta.ts";
import type { LabelSelector } from "../apimachinery/labels.ts";
import { isInvalid, isNotFound } from "../apimachinery/status-errors.ts";
import type { Client } from "../client/interfaces.ts";

export interface OwnerKind {
  gvr: GroupVersionResource;
  apiVersion: string;
  kind: string;
}

/** The reference with which a controller owns what it makes. */
export function newControllerRef(owner: KubeObject, kind: { apiVersion: string; kind: string }): OwnerReference {
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name: owner.metadata.name!,
    uid: owner.metadata.uid!,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/**
 * Reconciles ownership of objects with a controller's selector: keeps what it owns and selects, releases what it owns
 * and no longer selects, adopts matching orphans (after a live read proves that the controller is not being deleted).
 * Gives the objects that are now owned. Sends nothing when there is nothing to change.
 * Mirrors pkg/controller/controller_ref_manager.go (1.36).
 */
export async function claimObjects<T extends KubeObject>(
  client: Client,
  owner: KubeObject,
  ownerKind: OwnerKind,
  selector: LabelSelector,
  resource: GroupVersionResource,
  candidates: readonly T[],
): Promise<T[]> {
  const claimed: T[] = [];
  let canAdopt: Promise<void> | undefined;
  const errors: unknown[] = [];
  for (const object of candidates) {
    const reference = controllerOf(object);
    if (reference !== undefined) {
      if (reference.uid !== owner.metadata.uid) continue;
      if (selector.matches(object.metadata.labels)) {
        claimed.push(object);
      } else if (owner.metadata.deletionTimestamp === undefined) {
        await release(client, owner, resource, object).catch((error: unknown) => errors.push(error));
      }
      continue;
    }
    if (owner.metadata.deletionTimestamp !== undefined || !selector.matches(object.metadata.labels)) continue;
    if (object.metadata.deletionTimestamp !== undefined) continue;
    if (object.metadata.namespace !== owner.metadata.namespace) continue;
    try {
      await (canAdopt ??= recheckDeletionTimestamp(client, owner, ownerKind));
      claimed.push(await adopt(client, owner, ownerKind, resource, object));
    } catch (error) {
      if (!isNotFound(error)) errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return claimed;
}

async function recheckDeletionTimestamp(client: Client, owner: KubeObject, ownerKind: OwnerKind): Promise<void> {
  const { namespace, name, uid } = owner.metadata;
  const fresh = await client.get(ownerKind.gvr, namespace, name!);
  if (fresh.metadata.uid !== uid) {
    throw new Error(
      `original ${ownerKind.kind} ${namespace}/${name} is gone: got uid ${fresh.metadata.uid}, wanted ${uid}`,
    );
  }
  if (fresh.metadata.deletionTimestamp !== undefined) {
    throw new Error(`${namespace}/${name} has just been deleted at ${fresh.metadata.deletionTimestamp}`);
  }
}

async function adopt<T extends KubeObject>(
  client: Client,
  owner: KubeObject,
  ownerKind: OwnerKind,
  resource: GroupVersionResource,
  object: T,
): Promise<T> {
  const patch = { metadata: { ownerReferences: [newControllerRef(owner, ownerKind)], uid: object.metadata.uid } };
  const { namespace, name } = object.metadata;
  return client.patch<T>(resource, namespace, name!, "application/strategic-merge-patch+json", patch);
}

async function release(
  client: Client,
  owner: KubeObject,
  resource: GroupVersionResource,
  object: KubeObject,
): Promise<void> {
  const patch = {
    metadata: {
      ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }],
      uid: object.metadata.uid,
    },
  };
  const { namespace, name } = object.metadata;
  try {
    await client.patch(resource, namespace, name!, "application/strategic-merge-patch+json", patch);
  } catch (error) {
    // Gone, or its uid differs: either way it is no longer this controller's.
    if (!isNotFound(error) && !isInvalid(error)) throw error;
  }
}
