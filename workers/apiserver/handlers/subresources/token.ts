import { formatTime } from "../../../apimachinery/clock.ts";
import { invalid } from "../../../apimachinery/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import { quote } from "../../../apimachinery/quote.ts";
import {
  isNotFound,
  newBadRequest,
  newConflict,
  newInternalError,
  newInvalid,
  newNotFound,
} from "../../../apimachinery/status-errors.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { applyDefaults } from "../../../apis/defaulting/defaulting.ts";
import type { ResourceInfo } from "../../../apis/resource-info.ts";
import { admit } from "../../../admission/chain.ts";
import type { StorageFactory } from "../../../registry/storage-factory.ts";
import { objectKey } from "../../../storage/keys.ts";
import { issuerOf, newClaims } from "../../authentication/service-accounts/claims.ts";
import type { BoundObjects } from "../../authentication/service-accounts/claims.ts";
import { signJwt } from "../../authentication/service-accounts/jwt.ts";
import { signingKeyFor } from "../../authentication/service-accounts/signing-key.ts";
import { negotiate } from "../../negotiation/negotiate.ts";
import { writeObject } from "../../negotiation/write-object.ts";
import type { AppContext } from "../../request/context.ts";
import { parseWriteOptions } from "../../request/options.ts";
import { decodeBody } from "../decode-body.ts";
import { queryOf, requestScope } from "../scope.ts";

const tokenRequest = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };

/** Seconds. */
const minimumExpiration = 10 * 60;
const maximumExpiration = 2 ** 32;

/**
 * POST of authentication.k8s.io/v1 TokenRequest: a token for the service account, which nobody stores.
 * Mirrors pkg/registry/core/serviceaccount/storage/token.go (1.36) without the longer life of kubelets' own tokens.
 */
export async function tokenHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "plain");
  const options = parseWriteOptions(queryOf(c), "CreateOptions");
  const request = await decodeBody(c, tokenRequest, options.fieldValidation);
  applyDefaults(tokenRequest, request);
  const { cluster, name } = c.get("info");
  const scope = requestScope(c, resource, options.dryRun);
  const { metadata } = request;
  checkNames(metadata, name, scope.namespace);
  const reader = new Reader(c.get("storage"), scope.namespace);
  const account = await reader.get("serviceaccounts", name);
  checkUid(metadata.uid, account, name);
  const spec = request.spec;
  if ((spec.audiences ?? []).length === 0) spec.audiences = [issuerOf(cluster)];
  const now = c.env.clock.now();
  Object.assign(metadata, {
    name,
    namespace: scope.namespace,
    uid: account.metadata.uid,
    creationTimestamp: formatTime(now),
  });
  const causes = validateExpiration(spec.expirationSeconds);
  if (causes.length > 0) throw newInvalid(tokenRequest, "", causes);
  await admit({ operation: "CREATE", object: request, previous: undefined, subresource: "token", scope });
  const bound = spec.boundObjectRef ? await boundObjects(reader, spec.boundObjectRef, name) : {};
  const token = await issue(c, account, bound, spec, now);
  const expirationTimestamp = formatTime(now + spec.expirationSeconds * 1000);
  return writeObject({ ...request, status: { token, expirationTimestamp } }, form, 201);
}

async function issue(c: AppContext, account: KubeObject, bound: BoundObjects, spec: any, now: number): Promise<string> {
  const { cluster } = c.get("info");
  const secret = c.env.env.EDGEPLANE_TOKEN_KEY;
  if (!secret) throw newInternalError("failed to generate token: the deployment has no key");
  const claims = newClaims(cluster, account, bound, {
    now,
    expirationSeconds: spec.expirationSeconds,
    audiences: spec.audiences,
    id: crypto.randomUUID(),
  });
  return signJwt(await signingKeyFor(secret, cluster), claims);
}

/** What the body says about itself has to be what the path says. */
function checkNames(metadata: KubeObject["metadata"], name: string, namespace: string | undefined): void {
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw newBadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (metadata.name && metadata.name !== name) {
    throw newInvalid(tokenRequest, name, [
      invalid("metadata.name", metadata.name, "must match the service account name if specified"),
    ]);
  }
}

function checkUid(uid: string | undefined, { metadata }: KubeObject, name: string): void {
  if (!uid || uid === metadata.uid) return;
  throw newConflict(
    { group: tokenRequest.group, resource: tokenRequest.kind },
    name,
    `the UID in the token request (${uid}) does not match the UID of the service account (${metadata.uid})`,
  );
}

/** Mirrors ValidateTokenRequest of pkg/apis/authentication/validation (1.36). */
function validateExpiration(seconds: number): InvalidCause[] {
  const path = "spec.expirationSeconds";
  if (seconds < minimumExpiration) return [invalid(path, seconds, "may not specify a duration less than 10 minutes")];
  if (seconds > maximumExpiration) {
    return [invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")];
  }
  return [];
}

async function boundObjects(reader: Reader, reference: any, accountName: string): Promise<BoundObjects> {
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
  const [version, group = ""] = (apiVersion as string).split("/").reverse();
  const bound = await readBound(group === "" ? kind : "", reader, name, accountName);
  if (bound === undefined) throw newBadRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const object = bound.pod ?? bound.secret ?? bound.node;
  if (uid !== "" && object?.metadata.uid !== uid) {
    throw newConflict(
      { group, resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return bound;
}

/** undefined for kinds that no token can be bound to. */
async function readBound(
  kind: string,
  reader: Reader,
  name: string,
  accountName: string,
): Promise<BoundObjects | undefined> {
  switch (kind) {
    case "Pod": {
      const pod = await reader.get("pods", name);
      if (pod.spec?.serviceAccountName !== accountName) {
        throw newBadRequest(
          `cannot bind token for serviceaccount ${quote(accountName)} to pod running with different serviceaccount name.`,
        );
      }
      return pod.spec.nodeName ? { pod, node: await reader.node(pod.spec.nodeName) } : { pod };
    }
    case "Secret":
      return { secret: await reader.get("secrets", name) };
    case "Node":
      return { node: await reader.get("nodes", name) };
    default:
      return undefined;
  }
}

class Reader {
  readonly #storage: StorageFactory;
  readonly #namespace: string | undefined;

  constructor(storage: StorageFactory, namespace: string | undefined) {
    this.#storage = storage;
    this.#namespace = namespace;
  }

  async get(resource: string, name: string): Promise<KubeObject> {
    const gr = { group: "", resource };
    const key = objectKey(gr, resource === "nodes" ? undefined : this.#namespace, name);
    const stored = await this.#storage.for(gr).get(key);
    if (stored === undefined) throw newNotFound(gr, name);
    return JSON.parse(stored.value) as KubeObject;
  }

  /** Of a pod; when it is gone, its name is still told. */
  async node(name: string): Promise<KubeObject> {
    try {
      return await this.get("nodes", name);
    } catch (error) {
      if (isNotFound(error)) return { metadata: { name } };
      throw error;
    }
  }
}
