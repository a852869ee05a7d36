import type { KubeObject } from "../../apimachinery/meta.ts";
import type { CycleState } from "../framework/cycle-state.ts";
import type { ClusterEventWithHint } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import type { Handle, Plugin, PreFilterOutcome } from "../framework/interface.ts";
import { maxNodeScore } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { skip, unresolvable, unschedulable } from "../framework/status.ts";
import { names } from "./names.ts";
import { RequiredNodeAffinity } from "./node-selector.ts";
import { PerNodeCache } from "./per-node-cache.ts";
import type { SpreadConstraint } from "./spread-constraints.ts";
import {
  countMatching,
  defaultSpreadConstraints,
  hasTopologyKeys,
  hostnameLabel,
  includesNode,
  spreadConstraints,
} from "./spread-constraints.ts";

const filterKey = `PreFilter${names.podTopologySpread}`;
const scoreKey = `PreScore${names.podTopologySpread}`;
const mismatch = "node(s) didn't match pod topology spread constraints";

class FilterState {
  readonly constraints: readonly SpreadConstraint[];
  readonly required: RequiredNodeAffinity;
  /** Matching pods by domain, for each constraint. */
  readonly counts: readonly Map<string, number>[];
  /** The smallest count of each constraint; undefined when it has to be found again. */
  readonly minimums: (number | undefined)[];

  constructor(
    constraints: readonly SpreadConstraint[],
    required: RequiredNodeAffinity,
    counts: readonly Map<string, number>[],
  ) {
    this.constraints = constraints;
    this.required = required;
    this.counts = counts;
    this.minimums = counts.map(() => undefined);
  }

  /** 0 while there are fewer domains than the constraint wants. */
  minimum(index: number): number {
    const counts = this.counts[index]!;
    if (counts.size < this.constraints[index]!.minDomains) return 0;
    let min = this.minimums[index];
    if (min === undefined) {
      min = Infinity;
      for (const count of counts.values()) if (count < min) min = count;
      this.minimums[index] = min;
    }
    return min === Infinity ? 0 : min;
  }

  clone(): FilterState {
    return new FilterState(
      this.constraints,
      this.required,
      this.counts.map((counts) => new Map(counts)),
    );
  }
}

interface ScoreState {
  constraints: readonly SpreadConstraint[];
  ignored: ReadonlySet<NodeInfo>;
  counts: readonly Map<string, number>[];
  countOn: readonly ((node: NodeInfo) => number)[];
  weights: readonly number[];
}

/** Spreads like pods over domains, by force or by preference. Mirrors plugins/podtopologyspread (1.36). */
export class PodTopologySpread implements Plugin {
  readonly name = names.podTopologySpread;
  readonly #handle: Pick<Handle, "snapshot" | "defaultSelectors">;
  readonly #cache = new PerNodeCache<number>();
  readonly #skip = skip(names.podTopologySpread);
  readonly #mismatch = unschedulable(names.podTopologySpread, mismatch);
  readonly #missingLabel = unresolvable(names.podTopologySpread, `${mismatch} (missing required label)`);

  constructor(handle: Pick<Handle, "snapshot" | "defaultSelectors">) {
    this.#handle = handle;
  }

  eventsToRegister(): ClusterEventWithHint[] {
    return [
      {
        event: { resource: "AssignedPod", action: Action.Add | Action.UpdatePodLabel | Action.Delete },
        hint: (pod, previous, current) => {
          const constraints = spreadConstraints(pod.pod, "DoNotSchedule");
          const counts = (other: KubeObject | undefined) =>
            other !== undefined &&
            (other.metadata.namespace ?? "") === pod.namespace &&
            constraints.some(({ selector }) => selector.matches(other.metadata.labels));
          return counts(previous) || counts(current);
        },
      },
      {
        event: {
          resource: "Node",
          action: Action.Add | Action.Delete | Action.UpdateNodeLabel | Action.UpdateNodeTaint,
        },
        hint: (pod, previous, current) => {
          const constraints = spreadConstraints(pod.pod, "DoNotSchedule");
          const takesPart = (node: KubeObject | undefined) =>
            node !== undefined &&
            constraints.every(({ topologyKey }) => node.metadata.labels?.[topologyKey] !== undefined);
          return takesPart(previous) || takesPart(current);
        },
      },
      { event: { resource: "UnscheduledPod", action: Action.UpdatePodLabel } },
    ];
  }

  preFilter(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterOutcome | undefined {
    const constraints = spreadConstraints(pod.pod, "DoNotSchedule");
    if (constraints.length === 0) return { status: this.#skip };
    const required = new RequiredNodeAffinity(pod.pod.spec);
    const counts = constraints.map(() => new Map<string, number>());
    const countOn = this.#counters(constraints, pod);
    for (const node of nodes) {
      if (!hasTopologyKeys(node, constraints)) continue;
      for (let i = 0; i < constraints.length; i++) {
        const constraint = constraints[i]!;
        if (!includesNode(constraint, pod, required, node)) continue;
        const value = node.labels[constraint.topologyKey]!;
        counts[i]!.set(value, (counts[i]!.get(value) ?? 0) + countOn[i]!(node));
      }
    }
    state.write(filterKey, new FilterState(constraints, required, counts));
    return undefined;
  }

  addPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): MaybeStatus {
    this.#update(state, pod, added, node, 1);
    return undefined;
  }

  removePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): MaybeStatus {
    this.#update(state, pod, removed, node, -1);
    return undefined;
  }

  filter(state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus {
    const filterState = state.read<FilterState>(filterKey);
    if (filterState === undefined) return undefined;
    const { constraints, counts } = filterState;
    for (let i = 0; i < constraints.length; i++) {
      const { topologyKey, selector, maxSkew } = constraints[i]!;
      const value = node.labels[topologyKey];
      if (value === undefined) return this.#missingLabel;
      const self = selector.matches(pod.labels) ? 1 : 0;
      const skew = (counts[i]!.get(value) ?? 0) + self - filterState.minimum(i);
      if (skew > maxSkew) return this.#mismatch;
    }
    return undefined;
  }

  preScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): MaybeStatus {
    const own = Boolean(pod.pod.spec?.topologySpreadConstraints?.length);
    const constraints = own
      ? spreadConstraints(pod.pod, "ScheduleAnyway")
      : defaultSpreadConstraints(pod, this.#handle.defaultSelectors);
    if (constraints.length === 0) return this.#skip;

    // Nodes without a label that the pod itself names get nothing; the defaults make do with what labels there are.
    const ignored = new Set<NodeInfo>();
    const counts = constraints.map(() => new Map<string, number>());
    for (const node of nodes) {
      if (own && !hasTopologyKeys(node, constraints)) {
        ignored.add(node);
        continue;
      }
      constraints.forEach(({ topologyKey }, i) => {
        const value = node.labels[topologyKey];
        if (topologyKey !== hostnameLabel && value !== undefined) counts[i]!.set(value, 0);
      });
    }
    const weights = constraints.map(({ topologyKey }, i) =>
      Math.log((topologyKey === hostnameLabel ? nodes.length - ignored.size : counts[i]!.size) + 2),
    );

    const required = new RequiredNodeAffinity(pod.pod.spec);
    const countOn = this.#counters(constraints, pod);
    if (counts.some(({ size }) => size > 0)) {
      for (const node of this.#handle.snapshot.nodeInfoList) {
        if (own && !hasTopologyKeys(node, constraints)) continue;
        for (let i = 0; i < constraints.length; i++) {
          const value = node.labels[constraints[i]!.topologyKey];
          const known = value === undefined ? undefined : counts[i]!.get(value);
          if (known === undefined || !includesNode(constraints[i]!, pod, required, node)) continue;
          counts[i]!.set(value!, known + countOn[i]!(node));
        }
      }
    }
    state.write(scoreKey, { constraints, ignored, counts, countOn, weights } satisfies ScoreState);
    return undefined;
  }

  /** Grows with the number of like pods in the node's domains. */
  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    const scoreState = state.read<ScoreState>(scoreKey);
    if (scoreState === undefined || scoreState.ignored.has(node)) return 0;
    let score = 0;
    scoreState.constraints.forEach(({ topologyKey, maxSkew }, i) => {
      const value = node.labels[topologyKey];
      if (value === undefined) return;
      const count =
        topologyKey === hostnameLabel ? scoreState.countOn[i]!(node) : (scoreState.counts[i]!.get(value) ?? 0);
      score += count * scoreState.weights[i]! + (maxSkew - 1);
    });
    return Math.round(score);
  }

  normalizeScore(state: CycleState, _pod: PodInfo, nodes: readonly NodeInfo[], scores: number[]): void {
    const scoreState = state.read<ScoreState>(scoreKey);
    if (scoreState === undefined) return;
    let min = Infinity;
    let max = 0;
    nodes.forEach((node, i) => {
      if (scoreState.ignored.has(node)) return;
      min = Math.min(min, scores[i]!);
      max = Math.max(max, scores[i]!);
    });
    for (let i = 0; i < scores.length; i++) {
      if (scoreState.ignored.has(nodes[i]!)) scores[i] = 0;
      else scores[i] = max === 0 ? maxNodeScore : Math.trunc((maxNodeScore * (max + min - scores[i]!)) / max);
    }
  }

  #counters(constraints: readonly SpreadConstraint[], pod: PodInfo): ((node: NodeInfo) => number)[] {
    return constraints.map(({ selector }) =>
      this.#cache.reader(`${pod.namespace} ${selector.toString()}`, (node) =>
        countMatching(node, selector, pod.namespace),
      ),
    );
  }

  #update(state: CycleState, pod: PodInfo, other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const filterState = state.read<FilterState>(filterKey);
    if (filterState === undefined || other.namespace !== pod.namespace || node.node === undefined) return;
    const { constraints, counts, required, minimums } = filterState;
    if (!hasTopologyKeys(node, constraints)) return;
    constraints.forEach((constraint, i) => {
      if (!constraint.selector.matches(other.labels) || !includesNode(constraint, pod, required, node)) return;
      const value = node.labels[constraint.topologyKey]!;
      counts[i]!.set(value, (counts[i]!.get(value) ?? 0) + by);
      minimums[i] = undefined;
    });
  }
}
