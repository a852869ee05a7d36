import type { Filter } from "../request/context.ts";
import { newBadRequest, newForbidden } from "../../apimachinery/status-errors.ts";
import { authenticatedGroup, mastersGroup, unauthenticatedGroup } from "../authentication/user-info.ts";
import type { UserInfo } from "../authentication/user-info.ts";

/**
 * Acts as another user when the headers ask for it and the requester may. Only cluster administrators may until RBAC
 * decides. Mirrors k8s.io/apiserver pkg/endpoints/filters/impersonation.
 */
export const impersonation: Filter = async (c, next) => {
  const username = c.req.header("Impersonate-User");
  const groupHeader = c.req.header("Impersonate-Group");
  const uid = c.req.header("Impersonate-Uid");
  const extra: Record<string, string[]> = {};
  for (const [name, value] of c.req.raw.headers) {
    if (name.startsWith("impersonate-extra-")) {
      extra[unescapeKey(name.slice("impersonate-extra-".length))] = value.split(", ");
    }
  }
  if (!username) {
    if (groupHeader || uid || Object.keys(extra).length > 0) {
      throw newBadRequest("requested impersonation of groups, a UID or extra without impersonating a user");
    }
    return next();
  }
  const requester = c.get("user");
  if (!requester.groups.includes(mastersGroup)) {
    throw newForbidden(
      { group: "", resource: "users" },
      username,
      `User "${requester.username}" cannot impersonate resource "users" in API group "" at the cluster scope`,
    );
  }
  const groups = groupHeader ? groupHeader.split(", ") : serviceAccountGroups(username);
  if (username === "system:anonymous") {
    if (!groups.includes(unauthenticatedGroup)) groups.push(unauthenticatedGroup);
  } else if (!groups.includes(authenticatedGroup) && !groups.includes(unauthenticatedGroup))
    groups.push(authenticatedGroup);
  const user: UserInfo = { username, groups };
  if (uid) user.uid = uid;
  if (Object.keys(extra).length > 0) user.extra = extra;
  c.set("user", user);
  return next();
};

/** Keys are percent-encoded; what is not stays as it is. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function serviceAccountGroups(username: string): string[] {
  const match = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username);
  return match ? ["system:serviceaccounts", `system:serviceaccounts:${match[1]}`] : [];
}
