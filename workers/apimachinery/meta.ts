/** metav1.TypeMeta */
export interface TypeMeta {
  apiVersion?: string;
  kind?: string;
}

/** metav1.OwnerReference */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** metav1.ManagedFieldsEntry */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: "FieldsV1";
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** metav1.ObjectMeta. Times are RFC 3339 strings. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any API object in its JSON form. Treated as immutable once it is in a cache, a queue or a response. */
export interface KubeObject extends TypeMeta {
  metadata: ObjectMeta;
  spec?: any;
  status?: any;
  [field: string]: any;
}

/** metav1.ListMeta */
export interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

export interface KubeList<T = KubeObject> extends TypeMeta {
  metadata: ListMeta;
  items: T[];
}

/** A typed view of an object whose metadata is known to be there. */
export type WithMeta<T> = Omit<T, "metadata"> & { metadata: ObjectMeta };

/** `namespace/name`, or `name` for cluster-scoped objects (client-go's MetaNamespaceKeyFunc). */
export function namespacedName(object: { metadata?: { namespace?: string; name?: string } }): string {
  const { namespace, name } = object.metadata ?? {};
  return namespace ? `${namespace}/${name ?? ""}` : (name ?? "");
}

/** Inverse of {@link namespacedName}. */
export function splitNamespacedName(key: string): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { namespace: "", name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The owner reference that has `controller: true`, if any. */
export function controllerOf(object: {
  metadata?: { ownerReferences?: OwnerReference[] };
}): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}
