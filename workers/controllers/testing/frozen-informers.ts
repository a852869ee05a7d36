import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { namespacedName } from "../../apimachinery/meta.ts";
import type { SharedInformerFactory } from "../../informers/controller-context.ts";
import { Indexer } from "../../informers/indexer.ts";
import type { SharedInformer } from "../../informers/interfaces.ts";

/** Informers that show given objects and never hear of anything: a cache that lags behind. */
export function frozenInformers(objects: Record<string, KubeObject[]>): SharedInformerFactory {
  const informers = new Map<string, SharedInformer<any>>();
  return {
    forResource<T extends KubeObject>({ resource }: GroupVersionResource): SharedInformer<T> {
      let informer = informers.get(resource);
      if (informer === undefined) {
        const indexer = new Indexer<any>();
        for (const object of objects[resource] ?? []) indexer.set(namespacedName(object), object);
        informer = {
          lister: indexer,
          addEventHandler: () => () => {},
          addIndex: (name, valuesOf) => indexer.addIndex(name, valuesOf),
          hasSynced: () => true,
          waitForSync: async () => {},
          lastSyncResourceVersion: () => "1",
        };
        informers.set(resource, informer);
      }
      return informer;
    },
  };
}
