import { forbidden, invalid, required, tooLong } from "../../apimachinery/field-error.ts";
import { labelSelectorAsSelector } from "../../apimachinery/labels.ts";
import type { LabelSelector } from "../../apimachinery/labels.ts";
import { isLabelValue, isLabelKey } from "../../apimachinery/validation-names.ts";
import { checkText, entriesOf, labelName, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

const totalAnnotationBytes = 256 * 1024;

/** Mirrors ValidateLabels of k8s.io/apimachinery pkg/apis/meta/v1/validation (1.36). */
export function validateLabels(labels: unknown, path: string, causes: Causes): void {
  for (const [key, value] of entriesOf(labels)) {
    labelName(key, path, causes);
    checkText(isLabelValue, value, path, causes);
  }
}

/** Mirrors ValidateAnnotations of k8s.io/apimachinery pkg/api/validation/objectmeta.go (1.36). */
export function validateAnnotations(annotations: unknown, path: string, causes: Causes): void {
  let size = 0;
  for (const [key, value] of entriesOf(annotations)) {
    for (const text of isLabelKey(key.toLowerCase())) causes.push(invalid(path, key, text));
    size += key.length + textOf(value).length;
  }
  if (size > totalAnnotationBytes) causes.push(tooLong(path, totalAnnotationBytes));
}

/** Mirrors ValidateLabelSelector of k8s.io/apimachinery pkg/apis/meta/v1/validation (1.36). */
export function validateLabelSelector(selector: any, path: string, causes: Causes): void {
  if (!selector) return;
  validateLabels(selector.matchLabels, `${path}.matchLabels`, causes);
  for (const [index, requirement] of listOf(selector.matchExpressions).entries()) {
    const field = `${path}.matchExpressions[${index}]`;
    validateOperatorValues(requirement, field, causes);
    labelName(requirement.key, `${field}.key`, causes);
    for (const [at, value] of listOf(requirement.values).entries()) {
      checkText(isLabelValue, value, `${field}.values[${at}]`, causes);
    }
  }
}

function validateOperatorValues(requirement: any, path: string, causes: Causes): void {
  const count = listOf(requirement.values).length;
  switch (requirement.operator) {
    case "In":
    case "NotIn":
      if (count === 0) causes.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (count > 0) {
        causes.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    default:
      causes.push(invalid(`${path}.operator`, textOf(requirement.operator), "not a valid selector operator"));
  }
}

/** undefined when the selector cannot be read. */
export function selectorOf(selector: any): LabelSelector | undefined {
  try {
    return labelSelectorAsSelector(selector);
  } catch {
    return undefined;
  }
}

export function isEmptySelector(selector: any): boolean {
  return Object.keys(selector.matchLabels ?? {}).length + listOf(selector.matchExpressions).length === 0;
}
