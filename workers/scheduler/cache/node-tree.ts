import type { Node } from "../framework/pod-info.ts";

/** Node names by zone, listed alternating between zones. Mirrors scheduler/backend/cache/node_tree.go (1.36). */
export class NodeTree {
  readonly #zones = new Map<string, Set<string>>();
  readonly #zoneOf = new Map<string, string>();

  get size(): number {
    return this.#zoneOf.size;
  }

  /** True if the order of {@link list} changed. */
  addOrUpdate(node: Node): boolean {
    const name = node.metadata.name ?? "";
    const zone = zoneKey(node);
    const known = this.#zoneOf.get(name);
    if (known === zone) return false;
    if (known !== undefined) this.remove(name);
    const names = this.#zones.get(zone) ?? new Set<string>();
    names.add(name);
    this.#zones.set(zone, names);
    this.#zoneOf.set(name, zone);
    return true;
  }

  remove(name: string): boolean {
    const zone = this.#zoneOf.get(name);
    if (zone === undefined) return false;
    this.#zoneOf.delete(name);
    const names = this.#zones.get(zone)!;
    names.delete(name);
    if (names.size === 0) this.#zones.delete(zone);
    return true;
  }

  list(): string[] {
    const names: string[] = [];
    let iterators = [...this.#zones.values()].map((zone) => zone.values());
    while (iterators.length > 0) {
      iterators = iterators.filter((iterator) => {
        const next = iterator.next();
        if (next.done === true) return false;
        names.push(next.value);
        return true;
      });
    }
    return names;
  }
}

function zoneKey(node: Node): string {
  const labels = node.metadata.labels ?? {};
  const region = labels["topology.kubernetes.io/region"] ?? labels["failure-domain.beta.kubernetes.io/region"] ?? "";
  const zone = labels["topology.kubernetes.io/zone"] ?? labels["failure-domain.beta.kubernetes.io/zone"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:\0:${zone}`;
}
