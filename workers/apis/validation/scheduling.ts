import { forbidden, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { immutable, isSet, numberOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validatePodGroup, validateWorkload, validateWorkloadUpdate } from "./pod-groups.ts";
import type { Validators } from "./registry.ts";

/** Mirrors pkg/apis/scheduling/validation/validation.go (1.36). */
const systemPrefix = "system-";
const systemClasses: Readonly<Record<string, number>> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};
const highestUserDefinablePriority = 1_000_000_000;

function validatePriorityClass(object: KubeObject, causes: Causes): void {
  const name = object.metadata.name ?? "";
  const value = numberOf(object["value"]);
  if (name.startsWith(systemPrefix)) {
    const problem = systemClassProblem(name, value, object["globalDefault"] === true);
    if (problem !== undefined) {
      causes.push(
        forbidden(
          "metadata.name",
          `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`,
        ),
      );
    }
  } else if (value > highestUserDefinablePriority) {
    causes.push(
      forbidden("value", `maximum allowed value of a user defined priority is ${highestUserDefinablePriority}`),
    );
  }
  const policy = object["preemptionPolicy"];
  if (!isSet(policy)) return;
  if (policy === "") causes.push(required("preemptionPolicy"));
  else if (policy !== "PreemptLowerPriority" && policy !== "Never") {
    causes.push(notSupported("preemptionPolicy", textOf(policy), ["PreemptLowerPriority", "Never"]));
  }
}

function systemClassProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemClasses[name];
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validatePriorityClassUpdate(object: KubeObject, previous: KubeObject, causes: Causes): void {
  if (numberOf(object["value"]) !== numberOf(previous["value"]))
    causes.push(forbidden("value", "may not be changed in an update."));
  immutable(object["preemptionPolicy"], previous["preemptionPolicy"], "preemptionPolicy", causes);
}

export const schedulingValidators: Validators = {
  "workloads.scheduling.k8s.io": { create: validateWorkload, update: validateWorkloadUpdate },
  "podgroups.scheduling.k8s.io": {
    create: validatePodGroup,
    update: (group, previous, causes) => immutable(group.spec, previous.spec, "spec", causes),
  },
  "priorityclasses.scheduling.k8s.io": { create: validatePriorityClass, update: validatePriorityClassUpdate },
};
