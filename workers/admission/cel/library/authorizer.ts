import type { NamedOverload } from "../functions.ts";
import { method } from "../functions.ts";
import { boolType, opaque, stringType } from "../types.ts";
import { OpaqueValue } from "../values.ts";

/** What a check asks for: authorizer.Attributes of upstream without the user. */
export interface CheckAttributes {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Of a service account that the check is made for instead of the request's user. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

export interface CheckResult {
  readonly allowed: boolean;
  readonly reason: string;
  /** Empty when the check was made. */
  readonly error: string;
}

/** Evaluation is synchronous: whoever supplies this decides from what it holds in memory. */
export type Authorize = (attributes: CheckAttributes) => CheckResult;

type Draft = Omit<CheckAttributes, "verb">;

/** A check under construction; what may still be said depends on the type name. */
export class CheckValue extends OpaqueValue {
  readonly typeName: string;
  readonly authorize: Authorize;
  readonly draft: Draft;

  constructor(typeName: string, authorize: Authorize, draft: Draft) {
    super();
    this.typeName = typeName;
    this.authorize = authorize;
    this.draft = draft;
  }

  with(typeName: string, addition: Draft): CheckValue {
    return new CheckValue(typeName, this.authorize, { ...this.draft, ...addition });
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

class DecisionValue extends OpaqueValue {
  readonly typeName = "kubernetes.authorization.Decision";
  readonly result: CheckResult;

  constructor(result: CheckResult) {
    super();
    this.result = result;
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

const names = {
  authorizer: "kubernetes.authorization.Authorizer",
  path: "kubernetes.authorization.PathCheck",
  group: "kubernetes.authorization.GroupCheck",
  resource: "kubernetes.authorization.ResourceCheck",
};
export const authorizerType = opaque(names.authorizer);
export const resourceCheckType = opaque(names.resource);
const pathType = opaque(names.path);
const groupType = opaque(names.group);
const decisionType = opaque("kubernetes.authorization.Decision");

/** The value of the variable `authorizer`. */
export function newAuthorizerValue(authorize: Authorize): CheckValue {
  return new CheckValue(names.authorizer, authorize, {});
}

/** The value of the variable `authorizer.requestResource`. */
export function newResourceCheckValue(authorize: Authorize, draft: Omit<CheckAttributes, "verb">): CheckValue {
  return new CheckValue(names.resource, authorize, draft);
}

const check = (value: CheckValue, verb: string): DecisionValue =>
  new DecisionValue(value.authorize({ ...value.draft, verb }));
/** At most two checks fit an expression's budget. */
const checkCost = (): number => 350_000;

type Part = "subresource" | "namespace" | "name" | "fieldSelector" | "labelSelector";
const parts: readonly Part[] = ["subresource", "namespace", "name", "fieldSelector", "labelSelector"];

/** k8s.io/apiserver pkg/cel/library/authz.go (1.36). */
export const authorizerLibrary: readonly NamedOverload[] = [
  method("authorizer_path", "path", [authorizerType, stringType], pathType, (value: CheckValue, path: string) =>
    value.with(names.path, { path }),
  ),
  method("authorizer_group", "group", [authorizerType, stringType], groupType, (value: CheckValue, group: string) =>
    value.with(names.group, { group }),
  ),
  method(
    "authorizer_serviceaccount",
    "serviceAccount",
    [authorizerType, stringType, stringType],
    authorizerType,
    (value: CheckValue, namespace: string, name: string) =>
      value.with(names.authorizer, { serviceAccount: { namespace, name } }),
  ),
  method(
    "groupcheck_resource",
    "resource",
    [groupType, stringType],
    resourceCheckType,
    (value: CheckValue, resource: string) => value.with(names.resource, { resource }),
  ),
  ...parts.map((part) =>
    method(
      `resourcecheck_${part.toLowerCase()}`,
      part,
      [resourceCheckType, stringType],
      resourceCheckType,
      (value: CheckValue, text: string) => value.with(names.resource, { [part]: text }),
    ),
  ),
  method("pathcheck_check", "check", [pathType, stringType], decisionType, check, checkCost),
  method("resourcecheck_check", "check", [resourceCheckType, stringType], decisionType, check, checkCost),
  method("decision_allowed", "allowed", [decisionType], boolType, (decision: DecisionValue) => decision.result.allowed),
  method("decision_reason", "reason", [decisionType], stringType, (decision: DecisionValue) => decision.result.reason),
  method("decision_error", "error", [decisionType], stringType, (decision: DecisionValue) => decision.result.error),
  method(
    "decision_errored",
    "errored",
    [decisionType],
    boolType,
    (decision: DecisionValue) => decision.result.error !== "",
  ),
];
