import type { LabelSelector } from "../../apimachinery/labels.ts";
import { labelSelectorAsSelector, selectorFromSet } from "../../apimachinery/labels.ts";
import { controllerOf } from "../../apimachinery/meta.ts";
import type { DefaultSelectorLister } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { Pod, PodInfo } from "../framework/pod-info.ts";
import type { RequiredNodeAffinity } from "./node-selector.ts";
import { findUntoleratedTaint } from "./tolerations.ts";

export const hostnameLabel = "kubernetes.io/hostname";
const zoneLabel = "topology.kubernetes.io/zone";

/** A parsed v1.TopologySpreadConstraint. */
export interface SpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  selector: LabelSelector;
  minDomains: number;
  honorNodeAffinity: boolean;
  honorNodeTaints: boolean;
}

/** Constraints of the pod with this consequence. Mirrors plugins/podtopologyspread/common.go (1.36). */
export function spreadConstraints(pod: Pod, whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway"): SpreadConstraint[] {
  const constraints: any[] | undefined = pod.spec?.topologySpreadConstraints;
  if (!constraints?.length) return none;
  return constraints
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => ({
      maxSkew: constraint.maxSkew,
      topologyKey: constraint.topologyKey,
      selector: labelSelectorAsSelector(withMatchLabelKeys(pod, constraint)),
      minDomains: constraint.minDomains ?? 1,
      honorNodeAffinity: (constraint.nodeAffinityPolicy ?? "Honor") === "Honor",
      honorNodeTaints: (constraint.nodeTaintsPolicy ?? "Ignore") === "Honor",
    }));
}

/** Spreads the pods of one service or workload over hosts and zones when the pod itself asks for nothing. */
export function defaultSpreadConstraints(pod: PodInfo, lister: DefaultSelectorLister): SpreadConstraint[] {
  const selector = defaultSelector(pod, lister);
  if (selector === undefined) return none;
  const common = { selector, minDomains: 1, honorNodeAffinity: true, honorNodeTaints: false };
  return [
    { ...common, topologyKey: hostnameLabel, maxSkew: 3 },
    { ...common, topologyKey: zoneLabel, maxSkew: 5 },
  ];
}

/** Services' selectors and the controller's, all of which match the pod, so that they cannot contradict each other. */
function defaultSelector(pod: PodInfo, lister: DefaultSelectorLister): LabelSelector | undefined {
  const matchLabels: Record<string, string> = {};
  for (const service of lister.services(pod.namespace)) {
    const selector: Record<string, string> | undefined = service.spec?.selector;
    if (selector && Object.keys(selector).length > 0 && selectorFromSet(selector).matches(pod.labels)) {
      Object.assign(matchLabels, selector);
    }
  }
  let matchExpressions: any[] = [];
  const owner = controllerOf(pod.pod);
  const controller = owner === undefined ? undefined : lister.controller(owner.kind, pod.namespace, owner.name);
  if (controller?.spec?.selector) {
    if (owner!.kind === "ReplicationController") Object.assign(matchLabels, controller.spec.selector);
    else {
      Object.assign(matchLabels, controller.spec.selector.matchLabels);
      matchExpressions = controller.spec.selector.matchExpressions ?? [];
    }
  }
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return undefined;
  return labelSelectorAsSelector({ matchLabels, matchExpressions });
}

export function hasTopologyKeys(node: NodeInfo, constraints: readonly SpreadConstraint[]): boolean {
  for (const { topologyKey } of constraints) if (node.labels[topologyKey] === undefined) return false;
  return true;
}

/** Whether the constraint counts the node at all. */
export function includesNode(
  constraint: SpreadConstraint,
  pod: PodInfo,
  required: RequiredNodeAffinity,
  node: NodeInfo,
): boolean {
  if (constraint.honorNodeAffinity && !required.matches(node.node!)) return false;
  return !constraint.honorNodeTaints || findUntoleratedTaint(node.taints, pod.tolerations) === undefined;
}

/** Pods of the namespace that the selector selects; pods on their way out do not count. */
export function countMatching(node: NodeInfo, selector: LabelSelector, namespace: string): number {
  if (selector.empty) return 0;
  let count = 0;
  for (const existing of node.pods.values()) {
    if (existing.namespace !== namespace || existing.pod.metadata.deletionTimestamp !== undefined) continue;
    if (selector.matches(existing.labels)) count++;
  }
  return count;
}

/** The API server merges these keys at creation; merging again changes nothing. */
function withMatchLabelKeys(pod: Pod, constraint: any): any {
  const { labelSelector, matchLabelKeys } = constraint;
  if (!labelSelector || !matchLabelKeys?.length) return labelSelector;
  const matchExpressions = [...(labelSelector.matchExpressions ?? [])];
  for (const key of matchLabelKeys) {
    const value = pod.metadata.labels?.[key];
    if (value !== undefined) matchExpressions.push({ key, operator: "In", values: [value] });
  }
  return { ...labelSelector, matchExpressions };
}

const none: SpreadConstraint[] = [];
