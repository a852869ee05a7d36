import type { OwnerReference } from "../../apimachinery/meta.ts";

/** The coordinates of an object and its uid. `namespace` is "" for cluster-scoped objects. */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

export function referenceOf(owner: OwnerReference, namespace: string): ObjectReference {
  const { apiVersion, kind, name, uid } = owner;
  return { apiVersion, kind, namespace, name, uid };
}

/** A key that is the same for equal references. */
export function referenceKey({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return `${apiVersion}|${kind}|${namespace}|${name}|${uid}`;
}

/** Whether an owner reference names this object rightly, but for the namespace. */
export function matchesCoordinates(owner: OwnerReference, object: ObjectReference): boolean {
  return (
    owner.uid === object.uid &&
    owner.name === object.name &&
    owner.kind === object.kind &&
    owner.apiVersion === object.apiVersion
  );
}

/** As events print it. */
export function formatReference({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

/** The last `limit` references that were found absent; older ones are forgotten and asked for again. */
export class ReferenceCache {
  readonly #limit: number;
  readonly #keys = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(reference: ObjectReference): void {
    const key = referenceKey(reference);
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size > this.#limit) this.#keys.delete(this.#keys.values().next().value!);
  }

  has(reference: ObjectReference): boolean {
    return this.#keys.has(referenceKey(reference));
  }
}
