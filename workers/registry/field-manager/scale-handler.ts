import { apiVersionOf } from "../../apimachinery/gvk.ts";
import type { ManagedFieldsEntry } from "../../apimachinery/meta.ts";
import { difference, has, isEmpty, setOf } from "../../apimachinery/structured-merge/field-set.ts";
import { fieldElement } from "../../apimachinery/structured-merge/path-element.ts";
import type { PathElement } from "../../apimachinery/structured-merge/path-element.ts";
import type { ManagedSet } from "../../apimachinery/structured-merge/updater.ts";
import { catalog } from "../../apis/catalog.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { decodeManagedFields, encodeManagedFields } from "./managed-fields.ts";

const scaleApiVersion = "autoscaling/v1";
const replicasOfScale = ["f:spec", "f:replicas"];

/** Path of the replicas by apiVersion of the parent. null for a version without scale subresource. */
export type ReplicasPaths = ReadonlyMap<string, PathElement[] | null>;

/** The owners of a parent's replicas as managedFields of its Scale. Mirrors k8s.io/apimachinery pkg/util/managedfields/scalehandler.go (1.36). */
export function scaleManagedFields(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const managed = decodeManagedFields(parent);
  const managers = new Map<string, ManagedSet>();
  for (const [identifier, { set, apiVersion, applied }] of managed.managers) {
    const path = paths.get(apiVersion);
    if (!path || !has(set, path)) continue;
    managers.set(identifier, { set: setOf(replicasOfScale), apiVersion: scaleApiVersion, applied });
  }
  return encodeManagedFields({ managers, times: managed.times });
}

/** The parent's managedFields after a write through scale, from those of the Scale that was written. */
export function parentManagedFields(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const before = decodeManagedFields(parent);
  const after = decodeManagedFields(scale);
  const managers = new Map<string, ManagedSet>();
  const times = new Map<string, string | undefined>();
  const left = new Map(after.managers);
  for (const [identifier, managed] of before.managers) {
    const path = paths.get(managed.apiVersion);
    if (path === undefined) continue;
    let kept = managed.set;
    if (path !== null && has(managed.set, path)) {
      if (left.has(identifier)) left.delete(identifier);
      else kept = difference(managed.set, setOf(path));
    }
    if (isEmpty(kept)) continue;
    managers.set(identifier, kept === managed.set ? managed : { ...managed, set: kept });
    times.set(identifier, before.times.get(identifier));
  }
  for (const [identifier, { set, applied }] of left) {
    const path = paths.get(apiVersion);
    if (!path || !has(set, replicasOfScale)) continue;
    managers.set(identifier, { set: setOf(path), apiVersion, applied });
    times.set(identifier, before.times.get(identifier) ?? after.times.get(identifier));
  }
  return encodeManagedFields({ managers, times });
}

/** Where each served version of a resource has the replicas that its Scale shows. */
export function replicasPathsOf(resource: ResourceInfo): ReplicasPaths {
  const { group, custom } = resource;
  if (custom !== undefined) {
    const path = custom.scale === undefined ? null : custom.scale.specReplicas.map(fieldElement);
    return new Map([[apiVersionOf(resource), path]]);
  }
  return new Map(catalog.versionsOf(group, resource.resource).map((info) => [apiVersionOf(info), replicasOfScale]));
}
