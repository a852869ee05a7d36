import { invalid, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { entriesOf, fieldImmutableMessage, listOf, quantityOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { isStandardQuotaResource, validateQuotaResourceName, validateResourceQuantity } from "./resource-names.ts";

/** Resource quotas. Mirrors ValidateResourceQuota of pkg/apis/core/validation (1.36). */
const scopes = new Set([
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
  "VolumeAttributesClass",
]);
const valueless = new Set([
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
]);
const podCompute = new Set(["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"]);
const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

function isScopeValidForResource(scope: string, resource: string): boolean {
  switch (scope) {
    case "BestEffort":
      return resource === "pods";
    case "VolumeAttributesClass":
      return resource === "persistentvolumeclaims" || resource === "requests.storage";
    default:
      return !scopes.has(scope) || resource === "pods" || podCompute.has(resource);
  }
}

function validateAmounts(amounts: unknown, path: string, causes: Causes): void {
  for (const [name, amount] of entriesOf(amounts)) {
    const field = `${path}[${name}]`;
    validateQuotaResourceName(name, field, causes);
    validateResourceQuantity(name, quantityOf(amount), field, causes);
  }
}

function validateQuotaSpec(spec: any, causes: Causes): void {
  validateAmounts(spec.hard, "spec.hard", causes);
  const resources = Object.keys(spec.hard ?? {})
    .filter(isStandardQuotaResource)
    .sort();
  const given = listOf(spec.scopes);
  for (const scope of given) {
    if (!scopes.has(scope)) causes.push(invalid("spec.scopes", given, "unsupported scope"));
    for (const resource of resources) {
      if (!isScopeValidForResource(scope, resource)) {
        causes.push(invalid("spec.scopes", given, "unsupported scope applied to resource"));
      }
    }
  }
  checkConflicts(given, "spec.scopes", given, causes);
  if (spec.scopeSelector) validateScopeSelector(spec, resources, causes);
}

function checkConflicts(found: string[], path: string, shown: unknown, causes: Causes): void {
  for (const pair of opposites) {
    if (pair.every((scope) => found.includes(scope))) causes.push(invalid(path, shown, "conflicting scopes"));
  }
}

/** Terms are reported without their index, as upstream does. */
function validateScopeSelector(spec: any, resources: string[], causes: Causes): void {
  const path = "spec.scopeSelector.matchExpressions";
  const terms = listOf(spec.scopeSelector.matchExpressions);
  for (const term of terms) {
    const scope = textOf(term.scopeName);
    const values = listOf(term.values);
    if (!scopes.has(scope)) causes.push(invalid(`${path}.scopeName`, scope, "unsupported scope"));
    for (const resource of resources) {
      if (!isScopeValidForResource(scope, resource)) {
        causes.push(invalid(path, spec.scopeSelector, "unsupported scope applied to resource"));
      }
    }
    if (valueless.has(scope) && term.operator !== "Exists") {
      causes.push(
        invalid(
          `${path}.operator`,
          textOf(term.operator),
          "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        ),
      );
    }
    switch (term.operator) {
      case "In":
      case "NotIn":
        if (values.length === 0) {
          causes.push(
            required(
              `${path}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          );
        }
        break;
      case "Exists":
      case "DoesNotExist":
        if (values.length > 0) {
          causes.push(
            invalid(
              `${path}.values`,
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          );
        }
        break;
      default:
        causes.push(invalid(`${path}.operator`, textOf(term.operator), "not a valid selector operator"));
    }
  }
  checkConflicts(
    terms.map((term) => term.scopeName),
    path,
    listOf(spec.scopes),
    causes,
  );
}

export function validateResourceQuota(quota: KubeObject, causes: Causes): void {
  validateQuotaSpec(quota.spec ?? {}, causes);
  validateAmounts(quota.status?.hard, "status.hard", causes);
  validateAmounts(quota.status?.used, "status.used", causes);
}

export function validateResourceQuotaUpdate(quota: KubeObject, previous: KubeObject, causes: Causes): void {
  validateQuotaSpec(quota.spec ?? {}, causes);
  const now = new Set(listOf(quota.spec?.scopes));
  const before = new Set(listOf(previous.spec?.scopes));
  if (now.size !== before.size || [...now].some((scope) => !before.has(scope))) {
    causes.push(invalid("spec.scopes", listOf(quota.spec?.scopes), fieldImmutableMessage));
  }
}

export function validateResourceQuotaStatusUpdate(quota: KubeObject, _previous: KubeObject, causes: Causes): void {
  validateAmounts(quota.status?.hard, "status.hard", causes);
  validateAmounts(quota.status?.used, "status.used", causes);
}
