import type { CycleState } from "../framework/cycle-state.ts";
import type { ClusterEventWithHint } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import type { Plugin, PreFilterOutcome } from "../framework/interface.ts";
import { maxNodeScore } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { skip, unresolvable } from "../framework/status.ts";
import { names } from "./names.ts";
import type { NodeSelectorTerm } from "./node-selector.ts";
import { isEmptyTerm, matchesTerm, RequiredNodeAffinity, requiredTerms } from "./node-selector.ts";
import { defaultNormalizeScore } from "./normalize-score.ts";

const filterKey = `PreFilter${names.nodeAffinity}`;
const scoreKey = `PreScore${names.nodeAffinity}`;

interface WeightedTerm {
  weight: number;
  preference: NodeSelectorTerm;
}

/** nodeSelector and node affinity. Mirrors plugins/nodeaffinity/node_affinity.go (1.36). */
export class NodeAffinity implements Plugin {
  readonly name = names.nodeAffinity;
  readonly #skip = skip(names.nodeAffinity);
  readonly #mismatch = unresolvable(names.nodeAffinity, "node(s) didn't match Pod's node affinity/selector");
  readonly #conflict = unresolvable(names.nodeAffinity, "pod affinity terms conflict");

  eventsToRegister(): ClusterEventWithHint[] {
    return [
      {
        event: { resource: "Node", action: Action.Add | Action.UpdateNodeLabel },
        hint: (pod, previous, current) => {
          if (current === undefined) return true;
          const required = new RequiredNodeAffinity(pod.pod.spec);
          return required.matches(current) && (previous === undefined || !required.matches(previous));
        },
      },
    ];
  }

  preFilter(state: CycleState, pod: PodInfo): PreFilterOutcome | undefined {
    const { spec } = pod.pod;
    const terms = requiredTerms(spec);
    if (terms === undefined && !spec?.nodeSelector) return { status: this.#skip };
    state.write(filterKey, new RequiredNodeAffinity(spec));
    if (terms === undefined || terms.length === 0) return undefined;
    const nodeNames = namedNodes(terms);
    if (nodeNames === undefined) return undefined;
    return nodeNames.size === 0 ? { status: this.#conflict } : { nodeNames };
  }

  filter(state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus {
    const required = state.read<RequiredNodeAffinity>(filterKey) ?? new RequiredNodeAffinity(pod.pod.spec);
    return required.matches(node.node!) ? undefined : this.#mismatch;
  }

  preScore(state: CycleState, pod: PodInfo): MaybeStatus {
    const preferred: WeightedTerm[] =
      pod.pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const effective = preferred.filter(({ weight, preference }) => weight !== 0 && !isEmptyTerm(preference));
    if (effective.length === 0) return this.#skip;
    state.write(scoreKey, effective);
    return undefined;
  }

  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    let sum = 0;
    for (const { weight, preference } of state.read<WeightedTerm[]>(scoreKey) ?? []) {
      if (matchesTerm(preference, node.node!)) sum += weight;
    }
    return sum;
  }

  normalizeScore(_state: CycleState, _pod: PodInfo, _nodes: readonly NodeInfo[], scores: number[]): void {
    defaultNormalizeScore(maxNodeScore, false, scores);
  }
}

/** The nodes that the terms name by metadata.name, when each term does (as those of daemon pods). */
function namedNodes(terms: readonly NodeSelectorTerm[]): Set<string> | undefined {
  const union = new Set<string>();
  for (const term of terms) {
    let named: Set<string> | undefined;
    for (const { key, operator, values } of term.matchFields ?? []) {
      if (key !== "metadata.name" || operator !== "In") continue;
      const wanted = new Set(values);
      named = named === undefined ? wanted : new Set([...named].filter((name) => wanted.has(name)));
    }
    if (named === undefined) return undefined;
    for (const name of named) union.add(name);
  }
  return union;
}
