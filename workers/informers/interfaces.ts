import type { KubeObject } from "../apimachinery/meta.ts";

/** Read side of a shared informer's store. Objects are shared: never change one, copy it first (structuredClone). */
export interface Lister<T extends KubeObject = KubeObject> {
  /** All objects, or those of one namespace. */
  list(namespace?: string): T[];
  get(namespace: string | undefined, name: string): T | undefined;
  getByKey(key: string): T | undefined;
  /** Objects by an index added with {@link SharedInformer.addIndex}. */
  byIndex(indexName: string, value: string): T[];
}

export interface ResourceEventHandler<T extends KubeObject = KubeObject> {
  /** `isInInitialList`: replayed at registration or by the first list. */
  onAdd?(object: T, isInInitialList: boolean): void;
  onUpdate?(previous: T, object: T): void;
  /** The last known state; it may be stale when the deletion itself was missed (client-go's DeletedFinalStateUnknown). */
  onDelete?(object: T, finalStateUnknown: boolean): void;
}

export interface SharedInformer<T extends KubeObject = KubeObject> {
  readonly lister: Lister<T>;
  /** Handlers run one at a time and in order, each with its own bounded pending buffer; returns the removal. */
  addEventHandler(handler: ResourceEventHandler<T>, options?: { resyncMilliseconds?: number }): () => void;
  /** Before start only. */
  addIndex(name: string, valuesOf: (object: T) => string[]): void;
  hasSynced(): boolean;
  /** Resolves after the first complete list has reached the store and all handlers. */
  waitForSync(): Promise<void>;
  /** The newest resourceVersion that has been seen, "" before the first list. */
  lastSyncResourceVersion(): string;
}
