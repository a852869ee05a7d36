import type { LabelSelector } from "../../apimachinery/labels.ts";
import { labelSelectorAsSelector, nothing } from "../../apimachinery/labels.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { PodInfo } from "./pod-info.ts";

/** A parsed v1.PodAffinityTerm. Mirrors framework.AffinityTerm. */
export interface AffinityTerm {
  namespaces: ReadonlySet<string>;
  selector: LabelSelector;
  namespaceSelector: LabelSelector;
  topologyKey: string;
}

export interface WeightedAffinityTerm extends AffinityTerm {
  weight: number;
}

export type NamespaceLabels = (namespace: string) => Record<string, string> | undefined;

/** Whether another pod is one that the term speaks of. */
export function termMatches(term: AffinityTerm, pod: PodInfo, namespaceLabels: NamespaceLabels): boolean {
  const inNamespace =
    term.namespaces.has(pod.namespace) || term.namespaceSelector.matches(namespaceLabels(pod.namespace));
  return inNamespace && term.selector.matches(pod.labels);
}

/** Namespaces default to the pod's own when neither a list nor a selector is given. */
export function affinityTerm(pod: KubeObject, term: any): AffinityTerm {
  const namespaces = new Set<string>(term.namespaces ?? []);
  if (namespaces.size === 0 && !term.namespaceSelector) namespaces.add(pod.metadata.namespace ?? "");
  return {
    namespaces,
    selector: labelSelectorAsSelector(withMatchLabelKeys(pod, term)),
    namespaceSelector: term.namespaceSelector ? labelSelectorAsSelector(term.namespaceSelector) : nothing,
    topologyKey: term.topologyKey ?? "",
  };
}

export function affinityTerms(pod: KubeObject, terms: any[] | undefined): readonly AffinityTerm[] {
  return terms?.length ? terms.map((term) => affinityTerm(pod, term)) : none;
}

export function weightedAffinityTerms(pod: KubeObject, terms: any[] | undefined): readonly WeightedAffinityTerm[] {
  if (!terms?.length) return none as unknown as readonly WeightedAffinityTerm[];
  return terms.map((term) => ({ ...affinityTerm(pod, term.podAffinityTerm ?? {}), weight: term.weight ?? 0 }));
}

/** The API server merges these keys at creation; merging again changes nothing. */
function withMatchLabelKeys(pod: KubeObject, term: any): any {
  if (!term.labelSelector || (!term.matchLabelKeys?.length && !term.mismatchLabelKeys?.length))
    return term.labelSelector;
  const matchExpressions = [...(term.labelSelector.matchExpressions ?? [])];
  const append = (keys: string[] | undefined, operator: string) => {
    for (const key of keys ?? []) {
      const value = pod.metadata.labels?.[key];
      if (value !== undefined) matchExpressions.push({ key, operator, values: [value] });
    }
  };
  append(term.matchLabelKeys, "In");
  append(term.mismatchLabelKeys, "NotIn");
  return { ...term.labelSelector, matchExpressions };
}

const none: readonly AffinityTerm[] = [];
