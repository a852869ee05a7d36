import { openIdPaths } from "../openid-metadata.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { UserInfo } from "../authentication/user-info.ts";
import { authenticatedGroup, mastersGroup } from "../authentication/user-info.ts";

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

/** What every authenticated user may ask; upstream's system:basic-user and system:discovery. */
const selfReviews: Record<string, readonly string[]> = {
  "authentication.k8s.io": ["selfsubjectreviews"],
  "authorization.k8s.io": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
};
const discoveryPaths = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"];

/** May read how their tokens are checked; upstream's system:service-account-issuer-discovery. */
const serviceAccountsGroup = "system:serviceaccounts";

function isDiscoveryPath(path: string): boolean {
  return discoveryPaths.some((pattern) =>
    pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  );
}

const readingVerbs = new Set(["get", "head"]);

/** Allows cluster administrators, Edgeplane's own components, and to everyone what upstream's default roles do. */
export const componentAuthorizer: Authorizer = {
  authorize(user, attributes) {
    if (mayEverything(user)) return { allowed: true };
    const authenticated = user.groups.includes(authenticatedGroup);
    if (!attributes.isResourceRequest) {
      const { verb, path } = attributes;
      const isReadable =
        isPublicPath(path) ||
        (authenticated && isDiscoveryPath(path)) ||
        (user.groups.includes(serviceAccountsGroup) && openIdPaths.includes(path));
      const allowed = readingVerbs.has(verb) && isReadable;
      return allowed ? { allowed } : { allowed, reason: "" };
    }
    const reviews = attributes.verb === "create" && attributes.subresource === "" && selfReviews[attributes.apiGroup];
    return authenticated && reviews && reviews.includes(attributes.resource)
      ? { allowed: true }
      : { allowed: false, reason: "" };
  },
  rulesFor(user) {
    if (mayEverything(user)) {
      return {
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
      };
    }
    const authenticated = user.groups.includes(authenticatedGroup);
    return {
      resourceRules: authenticated
        ? Object.entries(selfReviews).map(([group, resources]) => ({
            verbs: ["create"],
            apiGroups: [group],
            resources: [...resources],
          }))
        : [],
      nonResourceRules: [
        { verbs: ["get"], nonResourceURLs: authenticated ? [...openPaths, ...discoveryPaths] : openPaths },
      ],
    };
  },
};
