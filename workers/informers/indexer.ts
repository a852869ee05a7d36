import type { KubeObject } from "../apimachinery/meta.ts";
import { namespacedName } from "../apimachinery/meta.ts";
import type { Lister } from "./interfaces.ts";

export type IndexFunc<T> = (object: T) => string[];

interface Index<T> {
  valuesOf: IndexFunc<T>;
  /** value → key → object */
  entries: Map<string, Map<string, T>>;
}

const namespaceIndex = "namespace";

/**
 * Objects by key, with indices that are kept up at each change; one by namespace is always there. The counterpart of
 * client-go tools/cache/thread_safe_store.go (1.36).
 */
export class Indexer<T extends KubeObject = KubeObject> implements Lister<T> {
  readonly #objects = new Map<string, T>();
  readonly #indices = new Map<string, Index<T>>();

  constructor() {
    this.addIndex(namespaceIndex, (object) => [object.metadata.namespace ?? ""]);
  }

  /** Replaces an index of the same name; objects that are there are indexed at once. */
  addIndex(name: string, valuesOf: IndexFunc<T>): void {
    const index: Index<T> = { valuesOf, entries: new Map() };
    this.#indices.set(name, index);
    for (const [key, object] of this.#objects) insert(index, key, object);
  }

  set(key: string, object: T): void {
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indices.values()) {
      if (previous !== undefined) remove(index, key, previous);
      insert(index, key, object);
    }
  }

  delete(key: string): void {
    const previous = this.#objects.get(key);
    if (previous === undefined) return;
    this.#objects.delete(key);
    for (const index of this.#indices.values()) remove(index, key, previous);
  }

  get size(): number {
    return this.#objects.size;
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  list(namespace?: string): T[] {
    return namespace === undefined ? [...this.#objects.values()] : this.byIndex(namespaceIndex, namespace);
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#objects.get(namespace ? `${namespace}/${name}` : name);
  }

  getByKey(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** Throws for an index that was not added. */
  byIndex(indexName: string, value: string): T[] {
    const index = this.#indices.get(indexName);
    if (index === undefined) throw new Error(`Index with name ${indexName} does not exist`);
    return [...(index.entries.get(value)?.values() ?? [])];
  }
}

export function keyOf(object: KubeObject): string {
  return namespacedName(object);
}

function insert<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.valuesOf(object)) {
    let entries = index.entries.get(value);
    if (entries === undefined) index.entries.set(value, (entries = new Map()));
    entries.set(key, object);
  }
}

function remove<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.valuesOf(object)) {
    const entries = index.entries.get(value);
    if (entries === undefined) continue;
    entries.delete(key);
    if (entries.size === 0) index.entries.delete(value);
  }
}
