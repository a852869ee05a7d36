import { duplicate, invalid, required, tooMany } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import {
  checkText,
  dnsLabel,
  dnsSubdomain,
  immutable,
  isNotPositiveMessage,
  isSet,
  listOf,
  numberOf,
  supportedEnum,
  textOf,
} from "./checks.ts";
import type { Causes } from "./checks.ts";
import { requiredPathSegment } from "./references.ts";

/** Workload and PodGroup. Mirrors pkg/apis/scheduling/validation/validation.go (1.36). */
const maxTemplates = 8;

export function validateWorkload(workload: KubeObject, causes: Causes): void {
  const { controllerRef } = workload.spec ?? {};
  if (controllerRef) {
    const path = "spec.controllerRef";
    if (controllerRef.apiGroup) checkText(isDns1123Subdomain, controllerRef.apiGroup, `${path}.apiGroup`, causes);
    requiredPathSegment(controllerRef.kind, `${path}.kind`, causes);
    requiredPathSegment(controllerRef.name, `${path}.name`, causes);
  }
  const templates = listOf(workload.spec?.podGroupTemplates);
  const path = "spec.podGroupTemplates";
  if (templates.length === 0) return void causes.push(required(path, "must have at least one item"));
  if (templates.length > maxTemplates) return void causes.push(tooMany(path, templates.length, maxTemplates));
  const names = new Set<string>();
  for (const [index, template] of templates.entries()) {
    const field = `${path}[${index}]`;
    const name = textOf(template?.name);
    if (name === "") causes.push(required(`${field}.name`));
    else dnsLabel(name, `${field}.name`, causes);
    if (names.has(name)) causes.push(duplicate(field, name));
    names.add(name);
    validateGroup(template ?? {}, field, causes);
  }
}

export function validateWorkloadUpdate(workload: KubeObject, previous: KubeObject, causes: Causes): void {
  const before = previous.spec ?? {};
  if (before.controllerRef) immutable(workload.spec?.controllerRef, before.controllerRef, "spec.controllerRef", causes);
  immutable(workload.spec?.podGroupTemplates, before.podGroupTemplates, "spec.podGroupTemplates", causes);
}

export function validatePodGroup(group: KubeObject, causes: Causes): void {
  const reference = group.spec?.podGroupTemplateRef?.workload;
  if (reference) {
    const path = "spec.podGroupTemplateRef.workload";
    for (const field of ["workloadName", "podGroupTemplateName"]) {
      if (!reference[field]) causes.push(required(`${path}.${field}`));
      else dnsSubdomain(reference[field], `${path}.${field}`, causes);
    }
  }
  validateGroup(group.spec ?? {}, "spec", causes);
}

function validateGroup(spec: any, path: string, causes: Causes): void {
  validatePolicy(spec.schedulingPolicy ?? {}, `${path}.schedulingPolicy`, causes);
  if (isSet(spec.disruptionMode))
    supportedEnum(spec.disruptionMode, ["Pod", "PodGroup"], `${path}.disruptionMode`, causes);
  if (spec.priorityClassName) dnsSubdomain(spec.priorityClassName, `${path}.priorityClassName`, causes);
  for (const [index, claim] of listOf(spec.resourceClaims).entries()) {
    const field = `${path}.resourceClaims[${index}]`;
    dnsLabel(claim?.name, `${field}.name`, causes);
    const given = [claim?.resourceClaimName, claim?.resourceClaimTemplateName].filter(isSet).length;
    if (given !== 1) {
      causes.push(
        invalid(
          field,
          given === 0 ? "" : claim,
          "must specify exactly one of: `resourceClaimName`, `resourceClaimTemplateName`",
        ),
      );
    }
  }
}

function validatePolicy(policy: any, path: string, causes: Causes): void {
  const { basic, gang } = policy;
  if (!isSet(basic) && !isSet(gang)) causes.push(invalid(path, "", "must specify one of: `basic`, `gang`"));
  else if (isSet(basic) && isSet(gang)) {
    causes.push(
      invalid(path, "{`basic`, `gang`}", "exactly one of `basic`, `gang` is required, but multiple fields are set"),
    );
  } else if (isSet(gang)) {
    const count = numberOf(gang.minCount);
    if (count === 0) causes.push(required(`${path}.gang.minCount`));
    else if (count < 0) causes.push(invalid(`${path}.gang.minCount`, count, isNotPositiveMessage));
  }
}
