import type { Clock } from "../../apimachinery/clock.ts";
import type { ApiDispatcher } from "../dispatcher/api-dispatcher.ts";
import type { Snapshot } from "../cache/snapshot.ts";
import type { Nominator } from "../queue/nominator.ts";
import type { NamespaceLabels } from "./affinity-term.ts";
import type { CycleState } from "./cycle-state.ts";
import type { NodeToStatus } from "./diagnosis.ts";
import type { ClusterEventWithHint } from "./events.ts";
import type { Framework } from "./framework.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { QueuedPodInfo } from "./queued-pod-info.ts";
import type { MaybeStatus, Status } from "./status.ts";

/*
 * The extension points of the scheduling framework. Mirrors k8s.io/kube-scheduler framework/interface.go (1.36).
 * Everything up to Permit is synchronous: a scheduling cycle never yields, so the cluster does not change within one.
 */

export const maxNodeScore = 100;

/** Returned by {@link PreFilterPlugin.preFilter}. */
export interface PreFilterOutcome {
  /** Success when absent; Skip switches off the plugin's Filter for this cycle. */
  status?: Status;
  /** When present only these nodes are considered. */
  nodeNames?: ReadonlySet<string>;
}

/** Says how a pod's nomination changes: "" clears it. */
export interface PostFilterResult {
  nominatedNodeName: string;
}

/** Decides before a pod may enter the active queue. */
export interface PreEnqueuePlugin {
  preEnqueue(pod: PodInfo): MaybeStatus;
}

export interface QueueSortPlugin {
  less(a: QueuedPodInfo, b: QueuedPodInfo): boolean;
}

/** Which changes may help a pod that the plugin rejected. A plugin without it is retried on every change. */
export interface EnqueueExtensions {
  eventsToRegister(): ClusterEventWithHint[];
}

export interface PreFilterPlugin {
  preFilter(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterOutcome | undefined;
}

/** Keeps PreFilter's data true while pods are added to or removed from a node in a dry run. */
export interface PreFilterExtensions {
  addPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): MaybeStatus;
  removePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): MaybeStatus;
}

export interface FilterPlugin {
  filter(state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus;
}

export interface PostFilterPlugin {
  postFilter(
    state: CycleState,
    pod: PodInfo,
    statuses: NodeToStatus,
  ): { result?: PostFilterResult; status: MaybeStatus };
}

export interface PreScorePlugin {
  preScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): MaybeStatus;
}

export interface ScorePlugin {
  /** An integer; after normalising it lies in [0, maxNodeScore]. */
  score(state: CycleState, pod: PodInfo, node: NodeInfo): number;
}

export interface ScoreExtensions {
  /** Changes the scores in place; `scores[i]` belongs to `nodes[i]`. */
  normalizeScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[], scores: number[]): void;
}

export interface ReservePlugin {
  reserve(state: CycleState, pod: PodInfo, nodeName: string): MaybeStatus;
  /** Must be idempotent; also called when this plugin's own Reserve failed. */
  unreserve(state: CycleState, pod: PodInfo, nodeName: string): void;
}

export interface PermitPlugin {
  /** Wait holds the binding until the pod is allowed or rejected, or `timeoutMilliseconds` have passed. */
  permit(state: CycleState, pod: PodInfo, nodeName: string): { status: MaybeStatus; timeoutMilliseconds?: number };
}

export interface PreBindPlugin {
  /** False: this pod needs nothing, so its binding stays on the fast path. Upstream's PreBindPreFlight. */
  preBindPreFlight(state: CycleState, pod: PodInfo, nodeName: string): boolean;
  preBind(state: CycleState, pod: PodInfo, nodeName: string): Promise<MaybeStatus>;
}

export interface BindPlugin {
  /** Skip passes the pod on to the next bind plugin. */
  bind(state: CycleState, pod: PodInfo, nodeName: string): Promise<MaybeStatus>;
}

export interface PostBindPlugin {
  postBind(state: CycleState, pod: PodInfo, nodeName: string): void;
}

/** A plugin implements any of the points; the framework finds out which. */
export interface Plugin
  extends
    Partial<PreEnqueuePlugin>,
    Partial<QueueSortPlugin>,
    Partial<EnqueueExtensions>,
    Partial<PreFilterPlugin>,
    Partial<PreFilterExtensions>,
    Partial<FilterPlugin>,
    Partial<PostFilterPlugin>,
    Partial<PreScorePlugin>,
    Partial<ScorePlugin>,
    Partial<ScoreExtensions>,
    Partial<ReservePlugin>,
    Partial<PermitPlugin>,
    Partial<PreBindPlugin>,
    Partial<BindPlugin>,
    Partial<PostBindPlugin> {
  readonly name: string;
}

/** Objects that select pods together, for the default spreading constraints. */
export interface DefaultSelectorLister {
  /** Services of the pod's namespace. */
  services(namespace: string): readonly { metadata: { namespace?: string }; spec?: any }[];
  /** The ReplicationController, ReplicaSet or StatefulSet that controls the pod, if known. */
  controller(kind: string, namespace: string, name: string): { spec?: any } | undefined;
}

/** What plugins may use. Mirrors framework.Handle. */
export interface Handle {
  readonly snapshot: Snapshot;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly dispatcher: ApiDispatcher;
  readonly nominator: Nominator;
  readonly namespaceLabels: NamespaceLabels;
  /** Changes whenever a namespace may have. */
  readonly namespacesRevision: () => string;
  readonly defaultSelectors: DefaultSelectorLister;
  /** For plugins that run other plugins (preemption). Not to be used before construction is complete. */
  readonly framework: () => Framework;
}

export type PluginFactory = (handle: Handle) => Plugin;
