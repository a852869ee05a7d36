import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { duplicate, forbidden, invalid, notSupported, required, tooMany } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import {
  isDns1035Label,
  isDns1123Subdomain,
  isLabelKey,
  isValidPathSegmentName,
} from "../../apimachinery/validation-names.ts";
import {
  failurePolicies,
  matchPolicies,
  validateMatchResources,
  validateRuleWithOperations,
} from "./admission-rules.ts";
import { checkText, isSet, listOf, supportedEnum, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateLabelSelector } from "./label-selector.ts";
import { validateFullyQualifiedName } from "./references.ts";
import { checks } from "./registry.ts";
import type { Validators } from "./registry.ts";
import { validateWebhookClient } from "./webhook-client.ts";

/** Mirrors pkg/apis/admissionregistration/validation/validation.go (1.36); expressions are not compiled here. */
const reviewVersions = ["v1", "v1beta1"];
const noSideEffects = ["None", "NoneOnDryRun"];
const sideEffects = ["None", "NoneOnDryRun", "Some", "Unknown"];
const maxMatchConditions = 64;
const maxAuditAnnotations = 20;
const maxValueExpressionLength = 5 * 1024;

/** What may stay as it was before a rule became strict. */
interface WebhookOptions {
  sideEffects: readonly string[];
  requireKnownVersion: boolean;
  requireUniqueNames: boolean;
  matchConditions: boolean;
}

const strict: WebhookOptions = {
  sideEffects: noSideEffects,
  requireKnownVersion: true,
  requireUniqueNames: true,
  matchConditions: true,
};

function optionsFor(webhooks: any[], before: any[]): WebhookOptions {
  const hasNone = before.every((hook) => noSideEffects.includes(hook?.sideEffects));
  const knows = (hook: any) => {
    const versions = listOf(hook?.admissionReviewVersions);
    return versions.length === 0 || versions.some((version) => reviewVersions.includes(version));
  };
  return {
    sideEffects: hasNone ? noSideEffects : sideEffects,
    requireKnownVersion: before.every(knows),
    requireUniqueNames: new Set(before.map((hook) => hook?.name)).size === before.length,
    matchConditions:
      webhooks.length !== before.length ||
      webhooks.some((hook, index) => !semanticEqual(hook?.matchConditions, before[index]?.matchConditions)),
  };
}

function validateWebhooks(isMutating: boolean, object: KubeObject, options: WebhookOptions, causes: Causes): void {
  const names = new Set<string>();
  for (const [index, hook] of listOf(object["webhooks"]).entries()) {
    const path = `webhooks[${index}]`;
    validateWebhook(isMutating, hook ?? {}, options, path, causes);
    validateReviewVersions(listOf(hook?.admissionReviewVersions), options, `${path}.admissionReviewVersions`, causes);
    const name = textOf(hook?.name);
    if (!options.requireUniqueNames || name === "") continue;
    if (names.has(name)) causes.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
}

function validateWebhook(isMutating: boolean, hook: any, options: WebhookOptions, path: string, causes: Causes): void {
  validateFullyQualifiedName(hook.name, `${path}.name`, causes);
  for (const [index, rule] of listOf(hook.rules).entries())
    validateRuleWithOperations(rule ?? {}, `${path}.rules[${index}]`, causes);
  if (isSet(hook.failurePolicy)) supportedEnum(hook.failurePolicy, failurePolicies, `${path}.failurePolicy`, causes);
  if (isSet(hook.matchPolicy)) supportedEnum(hook.matchPolicy, matchPolicies, `${path}.matchPolicy`, causes);
  const allowed = options.sideEffects;
  if (!isSet(hook.sideEffects))
    causes.push(required(`${path}.sideEffects`, `must specify one of ${allowed.join(", ")}`));
  else supportedEnum(hook.sideEffects, allowed, `${path}.sideEffects`, causes);
  const seconds = hook.timeoutSeconds;
  if (isSet(seconds) && (seconds > 30 || seconds < 1)) {
    causes.push(invalid(`${path}.timeoutSeconds`, seconds, "the timeout value must be between 1 and 30 seconds"));
  }
  validateLabelSelector(hook.namespaceSelector, `${path}.namespaceSelector`, causes);
  validateLabelSelector(hook.objectSelector, `${path}.objectSelector`, causes);
  if (isMutating && isSet(hook.reinvocationPolicy)) {
    supportedEnum(hook.reinvocationPolicy, ["IfNeeded", "Never"], `${path}.reinvocationPolicy`, causes);
  }
  validateWebhookClient(hook.clientConfig, `${path}.clientConfig`, causes);
  if (options.matchConditions) validateMatchConditions(hook.matchConditions, `${path}.matchConditions`, causes);
}

function validateReviewVersions(versions: any[], options: WebhookOptions, path: string, causes: Causes): void {
  const known = reviewVersions.join(", ");
  if (versions.length === 0) return void causes.push(required(path, `must specify one of ${known}`));
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) < index) causes.push(invalid(`${path}[${index}]`, version, "duplicate version"));
    else checkText(isDns1035Label, version, `${path}[${index}]`, causes);
  }
  if (options.requireKnownVersion && !versions.some((version) => reviewVersions.includes(version))) {
    causes.push(invalid(path, versions, `must include at least one of ${known}`));
  }
}

function validateMatchConditions(value: unknown, path: string, causes: Causes): void {
  const conditions = listOf(value);
  if (conditions.length > maxMatchConditions) causes.push(tooMany(path, conditions.length, maxMatchConditions));
  const names = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const field = `${path}[${index}]`;
    if (isBlank(condition?.expression)) causes.push(required(`${field}.expression`));
    const name = textOf(condition?.name);
    if (name === "") causes.push(required(`${field}.name`));
    else checkText(isLabelKey, name, `${field}.name`, causes);
    if (name !== "" && names.has(name)) causes.push(duplicate(`${field}.name`, name));
    names.add(name);
  }
}

function isBlank(value: unknown): boolean {
  return textOf(value).trim() === "";
}

/** What validating and mutating policies share. */
function validatePolicy(spec: any, causes: Causes): void {
  if (!isSet(spec.failurePolicy)) causes.push(required("spec.failurePolicy"));
  else supportedEnum(spec.failurePolicy, failurePolicies, "spec.failurePolicy", causes);
  if (spec.paramKind) validateParamKind(spec.paramKind, "spec.paramKind", causes);
  if (!spec.matchConstraints) causes.push(required("spec.matchConstraints"));
  else {
    validateMatchResources(spec.matchConstraints, "spec.matchConstraints", causes);
    if (listOf(spec.matchConstraints.resourceRules).length === 0)
      causes.push(required("spec.matchConstraints.resourceRules"));
  }
  validateMatchConditions(spec.matchConditions, "spec.matchConditions", causes);
  for (const [index, variable] of listOf(spec.variables).entries()) {
    const path = `spec.variables[${index}]`;
    if (isBlank(variable?.name)) causes.push(required(`${path}.name`, "name is not specified"));
    else if (!isCelIdentifier(textOf(variable.name)))
      causes.push(invalid(`${path}.name`, variable.name, "name is not a valid CEL identifier"));
    if (isBlank(variable?.expression)) causes.push(required(`${path}.expression`, "expression is not specified"));
  }
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

function isCelIdentifier(name: string): boolean {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name);
}

function validateParamKind(kind: any, path: string, causes: Causes): void {
  const version = textOf(kind.apiVersion);
  const parts = version.split("/");
  const field = `${path}.apiVersion`;
  if (version === "") causes.push(required(field));
  else if (parts.length > 2) causes.push(invalid(field, version, `unexpected GroupVersion string: ${version}`));
  else {
    const [group, name] = parts.length === 2 ? (parts as [string, string]) : ["", version];
    if (group !== "") joined(isDns1123Subdomain, group, field, causes);
    if (name === "") causes.push(invalid(field, version, "version must be specified"));
    else joined(isDns1035Label, name, field, causes);
  }
  const name = textOf(kind.kind);
  if (name === "") return void causes.push(required(`${path}.kind`));
  const problems = isDns1035Label(name.toLowerCase());
  if (problems.length > 0) {
    causes.push(
      invalid(`${path}.kind`, name, `may have mixed case, but should otherwise match: ${problems.join(",")}`),
    );
  }
}

function joined(check: (text: string) => string[], value: string, path: string, causes: Causes): void {
  const problems = check(value);
  if (problems.length > 0) causes.push(invalid(path, value, problems.join(",")));
}

function validateValidatingPolicy(object: KubeObject, causes: Causes): void {
  const spec = object.spec ?? {};
  validatePolicy(spec, causes);
  const [validations, annotations] = [listOf(spec.validations), listOf(spec.auditAnnotations)];
  if (validations.length === 0 && annotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    causes.push(required("spec.validations", detail), required("spec.auditAnnotations", detail));
    return;
  }
  for (const [index, validation] of validations.entries())
    validateValidation(validation ?? {}, `spec.validations[${index}]`, causes);
  if (annotations.length > maxAuditAnnotations) {
    causes.push(
      invalid("spec.auditAnnotations", annotations, `must not have more than ${maxAuditAnnotations} auditAnnotations`),
    );
  }
  const keys = new Set<string>();
  for (const [index, annotation] of annotations.entries()) {
    const path = `spec.auditAnnotations[${index}]`;
    validateAuditAnnotation(object.metadata.name ?? "", annotation ?? {}, path, causes);
    const key = textOf(annotation?.key);
    if (keys.has(key)) causes.push(duplicate(`${path}.key`, key));
    keys.add(key);
  }
}

function validateValidation(validation: any, path: string, causes: Causes): void {
  const [message, messageExpression] = [textOf(validation.message), textOf(validation.messageExpression)];
  if (isBlank(validation.expression)) causes.push(required(`${path}.expression`, "expression is not specified"));
  if (messageExpression !== "" && isBlank(messageExpression)) {
    causes.push(invalid(`${path}.messageExpression`, messageExpression, "must be non-empty if specified"));
  }
  if (message !== "" && isBlank(message))
    causes.push(invalid(`${path}.message`, message, "message must be non-empty if specified"));
  else if (/[\n\r]/.test(message.trim()))
    causes.push(invalid(`${path}.message`, message, "message must not contain line breaks"));
  const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
  if (isSet(validation.reason)) supportedEnum(validation.reason, reasons, `${path}.reason`, causes);
}

function validateAuditAnnotation(policy: string, annotation: any, path: string, causes: Causes): void {
  const key = textOf(annotation.key);
  if (policy !== "") checkText(isLabelKey, `${policy}/${key}`, `${path}.key`, causes);
  else causes.push(invalid(`${path}.key`, key, "requires metadata.name be non-empty"));
  const expression = textOf(annotation.valueExpression).trim();
  const field = `${path}.valueExpression`;
  if (expression === "") causes.push(required(field, "valueExpression is not specified"));
  else if (expression.length > maxValueExpressionLength) {
    causes.push(required(field, `must not exceed ${maxValueExpressionLength} bytes in length`));
  }
}

function validateMutatingPolicy(object: KubeObject, causes: Causes): void {
  const spec = object.spec ?? {};
  validatePolicy(spec, causes);
  const mutations = listOf(spec.mutations);
  if (mutations.length === 0) causes.push(required("spec.mutations", "mutations must contain at least one item"));
  for (const [index, mutation] of mutations.entries())
    validateMutation(mutation ?? {}, `spec.mutations[${index}]`, causes);
  if (!spec.reinvocationPolicy) causes.push(required("spec.reinvocationPolicy"));
  else supportedEnum(spec.reinvocationPolicy, ["IfNeeded", "Never"], "spec.reinvocationPolicy", causes);
}

const patchFields = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;

function validateMutation(mutation: any, path: string, causes: Causes): void {
  const type = textOf(mutation.patchType);
  if (type === "") return void causes.push(required(`${path}.patchType`));
  if (!Object.hasOwn(patchFields, type)) {
    return void causes.push(notSupported(`${path}.patchType`, type, Object.keys(patchFields)));
  }
  for (const [name, field] of Object.entries(patchFields)) {
    const value = mutation[field];
    if (name !== type) {
      if (isSet(value)) causes.push(invalid(`${path}.${field}`, value, `not allowed when patchType is ${type}`));
    } else if (!isSet(value)) causes.push(required(`${path}.${field}`, `required when patchType is ${type}`));
    else if (isBlank(value.expression))
      causes.push(required(`${path}.${field}.expression`, "expression is not specified"));
  }
}

/** The path of matchResources is misspelt upstream; clients may rely on it. */
function validateBinding(object: KubeObject, causes: Causes): void {
  const spec = object.spec ?? {};
  if (!spec.policyName) causes.push(required("spec.policyName"));
  else checkText(isDns1123Subdomain, spec.policyName, "spec.policyName", causes);
  if (spec.paramRef) validateParamRef(spec.paramRef, "spec.paramRef", causes);
  validateMatchResources(spec.matchResources, "spec.matchResouces", causes);
}

function validateParamRef(ref: any, path: string, causes: Causes): void {
  const exclusive = "name and selector are mutually exclusive";
  if (ref.name) {
    checkText(isValidPathSegmentName, ref.name, `${path}.name`, causes);
    if (ref.selector) causes.push(forbidden(`${path}.name`, exclusive));
  }
  if (ref.selector) {
    validateLabelSelector(ref.selector, `${path}.selector`, causes);
    if (ref.name) causes.push(forbidden(`${path}.selector`, exclusive));
  }
  if (!ref.name && !ref.selector) causes.push(required(path, "one of name or selector must be specified"));
  if (!ref.parameterNotFoundAction) causes.push(required(`${path}.parameterNotFoundAction`));
  else supportedEnum(ref.parameterNotFoundAction, ["Deny", "Allow"], `${path}.parameterNotFoundAction`, causes);
}

function validateValidatingBinding(object: KubeObject, causes: Causes): void {
  validateBinding(object, causes);
  const actions = listOf(object.spec?.validationActions);
  const path = "spec.validationActions";
  for (const [index, action] of actions.entries()) {
    supportedEnum(action, ["Audit", "Deny", "Warn"], `${path}[${index}]`, causes);
    if (actions.indexOf(action) < index) causes.push(duplicate(`${path}[${index}]`, action));
  }
  if (actions.includes("Deny") && actions.includes("Warn")) {
    causes.push(
      invalid(
        path,
        actions,
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      ),
    );
  }
  if (actions.length === 0) causes.push(required(path, "at least one validation action is required"));
}

function webhooks(isMutating: boolean): Validators[string] {
  return {
    create: (object, causes) => validateWebhooks(isMutating, object, strict, causes),
    update(object, previous, causes) {
      const options = optionsFor(listOf(object["webhooks"]), listOf(previous["webhooks"]));
      validateWebhooks(isMutating, object, options, causes);
    },
  };
}

const group = "admissionregistration.k8s.io";

export const admissionregistrationValidators: Validators = {
  [`validatingwebhookconfigurations.${group}`]: webhooks(false),
  [`mutatingwebhookconfigurations.${group}`]: webhooks(true),
  [`validatingadmissionpolicies.${group}`]: checks(validateValidatingPolicy),
  [`validatingadmissionpolicybindings.${group}`]: checks(validateValidatingBinding),
  [`mutatingadmissionpolicies.${group}`]: checks(validateMutatingPolicy),
  [`mutatingadmissionpolicybindings.${group}`]: checks(validateBinding),
};
