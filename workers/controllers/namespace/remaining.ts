import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isPodTerminal } from "../pod-utils.ts";

/** Seconds to wait for objects that only finalizers keep. */
const finalizerEstimateSeconds = 15;

/** What a deletion pass left behind. */
export interface Remaining {
  resources: { gvr: GroupVersionResource; count: number }[];
  /** Finalizers and on how many objects they were met. */
  finalizers: Map<string, number>;
  /** Seconds after which another pass is worth while; 0 when nothing is known to end by itself. */
  estimateSeconds: number;
}

export function nothingRemaining(): Remaining {
  return { resources: [], finalizers: new Map(), estimateSeconds: 0 };
}

/** Adds the objects of one type that outlived their deletion; false when nothing explains why they are still there. */
export function addRemaining(
  remaining: Remaining,
  gvr: GroupVersionResource,
  items: readonly KubeObject[],
  graceSeconds: number,
): boolean {
  if (items.length === 0) return true;
  remaining.resources.push({ gvr, count: items.length });
  let withFinalizers = 0;
  for (const { metadata } of items) {
    const finalizers = metadata.finalizers ?? [];
    if (finalizers.length > 0) withFinalizers++;
    for (const name of finalizers) remaining.finalizers.set(name, (remaining.finalizers.get(name) ?? 0) + 1);
  }
  const estimate = graceSeconds > 0 ? graceSeconds : withFinalizers > 0 ? finalizerEstimateSeconds : 0;
  remaining.estimateSeconds = Math.max(remaining.estimateSeconds, estimate);
  return estimate > 0;
}

/** The longest grace period of pods that still run, in seconds. */
export function estimateGracefulTermination(pods: readonly KubeObject[]): number {
  let longest = 0;
  for (const pod of pods) {
    if (!isPodTerminal(pod)) longest = Math.max(longest, pod.spec?.terminationGracePeriodSeconds ?? 0);
  }
  return longest;
}

/** `resource.group`, with the dot even for the core group, as the conditions name it. */
export function formatGroupVersionResource(gvr: GroupVersionResource): string {
  return `${gvr.resource}.${gvr.group}`;
}
