import type { KubeObject } from "../../apimachinery/meta.ts";
import { readyStatus } from "./node-taints.ts";

export type ZoneState = "Normal" | "PartialDisruption" | "FullDisruption";

/** Evictions a second, and when a zone counts as disrupted (kube-controller-manager's defaults). */
export interface ZoneOptions {
  evictionRate: number;
  secondaryEvictionRate: number;
  largeClusterSizeThreshold: number;
  unhealthyZoneThreshold: number;
}

/** Region and zone of a node, as one key. */
export function zoneOf({ metadata }: KubeObject): string {
  const labels = metadata.labels ?? {};
  const region = labels["topology.kubernetes.io/region"] ?? labels["failure-domain.beta.kubernetes.io/region"] ?? "";
  const zone = labels["topology.kubernetes.io/zone"] ?? labels["failure-domain.beta.kubernetes.io/zone"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:\x00:${zone}`;
}

/** Mirrors node_lifecycle_controller.go ComputeZoneState (1.36). */
export function zoneStates(nodes: readonly KubeObject[], options: ZoneOptions): Map<string, ZoneState> {
  const counts = new Map<string, { ready: number; notReady: number }>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const count = counts.get(zone) ?? { ready: 0, notReady: 0 };
    if (readyStatus(node) === "True") count.ready++;
    else count.notReady++;
    counts.set(zone, count);
  }
  const states = new Map<string, ZoneState>();
  for (const [zone, { ready, notReady }] of counts) {
    if (ready === 0 && notReady > 0) states.set(zone, "FullDisruption");
    else if (notReady > 2 && notReady / (ready + notReady) >= options.unhealthyZoneThreshold) {
      states.set(zone, "PartialDisruption");
    } else states.set(zone, "Normal");
  }
  return states;
}

/** Nodes of a zone that may be tainted for eviction in a second. */
export function evictionRate(state: ZoneState, zoneSize: number, options: ZoneOptions): number {
  if (state !== "PartialDisruption") return options.evictionRate;
  return zoneSize > options.largeClusterSizeThreshold ? options.secondaryEvictionRate : 0;
}

/** Takes one node at a time, at the rate of its zone. */
export class EvictionQueue {
  readonly #waiting = new Set<string>();
  #nextAt = 0;

  get size(): number {
    return this.#waiting.size;
  }

  add(nodeName: string): void {
    this.#waiting.add(nodeName);
  }

  remove(nodeName: string): void {
    this.#waiting.delete(nodeName);
  }

  /** The next node whose turn it is now. */
  take(now: number, rate: number): string | undefined {
    if (rate <= 0 || now < this.#nextAt) return undefined;
    const [name] = this.#waiting;
    if (name === undefined) return undefined;
    this.#waiting.delete(name);
    this.#nextAt = now + 1000 / rate;
    return name;
  }
}
