import type { KubeObject } from "../../../apimachinery/meta.ts";
import { newBadRequest } from "../../../apimachinery/status-errors.ts";
import { componentAuthorizer } from "../../authorization/authorizer.ts";
import type { AppContext } from "../../request/context.ts";

/** What may the requester do in a namespace? Mirrors pkg/registry/authorization/selfsubjectrulesreview (1.36). */
export function reviewSelfRules(review: KubeObject, c: AppContext) {
  const namespace: string = review.spec?.namespace ?? "";
  if (namespace === "") throw newBadRequest("no namespace on request");
  return { ...componentAuthorizer.rulesFor(c.get("user"), namespace), incomplete: false };
}
