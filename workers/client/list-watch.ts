import type { GroupVersionResource } from "../apimachinery/gvk.ts";
import type { KubeList, KubeObject } from "../apimachinery/meta.ts";
import type { Client, ListOptions, Watch, WatchOptions } from "./interfaces.ts";

/** Lists and watches one set of objects; what a reflector needs. */
export interface ListWatch<T extends KubeObject = KubeObject> {
  list(options: ListOptions): Promise<KubeList<T>>;
  watch(options: WatchOptions): Promise<Watch<T>>;
}

/** Narrows a set of objects. */
export interface ListWatchScope {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

export function newListWatch<T extends KubeObject>(
  client: Client,
  gvr: GroupVersionResource,
  scope: ListWatchScope = {},
): ListWatch<T> {
  const { namespace, ...selectors } = scope;
  return {
    list: (options) => client.list<T>(gvr, namespace, { ...selectors, ...options }),
    watch: (options) => client.watch<T>(gvr, namespace, { ...selectors, ...options }),
  };
}
