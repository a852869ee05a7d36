import { duplicate, invalid, notSupported, omitValue, required, tooMany } from "../../apimachinery/field-error.ts";
import { isSet, listOf, qualifiedName } from "./checks.ts";
import type { Causes } from "./checks.ts";

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];
const maxRules = 20;
const maxExitCodes = 255;
const maxPatterns = 20;

/** Mirrors validatePodFailurePolicy of pkg/apis/batch/validation (1.36). */
export function validatePodFailurePolicy(spec: any, path: string, causes: Causes): void {
  const rules = listOf(spec.podFailurePolicy.rules);
  if (rules.length > maxRules) causes.push(tooMany(`${path}.rules`, rules.length, maxRules));
  const pod = spec.template?.spec ?? {};
  const names = new Set([...listOf(pod.containers), ...listOf(pod.initContainers)].map((container) => container.name));
  for (const [index, rule] of rules.entries()) validateRule(spec, rule, names, `${path}.rules[${index}]`, causes);
}

function oneOf(value: string | undefined, supported: string[], path: string, causes: Causes): void {
  if (!value) causes.push(required(path, `valid values: [${supported.map((item) => `"${item}"`).join(" ")}]`));
  else if (!supported.includes(value)) causes.push(notSupported(path, value, supported));
}

function validateRule(spec: any, rule: any, names: ReadonlySet<string>, path: string, causes: Causes): void {
  if (rule.action === "FailIndex") {
    if (!isSet(spec.backoffLimitPerIndex)) {
      causes.push(invalid(`${path}.action`, rule.action, "requires the backoffLimitPerIndex to be set"));
    }
  } else oneOf(rule.action, actions, `${path}.action`, causes);
  const patterns = listOf(rule.onPodConditions);
  if (rule.onExitCodes) validateExitCodes(rule.onExitCodes, names, `${path}.onExitCodes`, causes);
  if (patterns.length > 0) validatePatterns(patterns, `${path}.onPodConditions`, causes);
  if (rule.onExitCodes && patterns.length > 0) {
    causes.push(invalid(path, omitValue, "specifying both OnExitCodes and OnPodConditions is not supported"));
  }
  if (!rule.onExitCodes && patterns.length === 0) {
    causes.push(invalid(path, omitValue, "specifying one of OnExitCodes and OnPodConditions is required"));
  }
}

function validatePatterns(patterns: any[], path: string, causes: Causes): void {
  if (patterns.length > maxPatterns) causes.push(tooMany(path, patterns.length, maxPatterns));
  for (const [index, pattern] of patterns.entries()) {
    qualifiedName(pattern.type, `${path}[${index}].type`, causes);
    oneOf(pattern.status, statuses, `${path}[${index}].status`, causes);
  }
}

function validateExitCodes(rule: any, names: ReadonlySet<string>, path: string, causes: Causes): void {
  oneOf(rule.operator, operators, `${path}.operator`, causes);
  if (isSet(rule.containerName) && !names.has(rule.containerName)) {
    causes.push(
      invalid(
        `${path}.containerName`,
        rule.containerName,
        "must be one of the container or initContainer names in the pod template",
      ),
    );
  }
  const values: number[] = listOf(rule.values);
  if (values.length === 0) causes.push(invalid(`${path}.values`, values, "at least one value is required"));
  else if (values.length > maxExitCodes) causes.push(tooMany(`${path}.values`, values.length, maxExitCodes));
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    const field = `${path}.values[${index}]`;
    if (rule.operator === "In" && value === 0) causes.push(invalid(field, value, "must not be 0 for the In operator"));
    if (seen.has(value)) causes.push(duplicate(field, value));
    seen.add(value);
  }
  if (values.some((value, index) => index > 0 && values[index - 1]! > value)) {
    causes.push(invalid(`${path}.values`, values, "must be ordered"));
  }
}
