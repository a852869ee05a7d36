import { forbidden, invalid, required } from "../../../apimachinery/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import { newBadRequest, newInvalid } from "../../../apimachinery/status-errors.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import type { UserInfo } from "../../authentication/user-info.ts";
import { componentAuthorizer } from "../../authorization/authorizer.ts";
import type { AuthorizerAttributes } from "../../authorization/authorizer.ts";
import type { AppContext } from "../../request/context.ts";

const group = "authorization.k8s.io";

/** May the requester do this? Mirrors pkg/registry/authorization/selfsubjectaccessreview (1.36). */
export function reviewSelfAccess(review: KubeObject, c: AppContext) {
  refuse(review, validateAttributes(review.spec ?? {}));
  return decide(c.get("user"), review.spec);
}

/** May that user do this? */
export function reviewSubjectAccess(review: KubeObject) {
  const spec = review.spec ?? {};
  refuse(review, [...validateSubject(spec), ...validateAttributes(spec)]);
  return decide(subjectOf(spec), spec);
}

/** As SubjectAccessReview, for one namespace. */
export function reviewLocalAccess(review: KubeObject, c: AppContext) {
  const spec = review.spec ?? {};
  const { namespace } = c.get("info");
  if (review.metadata.namespace && review.metadata.namespace !== namespace) {
    throw newBadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  review.metadata.namespace = namespace;
  const causes = [...validateSubject(spec), ...validateAttributes(spec)];
  if (spec.resourceAttributes && spec.resourceAttributes.namespace !== namespace) {
    causes.push(
      invalid(
        "spec.resourceAttributes.namespace",
        spec.resourceAttributes.namespace ?? "",
        "must match metadata.namespace",
      ),
    );
  }
  if (spec.nonResourceAttributes) {
    causes.push(forbidden("spec.nonResourceAttributes", "disallowed on this kind of request"));
  }
  refuse(review, causes);
  return decide(subjectOf(spec), spec);
}

function refuse(review: KubeObject, causes: InvalidCause[]): void {
  if (causes.length > 0) throw newInvalid({ group, kind: review.kind ?? "" }, "", causes);
}

function validateSubject(spec: any): InvalidCause[] {
  return spec.user || spec.groups?.length
    ? []
    : [invalid("spec.user", spec.user ?? "", "at least one of user or group must be specified")];
}

function validateAttributes(spec: any): InvalidCause[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes && nonResourceAttributes) {
    return [
      invalid(
        "spec.nonResourceAttributes",
        nonResourceAttributes,
        "cannot be specified in combination with resourceAttributes",
      ),
    ];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  return [
    required("spec.resourceAttributes", "exactly one of nonResourceAttributes or resourceAttributes must be specified"),
  ];
}

function subjectOf(spec: any): UserInfo {
  return {
    username: spec.user ?? "",
    groups: spec.groups ?? [],
    ...(spec.uid ? { uid: spec.uid } : {}),
    ...(spec.extra ? { extra: spec.extra } : {}),
  };
}

function decide(user: UserInfo, spec: any) {
  const decision = componentAuthorizer.authorize(user, attributesOf(spec));
  return { allowed: decision.allowed, ...(decision.reason ? { reason: decision.reason } : {}) };
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: any): AuthorizerAttributes {
  const none = { apiGroup: "", apiVersion: "", resource: "", subresource: "", namespace: "", name: "", path: "" };
  if (nonResourceAttributes) {
    return {
      ...none,
      isResourceRequest: false,
      verb: nonResourceAttributes.verb ?? "",
      path: nonResourceAttributes.path ?? "",
    };
  }
  const {
    verb = "",
    group: apiGroup = "",
    version = "*",
    resource = "",
    subresource = "",
    namespace = "",
    name = "",
  } = resourceAttributes;
  return {
    ...none,
    isResourceRequest: true,
    verb,
    apiGroup,
    apiVersion: version,
    resource,
    subresource,
    namespace,
    name,
  };
}
