import { duplicate, forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import { isNotPositiveMessage, isSet, labelName, listOf, numberOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateLabelSelector } from "./label-selector.ts";

const policies = ["Honor", "Ignore"];

/** Mirrors validateTopologySpreadConstraints of pkg/apis/core/validation (1.36). */
export function validateTopologySpreadConstraints(constraints: any[], path: string, causes: Causes): void {
  for (const [index, constraint] of constraints.entries()) {
    const field = `${path}[${index}]`;
    const { topologyKey, whenUnsatisfiable, minDomains } = constraint;
    const maxSkew = numberOf(constraint.maxSkew);
    if (maxSkew <= 0) causes.push(invalid(`${field}.maxSkew`, maxSkew, isNotPositiveMessage));
    if (!topologyKey) causes.push(required(`${field}.topologyKey`, "can not be empty"));
    if (whenUnsatisfiable !== "DoNotSchedule" && whenUnsatisfiable !== "ScheduleAnyway") {
      causes.push(
        notSupported(`${field}.whenUnsatisfiable`, textOf(whenUnsatisfiable), ["DoNotSchedule", "ScheduleAnyway"]),
      );
    }
    const repeated = constraints
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (repeated) {
      causes.push(
        duplicate(
          `${field}.{topologyKey, whenUnsatisfiable}`,
          `{${textOf(topologyKey)}, ${textOf(whenUnsatisfiable)}}`,
        ),
      );
    }
    if (isSet(minDomains)) {
      if (minDomains <= 0) causes.push(invalid(`${field}.minDomains`, minDomains, isNotPositiveMessage));
      if (whenUnsatisfiable !== "DoNotSchedule") {
        causes.push(
          invalid(
            `${field}.minDomains`,
            minDomains,
            `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${textOf(whenUnsatisfiable)}`,
          ),
        );
      }
    }
    for (const policy of ["nodeAffinityPolicy", "nodeTaintsPolicy"]) {
      if (isSet(constraint[policy]) && !policies.includes(constraint[policy])) {
        causes.push(notSupported(`${field}.${policy}`, constraint[policy], policies));
      }
    }
    validateMatchLabelKeys(constraint, `${field}.matchLabelKeys`, causes);
    validateLabelSelector(constraint.labelSelector, `${field}.labelSelector`, causes);
  }
}

function validateMatchLabelKeys(constraint: any, path: string, causes: Causes): void {
  const keys = listOf(constraint.matchLabelKeys);
  if (keys.length === 0) return;
  const selector = constraint.labelSelector;
  if (!selector) causes.push(forbidden(path, "must not be specified when labelSelector is not set"));
  const selected = new Set([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...listOf(selector?.matchExpressions).map((expression) => expression.key),
  ]);
  for (const [index, key] of keys.entries()) {
    labelName(key, `${path}[${index}]`, causes);
    if (selected.has(key))
      causes.push(invalid(`${path}[${index}]`, key, "exists in both matchLabelKeys and labelSelector"));
  }
}
