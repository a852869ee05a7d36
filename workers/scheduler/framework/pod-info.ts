import type { KubeObject } from "../../apimachinery/meta.ts";
import type { AffinityTerm, WeightedAffinityTerm } from "./affinity-term.ts";
import { affinityTerms, weightedAffinityTerms } from "./affinity-term.ts";
import type { HostPort } from "./host-ports.ts";
import { hostPortsOf } from "./host-ports.ts";
import { isPodLevelRequestsSet, podRequests } from "./pod-requests.ts";
import type { Amounts } from "./resource.ts";
import { Resource } from "./resource.ts";

export type Pod = KubeObject;
export type Node = KubeObject;

/** What a container without requests counts for in scores: 100 millicores and 200 MiB. Mirrors scheduler/util/pod_resources.go. */
export const defaultMilliCPURequest = 100;
export const defaultMemoryRequest = 200 * 1024 * 1024;

/** A pod with everything that plugins would otherwise parse again for each node. Immutable. Mirrors framework.PodInfo. */
export class PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly priority: number;
  readonly requests: Resource;
  /** For scores: requests with the defaults of containers that name none. */
  readonly nonZeroMilliCPU: number;
  readonly nonZeroMemory: number;
  readonly hostPorts: readonly HostPort[];
  readonly tolerations: readonly Toleration[];
  readonly requiredAffinityTerms: readonly AffinityTerm[];
  readonly requiredAntiAffinityTerms: readonly AffinityTerm[];
  readonly preferredAffinityTerms: readonly WeightedAffinityTerm[];
  readonly preferredAntiAffinityTerms: readonly WeightedAffinityTerm[];

  /** `like` supplies what does not change when only the pod's node or status differ. */
  constructor(pod: Pod, like?: PodInfo) {
    const { metadata } = pod;
    this.pod = pod;
    this.name = metadata.name ?? "";
    this.namespace = metadata.namespace ?? "";
    this.uid = uidOf(pod);
    this.labels = metadata.labels ?? noLabels;
    if (like !== undefined) {
      this.priority = like.priority;
      this.requests = like.requests;
      this.nonZeroMilliCPU = like.nonZeroMilliCPU;
      this.nonZeroMemory = like.nonZeroMemory;
      this.hostPorts = like.hostPorts;
      this.tolerations = like.tolerations;
      this.requiredAffinityTerms = like.requiredAffinityTerms;
      this.requiredAntiAffinityTerms = like.requiredAntiAffinityTerms;
      this.preferredAffinityTerms = like.preferredAffinityTerms;
      this.preferredAntiAffinityTerms = like.preferredAntiAffinityTerms;
      return;
    }
    this.priority = pod.spec?.priority ?? 0;
    const requests = podRequests(pod);
    this.requests = new Resource();
    for (const [name, amount] of requests) if (name !== "pods") this.requests.addNamed(name, amount);
    const missing = nonMissingContainerRequests(pod, requests);
    const nonZero = missing.size === 0 ? requests : podRequests(pod, { nonMissingContainerRequests: missing });
    this.nonZeroMilliCPU = nonZero.get("cpu") ?? 0;
    this.nonZeroMemory = nonZero.get("memory") ?? 0;
    this.hostPorts = hostPortsOf(pod);
    this.tolerations = pod.spec?.tolerations ?? noTolerations;
    const affinity = pod.spec?.affinity;
    this.requiredAffinityTerms = affinityTerms(
      pod,
      affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    );
    this.requiredAntiAffinityTerms = affinityTerms(
      pod,
      affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    );
    this.preferredAffinityTerms = weightedAffinityTerms(
      pod,
      affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
    );
    this.preferredAntiAffinityTerms = weightedAffinityTerms(
      pod,
      affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
    );
  }

  get key(): string {
    return `${this.namespace}/${this.name}`;
  }

  get nodeName(): string {
    return this.pod.spec?.nodeName ?? "";
  }

  get hasAffinity(): boolean {
    return (
      this.requiredAffinityTerms.length > 0 ||
      this.requiredAntiAffinityTerms.length > 0 ||
      this.preferredAffinityTerms.length > 0 ||
      this.preferredAntiAffinityTerms.length > 0
    );
  }

  /** The same pod as if it were bound; the pod of the informer is not changed. */
  assignedTo(nodeName: string): PodInfo {
    return new PodInfo({ ...this.pod, spec: { ...this.pod.spec, nodeName } }, this);
  }
}

/** v1.Toleration */
export interface Toleration {
  key?: string;
  operator?: "Exists" | "Equal" | "";
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** The pod's identity; objects without a uid (in tests) are told apart by name. */
export function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** Succeeded or Failed: holds no resources. */
export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

function nonMissingContainerRequests(pod: Pod, requests: Amounts): Amounts {
  const defaults: Amounts = new Map();
  const podLevel = isPodLevelRequestsSet(pod);
  if (!podLevel || !requests.has("cpu")) defaults.set("cpu", defaultMilliCPURequest);
  if (!podLevel || !requests.has("memory")) defaults.set("memory", defaultMemoryRequest);
  return defaults;
}

const noLabels: Record<string, string> = {};
const noTolerations: readonly Toleration[] = [];
