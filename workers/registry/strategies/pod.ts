import { forbidden, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { deepEqual } from "../deep-equal.ts";
import type { Strategy } from "../strategy.ts";
import { podQosClass } from "./pod-qos.ts";
import { validatePodSpec } from "./pod-spec.ts";

/** Mirrors pkg/registry/core/pod/strategy.go (1.36). */
export const podStrategy: Strategy = {
  generation: "spec",
  returnDeletedObject: true,
  statusKeeps: ["ownerReferences"],
  prepareForCreate(pod) {
    pod.status = { phase: "Pending", qosClass: podQosClass(pod.spec ?? {}) };
  },
  validate(pod) {
    return validatePodSpec(pod.spec ?? {}, "spec");
  },
  validateUpdate(pod, previous) {
    return validateUpdate(pod, previous);
  },
  /** An unscheduled or finished pod goes at once. */
  gracePeriodSeconds(pod, options) {
    let seconds = options.gracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
    const phase = pod.status?.phase;
    if (!pod.spec?.nodeName || phase === "Succeeded" || phase === "Failed") seconds = 0;
    return seconds < 0 ? 1 : seconds;
  },
};

const mutableFields =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** Mirrors ValidatePodUpdate: images, deadline and more tolerations are all that may change. */
function validateUpdate(pod: KubeObject, previous: KubeObject): InvalidCause[] {
  const spec = pod.spec ?? {};
  const before = previous.spec ?? {};
  if (deepEqual(spec, before)) return [];
  const causes: InvalidCause[] = [];
  if ((spec.containers ?? []).length !== (before.containers ?? []).length) {
    return [forbidden("spec.containers", "pod updates may not add or remove containers")];
  }
  if ((spec.initContainers ?? []).length !== (before.initContainers ?? []).length) {
    return [forbidden("spec.initContainers", "pod updates may not add or remove containers")];
  }
  for (const list of ["containers", "initContainers"] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      if (!container.image) causes.push(required(`spec.${list}[${index}].image`));
    }
  }
  const gates = (spec.schedulingGates ?? []) as { name: string }[];
  const gatesBefore = new Set(((before.schedulingGates ?? []) as { name: string }[]).map((gate) => gate.name));
  for (const [index, gate] of gates.entries()) {
    if (!gatesBefore.has(gate.name)) {
      causes.push(forbidden(`spec.schedulingGates[${index}].name`, "only deletion is allowed, but found new scheduling gate"));
    }
  }
  for (const toleration of before.tolerations ?? []) {
    const kept = (spec.tolerations ?? []).some((candidate: any) =>
      deepEqual({ ...candidate, tolerationSeconds: undefined }, { ...toleration, tolerationSeconds: undefined }),
    );
    if (!kept) {
      causes.push(forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds"));
    }
  }
  const masked = (value: any) => ({
    ...value,
    containers: (value.containers ?? []).map((container: any) => ({ ...container, image: "" })),
    initContainers: (value.initContainers ?? []).map((container: any) => ({ ...container, image: "" })),
    activeDeadlineSeconds: undefined,
    tolerations: undefined,
    schedulingGates: undefined,
    terminationGracePeriodSeconds: before.terminationGracePeriodSeconds < 0 ? undefined : value.terminationGracePeriodSeconds,
    // A gated pod may still narrow where it can go.
    ...(gatesBefore.size > 0 ? { nodeSelector: undefined, affinity: undefined } : {}),
  });
  if (!deepEqual(masked(spec), masked(before))) causes.push(forbidden("spec", mutableFields));
  return causes;
}
