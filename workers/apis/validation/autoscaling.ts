import { forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isValidPathSegmentName } from "../../apimachinery/validation-names.ts";
import { checkText, dnsLabel, isSet, listOf, nonnegative, numberOf, quantityOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateContainerResourceName } from "./resource-names.ts";

/** Mirrors ValidateHorizontalPodAutoscaler of pkg/apis/autoscaling/validation (1.36), for autoscaling/v2. */
const maxStabilizationSeconds = 3600;
const maxPeriodSeconds = 1800;

export function validateAutoscaler(autoscaler: KubeObject, causes: Causes): void {
  validateSpec(autoscaler.spec ?? {}, 1, causes);
}

export function validateAutoscalerUpdate(autoscaler: KubeObject, previous: KubeObject, causes: Causes): void {
  validateSpec(autoscaler.spec ?? {}, previous.spec?.minReplicas === 0 ? 0 : 1, causes);
}

export function validateAutoscalerStatusUpdate(autoscaler: KubeObject, _previous: KubeObject, causes: Causes): void {
  nonnegative(autoscaler.status?.currentReplicas, "status.currentReplicas", causes);
  nonnegative(autoscaler.status?.desiredReplicas, "status.desiredReplicas", causes);
}

function validateSpec(spec: any, lowest: number, causes: Causes): void {
  const { minReplicas } = spec;
  const maxReplicas = numberOf(spec.maxReplicas);
  if (isSet(minReplicas) && minReplicas < lowest) {
    causes.push(invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${lowest}`));
  }
  if (maxReplicas < 1) causes.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than 0"));
  if (isSet(minReplicas) && maxReplicas < minReplicas) {
    causes.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`"));
  }
  validateReference(spec.scaleTargetRef ?? {}, "spec.scaleTargetRef", causes);
  const metrics = listOf(spec.metrics);
  for (const [index, metric] of metrics.entries()) validateMetric(metric, `spec.metrics[${index}]`, causes);
  if (minReplicas === 0 && !metrics.some((metric) => metric.type === "Object" || metric.type === "External")) {
    causes.push(
      forbidden(
        "spec.metrics",
        "must specify at least one Object or External metric to support scaling to zero replicas",
      ),
    );
  }
  for (const direction of ["scaleUp", "scaleDown"]) {
    const rules = spec.behavior?.[direction];
    if (rules) validateScalingRules(rules, `spec.behavior.${direction}`, causes);
  }
}

function validateReference(reference: any, path: string, causes: Causes): void {
  for (const field of ["kind", "name"]) {
    if (!reference[field]) causes.push(required(`${path}.${field}`));
    else checkText(isValidPathSegmentName, reference[field], `${path}.${field}`, causes);
  }
}

function validateScalingRules(rules: any, path: string, causes: Causes): void {
  const seconds = rules.stabilizationWindowSeconds;
  if (isSet(seconds)) {
    const field = `${path}.stabilizationWindowSeconds`;
    if (seconds < 0) causes.push(invalid(field, seconds, "must be greater than or equal to zero"));
    if (seconds > maxStabilizationSeconds) {
      causes.push(invalid(field, seconds, `must be less than or equal to ${maxStabilizationSeconds}`));
    }
  }
  if (isSet(rules.selectPolicy) && !["Disabled", "Max", "Min"].includes(rules.selectPolicy)) {
    causes.push(notSupported(`${path}.selectPolicy`, rules.selectPolicy, ["Disabled", "Max", "Min"]));
  }
  const policies = listOf(rules.policies);
  if (policies.length === 0) causes.push(required(`${path}.policies`, "must specify at least one Policy"));
  for (const [index, policy] of policies.entries()) {
    const field = `${path}.policies[${index}]`;
    const period = numberOf(policy.periodSeconds);
    if (policy.type !== "Pods" && policy.type !== "Percent") {
      causes.push(notSupported(`${field}.type`, textOf(policy.type), ["Percent", "Pods"]));
    }
    if (numberOf(policy.value) <= 0) {
      causes.push(invalid(`${field}.value`, numberOf(policy.value), "must be greater than zero"));
    }
    if (period <= 0) causes.push(invalid(`${field}.periodSeconds`, period, "must be greater than zero"));
    if (period > maxPeriodSeconds) {
      causes.push(invalid(`${field}.periodSeconds`, period, `must be less than or equal to ${maxPeriodSeconds}`));
    }
  }
  if (isSet(rules.tolerance) && quantityOf(rules.tolerance).sign() < 0) {
    causes.push(invalid(`${path}.tolerance`, rules.tolerance, "must be greater or equal to zero"));
  }
}

const fieldOfType: Readonly<Record<string, string>> = {
  Object: "object",
  External: "external",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
};
const metricTypes = Object.keys(fieldOfType).sort();

function validateMetric(metric: any, path: string, causes: Causes): void {
  const type = textOf(metric.type);
  const field = fieldOfType[type];
  if (type === "") causes.push(required(`${path}.type`, "must specify a metric source type"));
  if (field === undefined) causes.push(notSupported(`${path}.type`, type, metricTypes));
  const present = Object.values(fieldOfType).filter((name) => metric[name]);
  if (present[0] !== undefined) validateSource(present[0], metric[present[0]], `${path}.${present[0]}`, causes);
  if (field === undefined) causes.push(notSupported(`${path}.type`, type, metricTypes));
  else if (!metric[field]) {
    causes.push(required(`${path}.${field}`, "must populate information for the given metric source"));
  }
  if (present.length === 1) return;
  for (const name of present) {
    if (name !== field) causes.push(forbidden(`${path}.${name}`, "must populate the given metric source only"));
  }
}

function validateSource(kind: string, source: any, path: string, causes: Causes): void {
  const target = source.target ?? {};
  const missing = (field: string, detail: string) => causes.push(required(`${path}.target.${field}`, detail));
  const both = (field: string, detail: string) => causes.push(forbidden(`${path}.target.${field}`, detail));
  const { value, averageValue, averageUtilization } = target;
  if (kind === "resource" || kind === "containerResource") {
    if (!source.name) causes.push(required(`${path}.name`, "must specify a resource name"));
    if (kind === "containerResource") {
      if (source.name) validateContainerResourceName(source.name, `${path}.name`, causes);
      if (!source.container) causes.push(required(`${path}.container`, "must specify a container"));
      else dnsLabel(source.container, `${path}.container`, causes);
    }
    validateTarget(target, `${path}.target`, causes);
    if (!isSet(averageUtilization) && !isSet(averageValue)) {
      missing("averageUtilization", "must set either a target raw value or a target utilization");
    }
    if (isSet(averageUtilization) && isSet(averageValue)) {
      both("averageValue", "may not set both a target raw value and a target utilization");
    }
    return;
  }
  if (kind === "object") validateReference(source.describedObject ?? {}, `${path}.describedObject`, causes);
  const name = source.metric?.name;
  if (!name) causes.push(required(`${path}.metric.name`, "must specify a metric name"));
  else checkText(isValidPathSegmentName, name, `${path}.metric.name`, causes);
  validateTarget(target, `${path}.target`, causes);
  if (kind === "pods") {
    if (!isSet(averageValue)) missing("averageValue", "must specify a positive target averageValue");
    return;
  }
  if (!isSet(value) && !isSet(averageValue)) {
    missing(
      "averageValue",
      kind === "object"
        ? "must set either a target value or averageValue"
        : "must set either a target value for metric or a per-pod target",
    );
  }
  if (kind === "external" && isSet(value) && isSet(averageValue)) {
    both("value", "may not set both a target value for metric and a per-pod target");
  }
}

function validateTarget(target: any, path: string, causes: Causes): void {
  const type = textOf(target.type);
  if (type === "") causes.push(required(`${path}.type`, "must specify a metric target type"));
  if (type !== "Utilization" && type !== "Value" && type !== "AverageValue") {
    causes.push(invalid(`${path}.type`, type, "must be either Utilization, Value, or AverageValue"));
  }
  for (const field of ["value", "averageValue"]) {
    if (isSet(target[field]) && quantityOf(target[field]).sign() !== 1) {
      causes.push(invalid(`${path}.${field}`, target[field], "must be positive"));
    }
  }
  if (isSet(target.averageUtilization) && target.averageUtilization < 1) {
    causes.push(invalid(`${path}.averageUtilization`, target.averageUtilization, "must be greater than 0"));
  }
}
