import type { KubeObject, ManagedFieldsEntry } from "../../apimachinery/meta.ts";
import { deepEqual } from "../../apimachinery/deep-equal.ts";

/**
 * When nothing but times in managedFields differs, the previous times, so that a write without effect stays one.
 * Mirrors k8s.io/apimachinery pkg/util/managedfields IgnoreManagedFieldsTimestampsTransformer (1.36).
 */
export function ignoreManagedFieldsTimestamps(object: KubeObject, previous: KubeObject): KubeObject {
  const entries = object.metadata.managedFields ?? [];
  const before = previous.metadata.managedFields ?? [];
  if (entries.length !== before.length || entries.length === 0) return object;
  if (!entries.every((entry, index) => sameButTime(entry, before[index]!))) return object;
  const strip = ({
    metadata: { managedFields: _managed, resourceVersion: _version, ...metadata },
    ...rest
  }: KubeObject) => ({ ...rest, metadata });
  if (!deepEqual(strip(object), strip(previous))) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: before } };
}

function sameButTime({ time: _a, ...entry }: ManagedFieldsEntry, { time: _b, ...before }: ManagedFieldsEntry): boolean {
  return entry.manager === before.manager && entry.subresource === before.subresource && deepEqual(entry, before);
}
