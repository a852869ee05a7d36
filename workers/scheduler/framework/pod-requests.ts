import type { KubeObject } from "../../apimachinery/meta.ts";
import type { Amounts, ResourceList } from "./resource.ts";
import { amountOf } from "./resource.ts";

export interface PodRequestsOptions {
  /** Amounts for containers that name no request, used for scoring. */
  nonMissingContainerRequests?: Amounts;
}

/**
 * What a pod asks of a node: the larger of its containers together and any init step, sidecars counted in both, then
 * pod-level requests in place of cpu, memory and hugepages, plus the overhead. Resized containers count with the
 * largest of desired, actual and allocated. Mirrors k8s.io/component-helpers resource/helpers.go PodRequests (1.36).
 */
export function podRequests(pod: KubeObject, options: PodRequestsOptions = {}): Amounts {
  const spec = pod.spec ?? {};
  const requests = aggregateContainerRequests(pod, options);
  const podLevel: ResourceList | undefined = spec.resources?.requests;
  for (const name in podLevel) {
    if (isSupportedPodLevelResource(name)) requests.set(name, amountOf(name, podLevel[name]!));
  }
  if (spec.overhead) add(requests, toAmounts(spec.overhead));
  return requests;
}

export function isPodLevelRequestsSet(pod: KubeObject): boolean {
  const podLevel: ResourceList | undefined = pod.spec?.resources?.requests;
  for (const name in podLevel) if (isSupportedPodLevelResource(name)) return true;
  return false;
}

function isSupportedPodLevelResource(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

function aggregateContainerRequests(pod: KubeObject, options: PodRequestsOptions): Amounts {
  const spec = pod.spec ?? {};
  const total: Amounts = new Map();
  for (const container of spec.containers ?? []) {
    add(total, containerRequests(pod, container, pod.status?.containerStatuses, options));
  }
  if (!spec.initContainers?.length) return total;

  const sidecars: Amounts = new Map();
  const init: Amounts = new Map();
  for (const container of spec.initContainers) {
    const restartable = container.restartPolicy === "Always";
    const statuses = restartable ? pod.status?.initContainerStatuses : undefined;
    const own = containerRequests(pod, container, statuses, options);
    if (restartable) {
      add(total, own);
      add(sidecars, own);
      max(init, sidecars);
    } else {
      add(own, sidecars);
      max(init, own);
    }
  }
  max(total, init);
  return total;
}

/** A fresh map, so that callers may change it. */
function containerRequests(
  pod: KubeObject,
  container: any,
  statuses: any[] | undefined,
  options: PodRequestsOptions,
): Amounts {
  let requests = toAmounts(container.resources?.requests);
  const status = statuses?.find((candidate) => candidate.name === container.name);
  if (status?.resources) {
    if (isPodResizeInfeasible(pod)) requests = toAmounts(status.resources.requests);
    else max(requests, toAmounts(status.resources.requests));
    max(requests, toAmounts(status.allocatedResources));
  }
  if (options.nonMissingContainerRequests !== undefined) {
    for (const [name, amount] of options.nonMissingContainerRequests)
      if (!requests.has(name)) requests.set(name, amount);
  }
  return requests;
}

function isPodResizeInfeasible(pod: KubeObject): boolean {
  return (pod.status?.conditions ?? []).some(
    (condition: any) => condition.type === "PodResizePending" && condition.reason === "Infeasible",
  );
}

function toAmounts(list: ResourceList | undefined): Amounts {
  const amounts: Amounts = new Map();
  for (const name in list) amounts.set(name, amountOf(name, list[name]!));
  return amounts;
}

function add(into: Amounts, from: Amounts): void {
  for (const [name, amount] of from) into.set(name, (into.get(name) ?? 0) + amount);
}

function max(into: Amounts, from: Amounts): void {
  for (const [name, amount] of from) if (amount > (into.get(name) ?? -1)) into.set(name, amount);
}
