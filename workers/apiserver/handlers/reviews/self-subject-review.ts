import type { KubeObject } from "../../../apimachinery/meta.ts";
import { formatTime } from "../../../apimachinery/clock.ts";
import type { UserInfo } from "../../authentication/user-info.ts";
import type { AppContext } from "../../request/context.ts";

/** Who is the requester? Mirrors pkg/registry/authentication/selfsubjectreview (1.36). */
export function reviewSelf(review: KubeObject, c: AppContext) {
  review.metadata = { creationTimestamp: formatTime(c.env.clock.now()) };
  return { userInfo: shownUser(c.get("user")) };
}

/** authentication.k8s.io/v1 UserInfo */
export function shownUser({ username, uid, groups, extra }: UserInfo) {
  return {
    ...(username === "" ? {} : { username }),
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
