import type { KubeObject } from "../../../apimachinery/meta.ts";
import { newMethodNotAllowed } from "../../../apimachinery/status-errors.ts";
import { applyDefaults } from "../../../apis/defaulting/defaulting.ts";
import type { ResourceInfo } from "../../../apis/resource-info.ts";
import { negotiate } from "../../negotiation/negotiate.ts";
import { writeObject } from "../../negotiation/write-object.ts";
import type { AppContext } from "../../request/context.ts";
import { parseWriteOptions } from "../../request/options.ts";
import { decodeBody, kindOf } from "../decode-body.ts";
import { queryOf } from "../scope.ts";
import { reviewLocalAccess, reviewSelfAccess, reviewSubjectAccess } from "./access-review.ts";
import { reviewSelfRules } from "./rules-review.ts";
import { reviewSelf } from "./self-subject-review.ts";
import { reviewToken } from "./token-review.ts";

/** Fills the review's status. Throws StatusError for a bad spec. */
export type Review = (review: KubeObject, c: AppContext) => Promise<unknown> | unknown;

const reviews: Record<string, Review> = {
  SelfSubjectAccessReview: reviewSelfAccess,
  SubjectAccessReview: reviewSubjectAccess,
  LocalSubjectAccessReview: reviewLocalAccess,
  SelfSubjectRulesReview: reviewSelfRules,
  SelfSubjectReview: reviewSelf,
  TokenReview: reviewToken,
};

/** POST of a question that is answered in its status and never stored. Mirrors pkg/registry/{authentication,authorization} (1.36). */
export async function reviewHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const review = reviews[resource.kind];
  if (review === undefined) throw newMethodNotAllowed();
  const form = negotiate(c.req.header("Accept"), "plain");
  const options = parseWriteOptions(queryOf(c), "CreateOptions");
  const object = await decodeBody(c, kindOf(resource), options.fieldValidation);
  applyDefaults(kindOf(resource), object);
  const status = await review(object, c);
  return writeObject({ ...object, status }, form, 201);
}
