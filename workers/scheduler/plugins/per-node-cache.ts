import type { NodeInfo } from "../framework/node-info.ts";

/**
 * Values that depend on a pod's shape (the key) and on one node: computed again only when the node's generation has
 * changed, so that a run of like pods costs one node each and not all. Keeps the most recently used keys.
 */
export class PerNodeCache<V> {
  readonly #limit: number;
  readonly #byKey = new Map<string, WeakMap<NodeInfo, { generation: number; value: V }>>();

  constructor(limit = 128) {
    this.#limit = limit;
  }

  /** Reads through the cache for one key; nodes must be the cache's own, not dry-run clones. */
  reader(key: string, compute: (node: NodeInfo) => V): (node: NodeInfo) => V {
    const nodes = this.#byKey.get(key) ?? new WeakMap<NodeInfo, { generation: number; value: V }>();
    this.#byKey.delete(key);
    this.#byKey.set(key, nodes);
    if (this.#byKey.size > this.#limit) {
      for (const oldest of this.#byKey.keys()) {
        this.#byKey.delete(oldest);
        break;
      }
    }
    return (node) => {
      const known = nodes.get(node);
      if (known !== undefined && known.generation === node.generation) return known.value;
      const value = compute(node);
      nodes.set(node, { generation: node.generation, value });
      return value;
    };
  }
}
