import type { KubeObject } from "../apimachinery/meta.ts";
import { controllerOf } from "../apimachinery/meta.ts";
import type { SharedInformer } from "../informers/interfaces.ts";

const added = new WeakMap<object, Set<string>>();

/** Adds an index unless another controller that shares the informer has added it. Before start only. */
export function ensureIndex<T extends KubeObject>(
  informer: SharedInformer<T>,
  name: string,
  valuesOf: (object: T) => string[],
): void {
  let names = added.get(informer);
  if (names === undefined) added.set(informer, (names = new Set()));
  if (names.has(name)) return;
  names.add(name);
  informer.addIndex(name, valuesOf);
}

export const controllerUIDIndex = "controllerUID";

/** The value under which objects without a controller are found, for those that adopt. */
export function orphanIndexValue(namespace: string | undefined): string {
  return `_orphan/${namespace ?? ""}`;
}

/** Indexes objects by the uid of their controller, orphans by namespace (pkg/controller/controller_utils.go PodControllerIndexer). */
export function ensureControllerUIDIndex<T extends KubeObject>(informer: SharedInformer<T>): void {
  ensureIndex(informer, controllerUIDIndex, (object) => {
    const reference = controllerOf(object);
    return [reference === undefined ? orphanIndexValue(object.metadata.namespace) : reference.uid];
  });
}
