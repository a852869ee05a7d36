import { formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { Taint } from "../taints.ts";
import { sameTaint, taintsOf } from "../taints.ts";

export const notReadyTaint = "node.kubernetes.io/not-ready";
export const unreachableTaint = "node.kubernetes.io/unreachable";
const unschedulableTaint = "node.kubernetes.io/unschedulable";

/** Condition type and status → key of the NoSchedule taint. */
const conditionTaints: Record<string, Record<string, string>> = {
  Ready: { False: notReadyTaint, Unknown: unreachableTaint },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
};

const managedKeys = new Set([
  ...Object.values(conditionTaints).flatMap((byStatus) => Object.values(byStatus)),
  unschedulableTaint,
]);

export type NodeReady = "True" | "False" | "Unknown";

export function readyStatus(node: KubeObject): NodeReady {
  const condition = (node.status?.conditions ?? []).find(({ type }: any) => type === "Ready");
  return condition?.status ?? "Unknown";
}

/** The NoSchedule taints that follow from conditions and spec. A node without a Ready condition has none for it yet. */
function noScheduleTaints(node: KubeObject): Taint[] {
  const taints: Taint[] = [];
  for (const { type, status } of node.status?.conditions ?? []) {
    const key = conditionTaints[type]?.[status];
    if (key !== undefined) taints.push({ key, effect: "NoSchedule" });
  }
  if (node.spec?.unschedulable === true) taints.push({ key: unschedulableTaint, effect: "NoSchedule" });
  return taints;
}

/** The NoExecute taint of a node that is not ready. */
export function noExecuteTaint(ready: NodeReady): Taint | undefined {
  if (ready === "True") return undefined;
  return { key: ready === "False" ? notReadyTaint : unreachableTaint, effect: "NoExecute" };
}

export function hasNoExecuteTaint(node: KubeObject): boolean {
  return taintsOf(node).some(({ key, effect }) => effect === "NoExecute" && isReadinessTaint(key));
}

function isReadinessTaint(key: string): boolean {
  return key === notReadyTaint || key === unreachableTaint;
}

/** With the NoSchedule taints that should be there and without the managed ones that should not; the same array if nothing changes. */
export function withNoScheduleTaints(node: KubeObject, now: number): Taint[] {
  const managed = ({ key, effect }: Taint): boolean => effect === "NoSchedule" && managedKeys.has(key);
  return swap(taintsOf(node), managed, noScheduleTaints(node), now);
}

/** With this NoExecute taint for readiness, or none; the same array if nothing changes. */
export function withNoExecuteTaint(node: KubeObject, taint: Taint | undefined, now: number): Taint[] {
  const managed = ({ key, effect }: Taint): boolean => effect === "NoExecute" && isReadinessTaint(key);
  return swap(taintsOf(node), managed, taint === undefined ? [] : [taint], now);
}

function swap(current: Taint[], managed: (taint: Taint) => boolean, wanted: Taint[], now: number): Taint[] {
  const missing = wanted.filter((taint) => !current.some((each) => sameTaint(each, taint)));
  const kept = current.filter((each) => !managed(each) || wanted.some((taint) => sameTaint(each, taint)));
  if (missing.length === 0 && kept.length === current.length) return current;
  return [...kept, ...missing.map((taint) => ({ ...taint, timeAdded: formatTime(now) }))];
}
