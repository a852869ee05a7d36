import { invalid, required } from "../../apimachinery/field-error.ts";
import { labelSelectorAsSelector } from "../../apimachinery/labels.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { validateImmutable } from "../object-meta.ts";
import type { Strategy } from "../strategy.ts";
import { validateStatefulSetUpdate } from "./immutable.ts";
import { validatePodSpec } from "./pod-spec.ts";

/** What apps/v1 workloads share: a selector that matches the template and never changes. pkg/apis/apps/validation (1.36). */
function validateWorkload(object: KubeObject): InvalidCause[] {
  const spec = object.spec ?? {};
  const causes: InvalidCause[] = [];
  if (spec.replicas !== undefined && spec.replicas < 0) {
    causes.push(invalid("spec.replicas", spec.replicas, "must be greater than or equal to 0"));
  }
  if (spec.minReadySeconds !== undefined && spec.minReadySeconds < 0) {
    causes.push(invalid("spec.minReadySeconds", spec.minReadySeconds, "must be greater than or equal to 0"));
  }
  if (spec.selector === undefined || spec.selector === null) causes.push(required("spec.selector"));
  else if (!spec.selector.matchLabels && !spec.selector.matchExpressions?.length) {
    causes.push(invalid("spec.selector", spec.selector, `empty selector is invalid for ${object.kind?.toLowerCase() ?? "workload"}`));
  } else {
    const selector = selectorOf(spec.selector, causes);
    const labels = spec.template?.metadata?.labels ?? {};
    if (selector !== undefined && !selector.matches(labels)) {
      causes.push(invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"));
    }
  }
  causes.push(...validatePodSpec(spec.template?.spec ?? {}, "spec.template.spec"));
  if (spec.template?.spec?.restartPolicy && spec.template.spec.restartPolicy !== "Always") {
    causes.push({
      reason: "FieldValueNotSupported",
      field: "spec.template.spec.restartPolicy",
      message: `Unsupported value: ${JSON.stringify(spec.template.spec.restartPolicy)}: supported values: "Always"`,
    });
  }
  return causes;
}

function selectorOf(selector: any, causes: InvalidCause[]) {
  try {
    return labelSelectorAsSelector(selector);
  } catch (error) {
    causes.push(invalid("spec.selector", selector, (error as Error).message));
    return undefined;
  }
}

const workload: Strategy = {
  generation: "spec",
  validate: validateWorkload,
  validateUpdate(object, previous) {
    return [...validateImmutable("spec.selector", object.spec?.selector, previous.spec?.selector), ...validateWorkload(object)];
  },
};

export const deploymentStrategy: Strategy = { ...workload, statusKeeps: ["labels"] };

export const replicaSetStrategy: Strategy = workload;

export const statefulSetStrategy: Strategy = {
  ...workload,
  validateUpdate: (object, previous) => [...validateStatefulSetUpdate(object, previous), ...validateWorkload(object)],
};

export const daemonSetStrategy: Strategy = workload;

export const replicationControllerStrategy: Strategy = {
  generation: "spec",
  orphansDependents: true,
};
