import type { KubeObject } from "../../../apimachinery/meta.ts";
import { newBadRequest } from "../../../apimachinery/status-errors.ts";
import { authenticateToken } from "../../filters/authentication.ts";
import type { AppContext } from "../../request/context.ts";
import { shownUser } from "./self-subject-review.ts";

/** Whose token is that? Mirrors pkg/registry/authentication/tokenreview/storage.go (1.36). */
export async function reviewToken(review: KubeObject, c: AppContext) {
  const token: string = review.spec?.token ?? "";
  if (token === "") throw newBadRequest("token is required for TokenReview in authentication");
  // Only audience-bound tokens could answer a question about audiences.
  const user = (review.spec?.audiences ?? []).length > 0 ? undefined : await authenticateToken(c, token);
  return user === undefined ? { user: {}, error: "invalid bearer token" } : { authenticated: true, user: shownUser(user) };
}
