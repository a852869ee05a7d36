import { invalid, notSupported } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isSet, nonnegative } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { isNotMoreThan100Percent, validatePositiveIntOrPercent } from "./int-or-percent.ts";
import { validateLabelSelector } from "./label-selector.ts";

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

/** Mirrors ValidatePodDisruptionBudget of pkg/apis/policy/validation (1.36). */
export function validatePodDisruptionBudget(budget: KubeObject, causes: Causes): void {
  const spec = budget.spec ?? {};
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  if (isSet(minAvailable) && isSet(maxUnavailable)) {
    const shown = {
      MinAvailable: minAvailable,
      Selector: spec.selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    };
    causes.push(invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const field of ["minAvailable", "maxUnavailable"]) {
    if (!isSet(spec[field])) continue;
    validatePositiveIntOrPercent(spec[field], `spec.${field}`, causes);
    isNotMoreThan100Percent(spec[field], `spec.${field}`, causes);
  }
  validateLabelSelector(spec.selector, "spec.selector", causes);
  if (isSet(policy) && !evictionPolicies.includes(policy)) {
    causes.push(notSupported("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies));
  }
}

const counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];

export function validateBudgetStatusUpdate(budget: KubeObject, _previous: KubeObject, causes: Causes): void {
  for (const field of counts) nonnegative(budget.status?.[field], `status.${field}`, causes);
}
