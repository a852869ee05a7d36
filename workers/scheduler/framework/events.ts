import type { KubeObject } from "../../apimachinery/meta.ts";
import type { PodInfo } from "./pod-info.ts";

/** What changed in the cluster. Mirrors k8s.io/kube-scheduler framework/types.go ActionType and EventResource (1.36). */
export const Action = {
  Add: 1 << 0,
  Delete: 1 << 1,
  UpdateNodeAllocatable: 1 << 2,
  UpdateNodeLabel: 1 << 3,
  UpdateNodeTaint: 1 << 4,
  UpdateNodeCondition: 1 << 5,
  UpdateNodeAnnotation: 1 << 6,
  UpdatePodLabel: 1 << 7,
  UpdatePodScaleDown: 1 << 8,
  UpdatePodToleration: 1 << 9,
  UpdatePodSchedulingGatesEliminated: 1 << 10,
  UpdateNamespaceLabel: 1 << 11,
} as const;

/** "AssignedPod" has a node, "UnscheduledPod" is the waiting pod itself. */
export type EventResource = "Node" | "AssignedPod" | "UnscheduledPod" | "Namespace";

export interface ClusterEvent {
  resource: EventResource;
  /** Bits of {@link Action}. */
  action: number;
}

/**
 * Whether the change may make the pod schedulable. For an update both objects are given, for an addition only the new
 * one, for a deletion only the old one. Errs on the side of true.
 */
export type QueueingHint = (pod: PodInfo, previous: KubeObject | undefined, current: KubeObject | undefined) => boolean;

export interface ClusterEventWithHint {
  event: ClusterEvent;
  hint?: QueueingHint;
}
