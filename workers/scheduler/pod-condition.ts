import { formatTime } from "../apimachinery/clock.ts";
import type { Pod } from "./framework/pod-info.ts";

export type PodScheduledReason = "Unschedulable" | "SchedulerError" | "SchedulingGated";

/** What api validation allows in an event's message. */
const noteLengthLimit = 1024;

/**
 * The PodScheduled=False condition to patch, or undefined when the pod already says so. The transition time changes
 * only with the status. Mirrors podutil.UpdatePodCondition (1.36).
 */
export function podScheduledCondition(
  pod: Pod,
  reason: PodScheduledReason,
  message: string,
  nowMilliseconds: number,
): Record<string, unknown> | undefined {
  const known = (pod.status?.conditions ?? []).find((condition: any) => condition.type === "PodScheduled");
  const sameStatus = known?.status === "False";
  if (sameStatus && known.reason === reason && (known.message ?? "") === message) return undefined;
  return {
    type: "PodScheduled",
    status: "False",
    reason,
    message,
    lastTransitionTime: sameStatus && known.lastTransitionTime ? known.lastTransitionTime : formatTime(nowMilliseconds),
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
  };
}

export function truncateMessage(message: string): string {
  const suffix = " ...";
  return message.length <= noteLengthLimit ? message : message.slice(0, noteLengthLimit - suffix.length) + suffix;
}
