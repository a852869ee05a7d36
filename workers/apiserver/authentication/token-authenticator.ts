import { authenticatedGroup, mastersGroup } from "./user-info.ts";
import type { UserInfo } from "./user-info.ts";

/**
 * Static tokens without a table: a token is `<account>.<base64url HMAC-SHA256 of "cluster\naccount">` under the
 * deployment's secret key, so every cluster has its own and none needs to be stored.
 */
export type Account = "admin" | "controller-manager" | "scheduler" | "node-pool";

const users: Record<Account, UserInfo> = {
  admin: { username: "kubernetes-admin", groups: [mastersGroup, authenticatedGroup] },
  "controller-manager": { username: "system:kube-controller-manager", groups: [authenticatedGroup] },
  scheduler: { username: "system:kube-scheduler", groups: [authenticatedGroup] },
  "node-pool": { username: "system:node:node-pool", groups: ["system:nodes", authenticatedGroup] },
};

const encoder = new TextEncoder();

async function signature(key: string, cluster: string, account: string): Promise<string> {
  const cryptoKey = await crypto.subtle.importKey(
    "raw",
    encoder.encode(key),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", cryptoKey, encoder.encode(`${cluster}\n${account}`)));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

export async function issueToken(key: string, cluster: string, account: Account): Promise<string> {
  return `${account}.${await signature(key, cluster, account)}`;
}

export class TokenAuthenticator {
  readonly #key: string;
  /** Signatures that have been computed; bounded by the number of accounts times the clusters seen, at most 1,000. */
  readonly #expected = new Map<string, string>();

  constructor(key: string) {
    this.#key = key;
  }

  /** undefined when the token is not one of ours, or of another cluster. */
  async authenticate(cluster: string, token: string): Promise<UserInfo | undefined> {
    const dot = token.indexOf(".");
    if (dot < 0 || token.length > 200) return undefined;
    const account = token.slice(0, dot);
    if (!Object.hasOwn(users, account)) return undefined;
    const cacheKey = `${cluster}\n${account}`;
    let expected = this.#expected.get(cacheKey);
    if (expected === undefined) {
      expected = await signature(this.#key, cluster, account);
      if (this.#expected.size >= 1_000) this.#expected.clear();
      this.#expected.set(cacheKey, expected);
    }
    return constantTimeEqual(token.slice(dot + 1), expected) ? users[account as Account] : undefined;
  }
}

function constantTimeEqual(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}
