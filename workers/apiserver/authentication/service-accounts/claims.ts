import type { KubeObject } from "../../../apimachinery/meta.ts";
import { authenticatedGroup } from "../user-info.ts";
import type { UserInfo } from "../user-info.ts";

interface Reference {
  name: string;
  uid?: string;
}

/** Mirrors the claims of pkg/serviceaccount/claims.go (1.36). Times are seconds since the epoch. */
export interface ServiceAccountClaims {
  aud: string[];
  exp: number;
  iat: number;
  iss: string;
  jti: string;
  "kubernetes.io": {
    namespace: string;
    serviceaccount: Reference;
    pod?: Reference;
    secret?: Reference;
    node?: Reference;
  };
  nbf: number;
  sub: string;
}

/** The object whose deletion ends a token, and for a pod also its node (which may not exist). */
export interface BoundObjects {
  pod?: KubeObject;
  secret?: KubeObject;
  node?: KubeObject;
}

const defaultIssuer = "https://kubernetes.default.svc";

/** Who issues the tokens of a cluster; also its API's audience. */
export function issuerOf(cluster: string): string {
  return cluster === "default" ? defaultIssuer : `${defaultIssuer}/clusters/${cluster}`;
}

export function newClaims(
  cluster: string,
  serviceAccount: KubeObject,
  bound: BoundObjects,
  options: { now: number; expirationSeconds: number; audiences: string[]; id: string },
): ServiceAccountClaims {
  const seconds = Math.floor(options.now / 1000);
  const { namespace = "", name = "" } = serviceAccount.metadata;
  return {
    aud: options.audiences,
    exp: seconds + options.expirationSeconds,
    iat: seconds,
    iss: issuerOf(cluster),
    jti: options.id,
    "kubernetes.io": {
      namespace,
      ...(bound.node === undefined ? {} : { node: referenceTo(bound.node) }),
      ...(bound.pod === undefined ? {} : { pod: referenceTo(bound.pod) }),
      ...(bound.secret === undefined ? {} : { secret: referenceTo(bound.secret) }),
      serviceaccount: referenceTo(serviceAccount),
    },
    nbf: seconds,
    sub: serviceAccountUsername(namespace, name),
  };
}

function referenceTo({ metadata: { name = "", uid } }: KubeObject): Reference {
  return { name, ...(uid ? { uid } : {}) };
}

function serviceAccountUsername(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Mirrors ServiceAccountInfo.UserInfo of k8s.io/apiserver pkg/authentication/serviceaccount/util.go (1.36). */
export function userOf(claims: ServiceAccountClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims["kubernetes.io"];
  const extra: Record<string, string[]> = { [`${prefix}credential-id`]: [`JTI=${claims.jti}`] };
  for (const [kind, reference] of [
    ["node", node],
    ["pod", pod],
  ] as const) {
    if (reference === undefined) continue;
    extra[`${prefix}${kind}-name`] = [reference.name];
    if (reference.uid !== undefined) extra[`${prefix}${kind}-uid`] = [reference.uid];
  }
  return {
    username: serviceAccountUsername(namespace, serviceaccount.name),
    ...(serviceaccount.uid === undefined ? {} : { uid: serviceaccount.uid }),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, authenticatedGroup],
    extra,
  };
}

const prefix = "authentication.kubernetes.io/";
