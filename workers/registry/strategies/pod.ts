import type { Strategy } from "../strategy.ts";
import { podQosClass } from "./pod-qos.ts";
import { podSubresources } from "./pod-subresources.ts";

/** Mirrors pkg/registry/core/pod/strategy.go (1.36). */
export const podStrategy: Strategy = {
  generation: "spec",
  returnDeletedObject: true,
  statusKeeps: ["ownerReferences"],
  subresources: podSubresources,
  prepareForCreate(pod) {
    pod.status = { phase: "Pending", qosClass: podQosClass(pod.spec ?? {}) };
  },
  /** An unscheduled or finished pod goes at once. */
  gracePeriodSeconds(pod, options) {
    let seconds = options.gracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
    const phase = pod.status?.phase;
    if (!pod.spec?.nodeName || phase === "Succeeded" || phase === "Failed") seconds = 0;
    return seconds < 0 ? 1 : seconds;
  },
};
