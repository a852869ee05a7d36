import type { KubeObject } from "../../../apimachinery/meta.ts";
import { newBadRequest } from "../../../apimachinery/status-errors.ts";
import { authenticateToken } from "../../filters/authentication.ts";
import type { AppContext } from "../../request/context.ts";
import { shownUser } from "./self-subject-review.ts";

/** Whose token is that? Mirrors pkg/registry/authentication/tokenreview/storage.go (1.36). */
export async function reviewToken(review: KubeObject, c: AppContext) {
  const token: string = review.spec?.token ?? "";
  if (token === "") throw newBadRequest("token is required for TokenReview in authentication");
  const audiences: string[] = review.spec?.audiences ?? [];
  const found = await authenticateToken(c, token, audiences.length > 0 ? audiences : undefined);
  if ("error" in found) return { user: {}, error: found.error };
  return { authenticated: true, user: shownUser(found.user), audiences: found.audiences };
}
