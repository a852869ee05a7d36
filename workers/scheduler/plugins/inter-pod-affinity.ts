import type { KubeObject } from "../../apimachinery/meta.ts";
import type { AffinityTerm, NamespaceLabels } from "../framework/affinity-term.ts";
import { termMatches } from "../framework/affinity-term.ts";
import type { CycleState } from "../framework/cycle-state.ts";
import type { ClusterEventWithHint } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import type { Handle, Plugin, PreFilterOutcome } from "../framework/interface.ts";
import { maxNodeScore } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { skip, unresolvable, unschedulable } from "../framework/status.ts";
import { names } from "./names.ts";
import { PerNodeCache } from "./per-node-cache.ts";
import { TopologyCounts } from "./topology-counts.ts";

const filterKey = `PreFilter${names.interPodAffinity}`;
const scoreKey = `PreScore${names.interPodAffinity}`;

/** What an existing pod's required affinity to the incoming pod is worth in scores. Upstream's hardPodAffinityWeight. */
const hardPodAffinityWeight = 1;

class FilterState {
  /** Domains from which anti-affinity of existing pods keeps the pod. */
  existingAntiAffinity: TopologyCounts;
  affinity: TopologyCounts;
  antiAffinity: TopologyCounts;

  constructor(existing = new TopologyCounts(), affinity = new TopologyCounts(), antiAffinity = new TopologyCounts()) {
    this.existingAntiAffinity = existing;
    this.affinity = affinity;
    this.antiAffinity = antiAffinity;
  }

  clone(): FilterState {
    return new FilterState(this.existingAntiAffinity.clone(), this.affinity.clone(), this.antiAffinity.clone());
  }
}

/** By topology key: how much one node adds to its own domain. */
type Contribution = ReadonlyMap<string, number>;

/** Affinity and anti-affinity between pods, in both directions. Mirrors plugins/interpodaffinity (1.36). */
export class InterPodAffinity implements Plugin {
  readonly name = names.interPodAffinity;
  readonly #handle: Pick<Handle, "snapshot" | "namespaceLabels" | "namespacesRevision">;
  readonly #cache = new PerNodeCache<Contribution>();
  readonly #skip = skip(names.interPodAffinity);
  readonly #affinityMismatch = unresolvable(names.interPodAffinity, "node(s) didn't match pod affinity rules");
  readonly #antiAffinityMismatch = unschedulable(
    names.interPodAffinity,
    "node(s) didn't match pod anti-affinity rules",
  );
  readonly #existingMismatch = unschedulable(
    names.interPodAffinity,
    "node(s) didn't satisfy existing pods anti-affinity rules",
  );

  constructor(handle: Pick<Handle, "snapshot" | "namespaceLabels" | "namespacesRevision">) {
    this.#handle = handle;
  }

  eventsToRegister(): ClusterEventWithHint[] {
    return [
      {
        event: { resource: "AssignedPod", action: Action.Add | Action.UpdatePodLabel | Action.Delete },
        hint: (pod, previous, current) => this.#podChangeHelps(pod, previous, current),
      },
      { event: { resource: "Node", action: Action.Add | Action.UpdateNodeLabel } },
      { event: { resource: "Namespace", action: Action.Add | Action.UpdateNamespaceLabel } },
      { event: { resource: "UnscheduledPod", action: Action.UpdatePodLabel } },
    ];
  }

  preFilter(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterOutcome | undefined {
    const { snapshot, namespaceLabels } = this.#handle;
    const filterState = new FilterState();
    if (snapshot.havePodsWithRequiredAntiAffinity.size > 0) {
      const contribution = this.#cache.reader(this.#key("existing", pod, undefined), (node) =>
        existingAntiAffinity(pod, node, namespaceLabels),
      );
      collect(filterState.existingAntiAffinity, snapshot.havePodsWithRequiredAntiAffinity, contribution);
    }
    const { requiredAffinityTerms, requiredAntiAffinityTerms } = pod;
    if (
      filterState.existingAntiAffinity.empty &&
      requiredAffinityTerms.length === 0 &&
      requiredAntiAffinityTerms.length === 0
    ) {
      return { status: this.#skip };
    }
    const affinity = pod.pod.spec?.affinity;
    if (requiredAffinityTerms.length > 0) {
      const key = this.#key("affinity", pod, affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution);
      collect(
        filterState.affinity,
        nodes,
        this.#cache.reader(key, (node) => affinityOf(pod, node, namespaceLabels)),
      );
    }
    if (requiredAntiAffinityTerms.length > 0) {
      const key = this.#key("anti", pod, affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution);
      collect(
        filterState.antiAffinity,
        nodes,
        this.#cache.reader(key, (node) => antiAffinityOf(pod, node, namespaceLabels)),
      );
    }
    state.write(filterKey, filterState);
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
    if (!this.#satisfiesAffinity(filterState, pod, node)) return this.#affinityMismatch;
    for (const { topologyKey } of pod.requiredAntiAffinityTerms) {
      const value = node.labels[topologyKey];
      if (value !== undefined && filterState.antiAffinity.get(topologyKey, value) > 0)
        return this.#antiAffinityMismatch;
    }
    return filterState.existingAntiAffinity.anyPositiveFor(node.labels) ? this.#existingMismatch : undefined;
  }

  preScore(state: CycleState, pod: PodInfo): MaybeStatus {
    const { snapshot, namespaceLabels } = this.#handle;
    const own = pod.preferredAffinityTerms.length > 0 || pod.preferredAntiAffinityTerms.length > 0;
    // Without own preferences only pods that have some can matter.
    const nodes = own ? snapshot.nodeInfoList : snapshot.havePodsWithAffinity;
    const scores = new TopologyCounts();
    if (own || snapshot.havePodsWithAffinity.size > 0) {
      const affinity = pod.pod.spec?.affinity;
      const key = this.#key("score", pod, own ? [affinity.podAffinity, affinity.podAntiAffinity] : undefined);
      collect(
        scores,
        nodes,
        this.#cache.reader(key, (node) => preferences(pod, node, own, namespaceLabels)),
      );
    }
    if (scores.empty) return this.#skip;
    state.write(scoreKey, scores);
    return undefined;
  }

  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    return state.read<TopologyCounts>(scoreKey)?.sumFor(node.labels) ?? 0;
  }

  normalizeScore(_state: CycleState, _pod: PodInfo, _nodes: readonly NodeInfo[], scores: number[]): void {
    let min = Infinity;
    let max = -Infinity;
    for (const score of scores) {
      if (score < min) min = score;
      if (score > max) max = score;
    }
    const difference = max - min;
    for (let i = 0; i < scores.length; i++) {
      scores[i] = difference > 0 ? Math.trunc(maxNodeScore * ((scores[i]! - min) / difference)) : 0;
    }
  }

  #satisfiesAffinity(state: FilterState, pod: PodInfo, node: NodeInfo): boolean {
    let podsExist = true;
    for (const { topologyKey } of pod.requiredAffinityTerms) {
      const value = node.labels[topologyKey];
      if (value === undefined) return false;
      if (state.affinity.get(topologyKey, value) <= 0) podsExist = false;
    }
    if (podsExist) return true;
    // The first pod of a group that wants to be together may go anywhere.
    return state.affinity.empty && matchesAll(pod.requiredAffinityTerms, pod, this.#handle.namespaceLabels);
  }

  #update(state: CycleState, pod: PodInfo, other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const filterState = state.read<FilterState>(filterKey);
    if (filterState === undefined) return;
    const { namespaceLabels } = this.#handle;
    const add = (counts: TopologyCounts, topologyKey: string) => {
      const value = node.labels[topologyKey];
      if (value !== undefined) counts.add(topologyKey, value, by);
    };
    for (const term of other.requiredAntiAffinityTerms) {
      if (termMatches(term, pod, namespaceLabels)) add(filterState.existingAntiAffinity, term.topologyKey);
    }
    if (matchesAll(pod.requiredAffinityTerms, other, namespaceLabels)) {
      for (const { topologyKey } of pod.requiredAffinityTerms) add(filterState.affinity, topologyKey);
    }
    for (const term of pod.requiredAntiAffinityTerms) {
      if (termMatches(term, other, namespaceLabels)) add(filterState.antiAffinity, term.topologyKey);
    }
  }

  #podChangeHelps(pod: PodInfo, previous: KubeObject | undefined, current: KubeObject | undefined): boolean {
    const { namespaceLabels } = this.#handle;
    const before = previous === undefined ? undefined : new PodInfo(previous);
    const after = current === undefined ? undefined : new PodInfo(current);
    const attracts = (other: PodInfo | undefined) =>
      other !== undefined && matchesAll(pod.requiredAffinityTerms, other, namespaceLabels);
    const repels = (other: PodInfo | undefined) =>
      other !== undefined &&
      (pod.requiredAntiAffinityTerms.some((term) => termMatches(term, other, namespaceLabels)) ||
        other.requiredAntiAffinityTerms.some((term) => termMatches(term, pod, namespaceLabels)));
    return (attracts(after) && !attracts(before)) || (repels(before) && !repels(after));
  }

  /** Pods of one shape share what is computed for a node; namespaces' labels count only through selectors. */
  #key(what: string, pod: PodInfo, terms: unknown): string {
    const { namespacesRevision } = this.#handle;
    return `${what} ${namespacesRevision()} ${pod.namespace} ${JSON.stringify(pod.labels)} ${JSON.stringify(terms) ?? ""}`;
  }
}

function collect(
  into: TopologyCounts,
  nodes: Iterable<NodeInfo>,
  contribution: (node: NodeInfo) => Contribution,
): void {
  for (const node of nodes) {
    for (const [topologyKey, amount] of contribution(node)) into.add(topologyKey, node.labels[topologyKey]!, amount);
  }
}

function matchesAll(terms: readonly AffinityTerm[], pod: PodInfo, namespaceLabels: NamespaceLabels): boolean {
  return terms.length > 0 && terms.every((term) => termMatches(term, pod, namespaceLabels));
}

/** Collects amounts for topology keys that the node has a label for. */
class Tally {
  readonly amounts = new Map<string, number>();
  readonly #node: NodeInfo;

  constructor(node: NodeInfo) {
    this.#node = node;
  }

  add(topologyKey: string, amount: number): void {
    if (this.#node.labels[topologyKey] === undefined) return;
    this.amounts.set(topologyKey, (this.amounts.get(topologyKey) ?? 0) + amount);
  }
}

function existingAntiAffinity(pod: PodInfo, node: NodeInfo, namespaceLabels: NamespaceLabels): Contribution {
  const tally = new Tally(node);
  for (const existing of node.podsWithRequiredAntiAffinity.values()) {
    for (const term of existing.requiredAntiAffinityTerms) {
      if (termMatches(term, pod, namespaceLabels)) tally.add(term.topologyKey, 1);
    }
  }
  return tally.amounts;
}

function affinityOf(pod: PodInfo, node: NodeInfo, namespaceLabels: NamespaceLabels): Contribution {
  const tally = new Tally(node);
  for (const existing of node.pods.values()) {
    if (!matchesAll(pod.requiredAffinityTerms, existing, namespaceLabels)) continue;
    for (const { topologyKey } of pod.requiredAffinityTerms) tally.add(topologyKey, 1);
  }
  return tally.amounts;
}

function antiAffinityOf(pod: PodInfo, node: NodeInfo, namespaceLabels: NamespaceLabels): Contribution {
  const tally = new Tally(node);
  for (const existing of node.pods.values()) {
    for (const term of pod.requiredAntiAffinityTerms) {
      if (termMatches(term, existing, namespaceLabels)) tally.add(term.topologyKey, 1);
    }
  }
  return tally.amounts;
}

function preferences(pod: PodInfo, node: NodeInfo, own: boolean, namespaceLabels: NamespaceLabels): Contribution {
  const tally = new Tally(node);
  for (const existing of (own ? node.pods : node.podsWithAffinity).values()) {
    for (const term of pod.preferredAffinityTerms) {
      if (termMatches(term, existing, namespaceLabels)) tally.add(term.topologyKey, term.weight);
    }
    for (const term of pod.preferredAntiAffinityTerms) {
      if (termMatches(term, existing, namespaceLabels)) tally.add(term.topologyKey, -term.weight);
    }
    for (const term of existing.requiredAffinityTerms) {
      if (termMatches(term, pod, namespaceLabels)) tally.add(term.topologyKey, hardPodAffinityWeight);
    }
    for (const term of existing.preferredAffinityTerms) {
      if (termMatches(term, pod, namespaceLabels)) tally.add(term.topologyKey, term.weight);
    }
    for (const term of existing.preferredAntiAffinityTerms) {
      if (termMatches(term, pod, namespaceLabels)) tally.add(term.topologyKey, -term.weight);
    }
  }
  return tally.amounts;
}
