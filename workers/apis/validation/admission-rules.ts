import { duplicate, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import { isValidPathSegmentName } from "../../apimachinery/validation-names.ts";
import { checkText, isSet, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateLabelSelector } from "./label-selector.ts";

/** What webhooks and policies match. Mirrors pkg/apis/admissionregistration/validation/validation.go (1.36). */
const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];

export const matchPolicies = ["Equivalent", "Exact"];
export const failurePolicies = ["Fail", "Ignore"];

export function validateRuleWithOperations(rule: any, path: string, causes: Causes): void {
  const given = listOf(rule.operations);
  if (given.length === 0) causes.push(required(`${path}.operations`));
  onlyWildcard(given, "operations", `${path}.operations`, causes);
  for (const [index, operation] of given.entries()) {
    if (!operations.includes(operation))
      causes.push(notSupported(`${path}.operations[${index}]`, textOf(operation), operations));
  }
  for (const [field, what] of [
    ["apiGroups", "API groups"],
    ["apiVersions", "API versions"],
  ] as const) {
    const values = listOf(rule[field]);
    if (values.length === 0) causes.push(required(`${path}.${field}`));
    onlyWildcard(values, what, `${path}.${field}`, causes);
    if (field === "apiGroups") continue;
    for (const [index, version] of values.entries())
      if (version === "") causes.push(required(`${path}.${field}[${index}]`));
  }
  validateResources(listOf(rule.resources).map(textOf), `${path}.resources`, causes);
  if (isSet(rule.scope) && !scopes.includes(rule.scope)) causes.push(notSupported(`${path}.scope`, rule.scope, scopes));
}

function onlyWildcard(values: any[], what: string, path: string, causes: Causes): void {
  if (values.length > 1 && values.includes("*"))
    causes.push(invalid(path, values, `if '*' is present, must not specify other ${what}`));
}

function validateResources(resources: string[], path: string, causes: Causes): void {
  if (resources.length === 0) causes.push(required(path));
  const allSubresources = new Set<string>();
  const allResources = new Set<string>();
  let plain = false;
  for (const [index, resource] of resources.entries()) {
    const field = `${path}[${index}]`;
    if (resource === "") {
      causes.push(required(field));
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) {
      plain = resource !== "*";
      continue;
    }
    const [name, subresource] = [resource.slice(0, slash), resource.slice(slash + 1)];
    if (allSubresources.has(name))
      causes.push(invalid(field, resource, `if '${name}/*' is present, must not specify ${resource}`));
    if (allResources.has(subresource)) {
      causes.push(invalid(field, resource, `if '*/${subresource}' is present, must not specify ${resource}`));
    }
    if (subresource === "*") allSubresources.add(name);
    if (name === "*") allResources.add(subresource);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    causes.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes("*") && plain) {
    causes.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  }
}

export function validateMatchResources(match: any, path: string, causes: Causes): void {
  if (!match) return;
  if (!isSet(match.matchPolicy)) causes.push(required(`${path}.matchPolicy`));
  else if (!matchPolicies.includes(match.matchPolicy)) {
    causes.push(notSupported(`${path}.matchPolicy`, match.matchPolicy, matchPolicies));
  }
  for (const field of ["namespaceSelector", "objectSelector"]) {
    if (!isSet(match[field])) causes.push(required(`${path}.${field}`));
    else validateLabelSelector(match[field], `${path}.${field}`, causes);
  }
  for (const field of ["resourceRules", "excludeResourceRules"]) {
    for (const [index, rule] of listOf(match[field]).entries())
      validateNamedRule(rule ?? {}, `${path}.${field}[${index}]`, causes);
  }
}

function validateNamedRule(rule: any, path: string, causes: Causes): void {
  const names = listOf(rule.resourceNames);
  for (const [index, name] of names.entries()) {
    const field = `${path}.resourceNames[${index}]`;
    checkText(isValidPathSegmentName, name, field, causes);
    if (names.indexOf(name) < index) causes.push(duplicate(field, name));
  }
  validateRuleWithOperations(rule, path, causes);
}
