import { forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from "../../apimachinery/validation-names.ts";
import { checkText, isSet, labelName, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateLabelSelector } from "./label-selector.ts";

/** Affinity and tolerations. Mirrors validateAffinity, ValidateTolerations of pkg/apis/core/validation (1.36). */
export function validateAffinity(affinity: any, path: string, causes: Causes): void {
  if (!affinity) return;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity) {
    const field = `${path}.nodeAffinity`;
    if (nodeAffinity[requiredTerms])
      validateNodeSelector(nodeAffinity[requiredTerms], `${field}.${requiredTerms}`, causes);
    for (const [index, term] of listOf(nodeAffinity[preferredTerms]).entries()) {
      const at = `${field}.${preferredTerms}[${index}]`;
      validateWeight(term.weight, at, causes);
      validateNodeSelectorTerm(term.preference ?? {}, true, `${at}.preference`, causes);
    }
  }
  if (podAffinity) validatePodTerms(podAffinity, `${path}.podAffinity`, causes);
  if (podAntiAffinity) validatePodTerms(podAntiAffinity, `${path}.podAntiAffinity`, causes);
}

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

function validateWeight(weight: unknown, path: string, causes: Causes): void {
  if (typeof weight !== "number" || weight <= 0 || weight > 100) {
    causes.push(invalid(`${path}.weight`, weight ?? 0, "must be in the range 1-100"));
  }
}

export function validateNodeSelector(selector: any, path: string, causes: Causes): void {
  const terms = listOf(selector.nodeSelectorTerms);
  if (terms.length === 0) {
    causes.push(required(`${path}.nodeSelectorTerms`, "must have at least one node selector term"));
  }
  for (const [index, term] of terms.entries()) {
    validateNodeSelectorTerm(term, false, `${path}.nodeSelectorTerms[${index}]`, causes);
  }
}

function validateNodeSelectorTerm(term: any, anyValue: boolean, path: string, causes: Causes): void {
  for (const [index, requirement] of listOf(term.matchExpressions).entries()) {
    validateNodeRequirement(requirement, anyValue, `${path}.matchExpressions[${index}]`, causes);
  }
  for (const [index, requirement] of listOf(term.matchFields).entries()) {
    validateFieldRequirement(requirement, `${path}.matchFields[${index}]`, causes);
  }
}

function validateNodeRequirement(requirement: any, anyValue: boolean, path: string, causes: Causes): void {
  const values = listOf(requirement.values);
  switch (requirement.operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        causes.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        causes.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1) {
        causes.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
      break;
    default:
      causes.push(invalid(`${path}.operator`, textOf(requirement.operator), "not a valid selector operator"));
  }
  labelName(requirement.key, `${path}.key`, causes);
  if (anyValue) return;
  for (const [index, value] of values.entries()) checkText(isLabelValue, value, `${path}.values[${index}]`, causes);
}

function validateFieldRequirement(requirement: any, path: string, causes: Causes): void {
  const values = listOf(requirement.values);
  if (requirement.operator === "In" || requirement.operator === "NotIn") {
    if (values.length !== 1) {
      causes.push(
        required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
      );
    }
  } else causes.push(invalid(`${path}.operator`, textOf(requirement.operator), "not a valid selector operator"));
  if (requirement.key !== "metadata.name") {
    causes.push(invalid(`${path}.key`, textOf(requirement.key), "not a valid field selector key"));
  } else {
    for (const [index, value] of values.entries())
      checkText(isDns1123Subdomain, value, `${path}.values[${index}]`, causes);
  }
}

function validatePodTerms(affinity: any, path: string, causes: Causes): void {
  for (const [index, term] of listOf(affinity[requiredTerms]).entries()) {
    validatePodAffinityTerm(term, `${path}.${requiredTerms}[${index}]`, causes);
  }
  for (const [index, term] of listOf(affinity[preferredTerms]).entries()) {
    const at = `${path}.${preferredTerms}[${index}]`;
    validateWeight(term.weight, at, causes);
    validatePodAffinityTerm(term.podAffinityTerm ?? {}, `${at}.podAffinityTerm`, causes);
  }
}

function validatePodAffinityTerm(term: any, path: string, causes: Causes): void {
  validateLabelSelector(term.labelSelector, `${path}.labelSelector`, causes);
  validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`, causes);
  for (const name of listOf(term.namespaces)) checkText(isDns1123Label, name, `${path}.namespace`, causes);
  validateMatchLabelKeys(term, path, causes);
  if (!term.topologyKey) causes.push(required(`${path}.topologyKey`, "can not be empty"));
  labelName(term.topologyKey, `${path}.topologyKey`, causes);
}

/** Mirrors validateMatchLabelKeysAndMismatchLabelKeys. */
function validateMatchLabelKeys(term: any, path: string, causes: Causes): void {
  const keys = listOf(term.matchLabelKeys);
  const mismatch = listOf(term.mismatchLabelKeys);
  if (keys.length === 0 && mismatch.length === 0) return;
  for (const list of ["matchLabelKeys", "mismatchLabelKeys"]) {
    const given = listOf(term[list]);
    if (given.length > 0 && !term.labelSelector) {
      causes.push(forbidden(`${path}.${list}`, "must not be specified when labelSelector is not set"));
    } else for (const [index, key] of given.entries()) labelName(key, `${path}.${list}[${index}]`, causes);
  }
  // Admission has turned each match key into a requirement: a second one is the user's own.
  const selected = new Set(Object.keys(term.labelSelector?.matchLabels ?? {}));
  for (const { key } of listOf(term.labelSelector?.matchExpressions)) {
    if (keys.includes(key) && selected.has(key)) {
      causes.push(invalid(`${path}[${keys.lastIndexOf(key)}]`, key, "exists in both matchLabelKeys and labelSelector"));
    }
    selected.add(key);
  }
  for (const [index, key] of keys.entries()) {
    if (mismatch.includes(key)) {
      causes.push(
        invalid(`${path}.matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys"),
      );
    }
  }
}

export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(tolerations: any[], path: string, causes: Causes): void {
  for (let index = 0; index < tolerations.length; index++) {
    const toleration = tolerations[index];
    const field = `${path}[${index}]`;
    if (toleration.key) labelName(toleration.key, `${field}.key`, causes);
    else if (toleration.operator !== "Exists") {
      causes.push(
        invalid(
          `${field}.operator`,
          textOf(toleration.operator),
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    }
    if (isSet(toleration.tolerationSeconds) && toleration.effect !== "NoExecute") {
      causes.push(
        invalid(
          `${field}.effect`,
          textOf(toleration.effect),
          "effect must be 'NoExecute' when `tolerationSeconds` is set",
        ),
      );
    }
    validateTolerationOperator(toleration, `${field}.operator`, causes);
    if (toleration.effect && !taintEffects.includes(toleration.effect)) {
      causes.push(notSupported(`${field}.effect`, toleration.effect, taintEffects));
    }
  }
}

function validateTolerationOperator(toleration: any, path: string, causes: Causes): void {
  const value = textOf(toleration.value);
  switch (toleration.operator ?? "") {
    case "":
    case "Equal": {
      const problems = isLabelValue(value);
      if (problems.length > 0) causes.push(invalid(path, value, problems.join(";")));
      break;
    }
    case "Exists":
      if (value) causes.push(invalid(path, value, "value must be empty when `operator` is 'Exists'"));
      break;
    default:
      causes.push(notSupported(path, toleration.operator, ["Equal", "Exists"]));
  }
}
