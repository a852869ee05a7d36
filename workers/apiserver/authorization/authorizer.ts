import type { RequestInfo } from "../request/request-info.ts";
import type { UserInfo } from "../authentication/user-info.ts";
import { mastersGroup } from "../authentication/user-info.ts";

export type Decision = { allowed: true; reason?: string } | { allowed: false; reason: string };

/** What an authorizer looks at. */
export type AuthorizerAttributes = Pick<
  RequestInfo,
  "isResourceRequest" | "verb" | "path" | "apiGroup" | "apiVersion" | "resource" | "subresource" | "namespace" | "name"
>;

/** authorization.k8s.io/v1 ResourceRule and NonResourceRule */
export interface UserRules {
  resourceRules: { verbs: string[]; apiGroups: string[]; resources: string[]; resourceNames?: string[] }[];
  nonResourceRules: { verbs: string[]; nonResourceURLs: string[] }[];
}

export interface Authorizer {
  authorize(user: UserInfo, attributes: AuthorizerAttributes): Decision;
  /** What a user may do in a namespace, as rules. */
  rulesFor(user: UserInfo, namespace: string): UserRules;
}

const components = new Set(["system:kube-controller-manager", "system:kube-scheduler"]);
const openPaths = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const openPathSet = new Set(openPaths);

/** Paths that anonymous requests may read; upstream's system:public-info-viewer. */
export function isPublicPath(path: string): boolean {
  return openPathSet.has(path) || /^\/(healthz|livez|readyz)\/[^/]+$/.test(path);
}

function mayEverything(user: UserInfo): boolean {
  return (
    user.groups.includes(mastersGroup) ||
    components.has(user.username) ||
    (user.groups.includes("system:nodes") && user.username.startsWith("system:node:"))
  );
}

/** Allows cluster administrators, Edgeplane's own components, and everyone on public paths. */
export const componentAuthorizer: Authorizer = {
  authorize(user, attributes) {
    if (mayEverything(user)) return { allowed: true };
    if (!attributes.isResourceRequest && readingVerbs.has(attributes.verb) && isPublicPath(attributes.path)) return { allowed: true };
    return { allowed: false, reason: "" };
  },
  rulesFor(user) {
    if (mayEverything(user)) {
      return {
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
      };
    }
    return { resourceRules: [], nonResourceRules: [{ verbs: ["get"], nonResourceURLs: openPaths }] };
  },
};

const readingVerbs = new Set(["get", "head"]);
