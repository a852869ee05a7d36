import type { KubeObject } from "../../apimachinery/meta.ts";
import type { CycleState } from "../framework/cycle-state.ts";
import type { ClusterEventWithHint } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import type { Plugin } from "../framework/interface.ts";
import { maxNodeScore } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { Resource } from "../framework/resource.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { Status } from "../framework/status.ts";
import { names } from "./names.ts";

/** Whether requests fit into what is allocatable; prefers the emptiest nodes. Mirrors plugins/noderesources/fit.go (1.36). */
export class NodeResourcesFit implements Plugin {
  readonly name = names.nodeResourcesFit;
  /** Statuses are few and are shared by all nodes and pods. */
  readonly #statuses = new Map<string, Status>();

  eventsToRegister(): ClusterEventWithHint[] {
    return [
      { event: { resource: "AssignedPod", action: Action.Delete | Action.UpdatePodScaleDown } },
      {
        event: { resource: "Node", action: Action.Add | Action.UpdateNodeAllocatable },
        hint: (pod, previous, current) => {
          if (!fitsEmptyNode(pod, current)) return false;
          return (
            previous === undefined || !fitsEmptyNode(pod, previous) || requestedResourceGrew(pod, previous, current)
          );
        },
      },
      { event: { resource: "UnscheduledPod", action: Action.UpdatePodScaleDown } },
    ];
  }

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus {
    const { allocatable, requested } = node;
    const { requests } = pod;
    // The common case without building reasons.
    if (
      requests.scalars === undefined &&
      node.pods.size < allocatable.allowedPodNumber &&
      !lacks(requests.milliCPU, requested.milliCPU, allocatable.milliCPU) &&
      !lacks(requests.memory, requested.memory, allocatable.memory) &&
      !lacks(requests.ephemeralStorage, requested.ephemeralStorage, allocatable.ephemeralStorage)
    ) {
      return undefined;
    }
    return this.#explain(pod, node);
  }

  /** LeastAllocated over cpu and memory, each with weight 1. */
  score(_state: CycleState, pod: PodInfo, node: NodeInfo): number {
    const { allocatable } = node;
    let sum = 0;
    let weights = 0;
    if (allocatable.milliCPU > 0) {
      sum += leastRequestedScore(node.nonZeroMilliCPU + pod.nonZeroMilliCPU, allocatable.milliCPU);
      weights++;
    }
    if (allocatable.memory > 0) {
      sum += leastRequestedScore(node.nonZeroMemory + pod.nonZeroMemory, allocatable.memory);
      weights++;
    }
    return weights === 0 ? 0 : Math.trunc(sum / weights);
  }

  #explain({ requests }: PodInfo, { allocatable, requested, pods }: NodeInfo): MaybeStatus {
    const reasons: string[] = [];
    let unresolvable = false;
    const check = (name: string, wanted: number, used: number, capacity: number) => {
      if (!lacks(wanted, used, capacity)) return;
      reasons.push(`Insufficient ${name}`);
      if (wanted > capacity) unresolvable = true;
    };
    if (pods.size + 1 > allocatable.allowedPodNumber) reasons.push("Too many pods");
    check("cpu", requests.milliCPU, requested.milliCPU, allocatable.milliCPU);
    check("memory", requests.memory, requested.memory, allocatable.memory);
    check("ephemeral-storage", requests.ephemeralStorage, requested.ephemeralStorage, allocatable.ephemeralStorage);
    for (const [name, wanted] of requests.scalars ?? []) {
      check(name, wanted, requested.scalars?.get(name) ?? 0, allocatable.scalars?.get(name) ?? 0);
    }
    return reasons.length === 0 ? undefined : this.#status(reasons, unresolvable);
  }

  #status(reasons: readonly string[], unresolvable: boolean): Status {
    const key = `${unresolvable} ${reasons.join()}`;
    let status = this.#statuses.get(key);
    if (status === undefined) {
      if (this.#statuses.size >= 1000) this.#statuses.clear();
      status = new Status(unresolvable ? "UnschedulableAndUnresolvable" : "Unschedulable", reasons, this.name);
      this.#statuses.set(key, status);
    }
    return status;
  }
}

/** A pod that asks for nothing fits even where too much is taken. */
function lacks(wanted: number, used: number, capacity: number): boolean {
  return wanted > 0 && wanted > capacity - used;
}

function leastRequestedScore(requested: number, capacity: number): number {
  return requested > capacity ? 0 : Math.trunc(((capacity - requested) * maxNodeScore) / capacity);
}

/** Upper bound: the node without any other pod. */
function fitsEmptyNode(pod: PodInfo, node: KubeObject | undefined): boolean {
  const allocatable = Resource.from(node?.status?.allocatable);
  const { requests } = pod;
  if (allocatable.allowedPodNumber < 1) return false;
  if (requests.milliCPU > allocatable.milliCPU || requests.memory > allocatable.memory) return false;
  if (requests.ephemeralStorage > allocatable.ephemeralStorage) return false;
  for (const [name, wanted] of requests.scalars ?? []) if (wanted > (allocatable.scalars?.get(name) ?? 0)) return false;
  return true;
}

function requestedResourceGrew(pod: PodInfo, previous: KubeObject, current: KubeObject | undefined): boolean {
  const before = Resource.from(previous.status?.allocatable);
  const after = Resource.from(current?.status?.allocatable);
  const { requests } = pod;
  if (after.allowedPodNumber > before.allowedPodNumber) return true;
  if (requests.milliCPU > 0 && after.milliCPU > before.milliCPU) return true;
  if (requests.memory > 0 && after.memory > before.memory) return true;
  if (requests.ephemeralStorage > 0 && after.ephemeralStorage > before.ephemeralStorage) return true;
  for (const name of requests.scalars?.keys() ?? []) {
    if ((after.scalars?.get(name) ?? 0) > (before.scalars?.get(name) ?? 0)) return true;
  }
  return false;
}
