import { invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { checkText, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateLabelSelector } from "./label-selector.ts";
import { requiredPathSegment } from "./references.ts";
import { checks } from "./registry.ts";
import type { Validators } from "./registry.ts";

/** Mirrors pkg/apis/rbac/validation/validation.go (1.36). */
const group = "rbac.authorization.k8s.io";

function validateRole(isNamespaced: boolean) {
  return (role: KubeObject, causes: Causes): void => {
    for (const [index, rule] of listOf(role["rules"]).entries())
      validateRule(rule ?? {}, isNamespaced, `rules[${index}]`, causes);
    const aggregation = role["aggregationRule"];
    if (isNamespaced || !aggregation) return;
    const selectors = listOf(aggregation.clusterRoleSelectors);
    const path = "aggregationRule.clusterRoleSelectors";
    if (selectors.length === 0)
      causes.push(required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
    for (const [index, selector] of selectors.entries()) {
      const field = `${path}[${index}]`;
      const before = causes.length;
      validateLabelSelector(selector, field, causes);
      if (causes.length > before) causes.push(invalid(field, selector, "invalid label selector"));
    }
  };
}

function validateRule(rule: any, isNamespaced: boolean, path: string, causes: Causes): void {
  const [verbs, urls, groups, resources, names] = [
    "verbs",
    "nonResourceURLs",
    "apiGroups",
    "resources",
    "resourceNames",
  ].map((field) => listOf(rule[field])) as [any[], any[], any[], any[], any[]];
  if (verbs.length === 0) causes.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  if (urls.length > 0) {
    const field = `${path}.nonResourceURLs`;
    if (isNamespaced) causes.push(invalid(field, urls, "namespaced rules cannot apply to non-resource URLs"));
    if (groups.length > 0 || resources.length > 0 || names.length > 0) {
      causes.push(invalid(field, urls, "rules cannot apply to both regular resources and non-resource URLs"));
    }
    return;
  }
  if (groups.length === 0)
    causes.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  if (resources.length === 0)
    causes.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
}

function validateBinding(kinds: readonly string[], isNamespaced: boolean) {
  return (binding: KubeObject, causes: Causes): void => {
    const { apiGroup, kind, name } = binding["roleRef"] ?? {};
    if (apiGroup !== group) causes.push(notSupported("roleRef.apiGroup", textOf(apiGroup), [group]));
    if (!kinds.includes(kind)) causes.push(notSupported("roleRef.kind", textOf(kind), kinds));
    requiredPathSegment(name, "roleRef.name", causes);
    for (const [index, subject] of listOf(binding["subjects"]).entries()) {
      validateSubject(subject ?? {}, isNamespaced, `subjects[${index}]`, causes);
    }
  };
}

function validateSubject(subject: any, isNamespaced: boolean, path: string, causes: Causes): void {
  const { kind, apiGroup } = subject;
  const name = textOf(subject.name);
  if (name === "") causes.push(required(`${path}.name`));
  switch (kind) {
    case "ServiceAccount":
      if (name !== "") checkText(isDns1123Subdomain, name, `${path}.name`, causes);
      if (apiGroup) causes.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
      if (!isNamespaced && !subject.namespace) causes.push(required(`${path}.namespace`));
      break;
    case "User":
    case "Group":
      if (name === "") causes.push(invalid(`${path}.name`, name, `${kind.toLowerCase()} name cannot be empty`));
      if (apiGroup !== group) causes.push(notSupported(`${path}.apiGroup`, textOf(apiGroup), [group]));
      break;
    default:
      causes.push(notSupported(`${path}.kind`, textOf(kind), ["ServiceAccount", "User", "Group"]));
  }
}

function validateRoleRef(binding: KubeObject, previous: KubeObject, causes: Causes): void {
  if (!semanticEqual(binding["roleRef"], previous["roleRef"]))
    causes.push(invalid("roleRef", binding["roleRef"], "cannot change roleRef"));
}

export const rbacValidators: Validators = {
  [`roles.${group}`]: checks(validateRole(true)),
  [`clusterroles.${group}`]: checks(validateRole(false)),
  [`rolebindings.${group}`]: checks(validateBinding(["Role", "ClusterRole"], true), validateRoleRef),
  [`clusterrolebindings.${group}`]: checks(validateBinding(["ClusterRole"], false), validateRoleRef),
};
