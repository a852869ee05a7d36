import type { Clock } from "../../../apimachinery/clock.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import type { StorageFactory } from "../../../registry/storage-factory.ts";
import { objectKey } from "../../../storage/keys.ts";
import type { Authentication } from "../authentication.ts";
import { issuerOf, userOf } from "./claims.ts";
import type { ServiceAccountClaims } from "./claims.ts";
import { isSignedBy, unverifiedClaims } from "./jwt.ts";
import type { SigningKey } from "./signing-key.ts";

/** How long a token that was found good is believed to be so, in milliseconds; upstream's TokenSuccessCacheTTL. */
const believedFor = 10_000;
const maxBelieved = 1_000;
/** What clocks may differ by, in milliseconds. */
const leeway = 60_000;

const invalidated = "service account token has been invalidated";

type ObjectStorage = Pick<StorageFactory, "cluster" | "for">;

/**
 * Tokens of service accounts: signature, times and whether the account and what the token is bound to still exist.
 * Mirrors pkg/serviceaccount/{jwt,claims}.go (1.36). One instance serves all clusters of an isolate.
 */
export class ServiceAccountAuthenticator {
  readonly #keyFor: (cluster: string) => Promise<SigningKey>;
  readonly #clock: Clock;
  /** In the order in which they were found good. */
  readonly #believed = new Map<string, { claims: ServiceAccountClaims; until: number }>();

  constructor(keyFor: (cluster: string) => Promise<SigningKey>, clock: Clock) {
    this.#keyFor = keyFor;
    this.#clock = clock;
  }

  /** undefined when the token does not say that it is of this cluster's service accounts. */
  async authenticate(
    storage: ObjectStorage,
    token: string,
    audiences: readonly string[],
  ): Promise<Authentication | undefined> {
    const { cluster } = storage;
    if (unverifiedClaims(token)?.["iss"] !== issuerOf(cluster)) return undefined;
    const now = this.#clock.now();
    const key = `${cluster}\n${token}`;
    const believed = this.#believed.get(key);
    let claims = believed !== undefined && believed.until > now ? believed.claims : undefined;
    if (claims === undefined) {
      this.#believed.delete(key);
      const checked = await this.#check(storage, token);
      if (typeof checked === "string") return { error: checked };
      claims = checked;
      this.#believe(key, claims, now);
    }
    const granted = claims.aud.filter((audience) => audiences.includes(audience));
    if (granted.length === 0) {
      return { error: `token audiences ${list(claims.aud)} is invalid for the target audiences ${list(audiences)}` };
    }
    return { user: userOf(claims), audiences: granted };
  }

  #believe(key: string, claims: ServiceAccountClaims, now: number): void {
    if (this.#believed.size >= maxBelieved) this.#believed.delete(this.#believed.keys().next().value!);
    this.#believed.set(key, { claims, until: Math.min(now + believedFor, claims.exp * 1000 + leeway) });
  }

  /** The claims, or what is wrong. */
  async #check(storage: ObjectStorage, token: string): Promise<ServiceAccountClaims | string> {
    if (!(await isSignedBy(token, await this.#keyFor(storage.cluster)))) return "invalid signature";
    // Nobody else has the key.
    const claims = unverifiedClaims(token) as unknown as ServiceAccountClaims;
    const now = this.#clock.now();
    if (claims.exp * 1000 < now - leeway) return "service account token has expired";
    if (claims.nbf * 1000 > now + leeway) return "service account token is not valid yet";
    return (await this.#checkObjects(storage, claims)) ?? claims;
  }

  async #checkObjects(storage: ObjectStorage, claims: ServiceAccountClaims): Promise<string | undefined> {
    const { namespace, serviceaccount, pod, secret, node } = claims["kubernetes.io"];
    const read = async (resource: string, name: string) => {
      const gr = { group: "", resource };
      const key = objectKey(gr, resource === "nodes" ? undefined : namespace, name);
      const stored = await storage.for(gr).get(key);
      return stored === undefined ? undefined : (JSON.parse(stored.value) as KubeObject);
    };
    const account = await read("serviceaccounts", serviceaccount.name);
    if (account === undefined) return `serviceaccounts "${serviceaccount.name}" not found`;
    if (this.#isGone(account)) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
    if (account.metadata.uid !== serviceaccount.uid) {
      return `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`;
    }
    const checkBound = (what: string, object: KubeObject | undefined, uid: string | undefined) => {
      if (object === undefined || this.#isGone(object)) return invalidated;
      if (object.metadata.uid === uid) return undefined;
      return `${what} UID (${object.metadata.uid}) does not match service account ${what} ref claim (${uid})`;
    };
    if (secret !== undefined) return checkBound("secret", await read("secrets", secret.name), secret.uid);
    if (pod !== undefined) return checkBound("pod", await read("pods", pod.name), pod.uid);
    // The node of a bound pod is only told.
    return node === undefined ? undefined : checkBound("node", await read("nodes", node.name), node.uid);
  }

  /** Deleted, and past the time it was given. */
  #isGone({ metadata }: KubeObject): boolean {
    const deleted = metadata.deletionTimestamp;
    return deleted !== undefined && Date.parse(deleted) < this.#clock.now() - leeway;
  }
}

/** As Go prints a list of strings with %q. */
function list(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
}
