import type { RequestInfo } from "../request/request-info.ts";
import type { UserInfo } from "../authentication/user-info.ts";
import { mastersGroup } from "../authentication/user-info.ts";

export type Decision = { allowed: true } | { allowed: false; reason: string };

export interface Authorizer {
  authorize(user: UserInfo, info: RequestInfo): Decision;
}

const components = new Set(["system:kube-controller-manager", "system:kube-scheduler"]);
const openPaths = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"]);

/** Paths that anonymous requests may read; upstream's system:public-info-viewer. */
export function isPublicPath(path: string): boolean {
  return openPaths.has(path) || /^\/(healthz|livez|readyz)\/[^/]+$/.test(path);
}

/** Allows cluster administrators, Edgeplane's own components, and everyone on public paths. */
export const componentAuthorizer: Authorizer = {
  authorize(user, info) {
    if (
      user.groups.includes(mastersGroup) ||
      components.has(user.username) ||
      (user.groups.includes("system:nodes") && user.username.startsWith("system:node:"))
    ) {
      return { allowed: true };
    }
    if (!info.isResourceRequest && info.verb === "get" && isPublicPath(info.path)) return { allowed: true };
    return { allowed: false, reason: "" };
  },
};
