import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../apimachinery/clock.ts";
import type { GroupResource } from "../../../apimachinery/gvk.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import { encodeObject } from "../../../storage/encode-object.ts";
import type { Storage } from "../../../storage/interfaces.ts";
import { objectKey } from "../../../storage/keys.ts";
import { MemoryStorage } from "../../../storage/memory/memory-storage.ts";
import { ServiceAccountAuthenticator } from "./authenticator.ts";
import { encodeBase64Url } from "./base64url.ts";
import { issuerOf, newClaims } from "./claims.ts";
import type { BoundObjects } from "./claims.ts";
import { isSignedBy, signJwt, unverifiedClaims } from "./jwt.ts";
import { deriveSigningKey, signingKeyFor } from "./signing-key.ts";

const secret = "a deployment's secret";
const api = [issuerOf("default")];

async function fixture() {
  const clock = new FakeClock();
  const stores = new Map<string, Storage>();
  const storage = {
    cluster: "default",
    for({ resource }: GroupResource) {
      if (!stores.has(resource)) stores.set(resource, new MemoryStorage(clock));
      return stores.get(resource)!;
    },
  };
  const create = async (resource: string, object: KubeObject) => {
    const gr = { group: "", resource };
    const { namespace, name } = object.metadata;
    const key = objectKey(gr, namespace, name!);
    const { revision } = await storage.for(gr).create(key, encodeObject(object));
    return () => storage.for(gr).delete(key, encodeObject(object), revision);
  };
  const account: KubeObject = { metadata: { namespace: "a", name: "b", uid: "u" } };
  const deleteAccount = await create("serviceaccounts", account);
  const authenticator = new ServiceAccountAuthenticator((cluster) => signingKeyFor(secret, cluster), clock);
  const issue = async (bound: BoundObjects = {}, audiences = api, cluster = "default") =>
    signJwt(
      await signingKeyFor(secret, cluster),
      newClaims(cluster, account, bound, { now: clock.now(), expirationSeconds: 600, audiences, id: "1" }),
    );
  const authenticate = (token: string, audiences = api) => authenticator.authenticate(storage, token, audiences);
  return { clock, create, account, deleteAccount, issue, authenticate };
}

describe("keys", () => {
  test("are the same for the same secret and cluster, and no other's", async () => {
    const [key, again, other, elsewhere] = await Promise.all([
      deriveSigningKey(secret, "default"),
      deriveSigningKey(secret, "default"),
      deriveSigningKey(`${secret}!`, "default"),
      deriveSigningKey(secret, "other"),
    ]);
    expect(again.publicJwk).toEqual(key.publicJwk);
    expect(new Set([key, other, elsewhere].map(({ publicJwk }) => publicJwk.kid)).size).toBe(3);
    const token = await signJwt(key, { a: 1 });
    expect(await isSignedBy(token, again)).toBe(true);
    expect(await isSignedBy(token, other)).toBe(false);
  });
});

describe("a token", () => {
  test("stands for its service account, with what it is bound to", async () => {
    const { create, issue, authenticate } = await fixture();
    const pod = { metadata: { namespace: "a", name: "p", uid: "pu" } };
    await create("pods", pod);
    const token = await issue({ pod, node: { metadata: { name: "n" } } });
    expect(await authenticate(token)).toEqual({
      user: {
        username: "system:serviceaccount:a:b",
        uid: "u",
        groups: ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"],
        extra: {
          "authentication.kubernetes.io/credential-id": ["JTI=1"],
          "authentication.kubernetes.io/pod-name": ["p"],
          "authentication.kubernetes.io/pod-uid": ["pu"],
          "authentication.kubernetes.io/node-name": ["n"],
        },
      },
      audiences: api,
    });
  });

  test("ends with its time, give or take a minute", async () => {
    const { clock, issue, authenticate } = await fixture();
    const token = await issue();
    await clock.advance(660_000);
    expect(await authenticate(token)).not.toHaveProperty("error");
    await clock.advance(1_001);
    expect(await authenticate(token)).toEqual({ error: "service account token has expired" });
  });

  test("ends with its service account, and is not believed for longer than ten seconds", async () => {
    const { clock, create, account, deleteAccount, issue, authenticate } = await fixture();
    const token = await issue();
    await authenticate(token);
    await deleteAccount();
    expect(await authenticate(token)).not.toHaveProperty("error");
    await clock.advance(10_000);
    expect(await authenticate(token)).toEqual({ error: 'serviceaccounts "b" not found' });
    await create("serviceaccounts", { metadata: { ...account.metadata, uid: "v" } });
    expect(await authenticate(token)).toEqual({ error: "service account UID (v) does not match claim (u)" });
  });

  test.each(["pod", "secret", "node"] as const)("ends with the %s that it is bound to", async (kind) => {
    const { clock, create, issue, authenticate } = await fixture();
    const object = { metadata: { ...(kind === "node" ? {} : { namespace: "a" }), name: "x", uid: "1" } };
    const remove = await create(`${kind}s`, object);
    const token = await issue({ [kind]: object });
    expect(await authenticate(token)).not.toHaveProperty("error");
    await remove();
    await clock.advance(10_000);
    expect(await authenticate(token)).toEqual({ error: "service account token has been invalidated" });
    await create(`${kind}s`, { metadata: { ...object.metadata, uid: "2" } });
    expect(await authenticate(token)).toEqual({
      error: `${kind} UID (2) does not match service account ${kind} ref claim (1)`,
    });
  });

  test("is for its audiences", async () => {
    const { issue, authenticate } = await fixture();
    const token = await issue({}, ["x", "y"]);
    expect(await authenticate(token, ["y", "z"])).toMatchObject({ audiences: ["y"] });
    expect(await authenticate(token)).toEqual({
      error: `token audiences ["x" "y"] is invalid for the target audiences ["https://kubernetes.default.svc"]`,
    });
  });

  test("of another cluster, another issuer or no form is none of ours", async () => {
    const { issue, authenticate } = await fixture();
    expect(await authenticate(await issue({}, api, "other"))).toBeUndefined();
    for (const token of [
      "",
      "a.b",
      "a.b.c",
      "..",
      "e30.e30.e30",
      `a.${encodeBase64Url(new Uint8Array([110, 117, 108, 108]))}.c`,
    ]) {
      expect(await authenticate(token)).toBeUndefined();
    }
  });

  test("that somebody has changed is refused", async () => {
    const { issue, authenticate } = await fixture();
    const encode = (value: object) => encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));
    const token = await issue();
    const [header, payload, mark] = token.split(".");
    const claims = { ...unverifiedClaims(token), exp: 9_999_999_999 };
    for (const forged of [
      `${header}.${encode(claims)}.${mark}`,
      `${encode({ alg: "none" })}.${payload}.`,
      `${encode({ alg: "HS256" })}.${payload}.${mark}`,
      `${header}.${payload}.${mark!.slice(0, -4)}`,
    ]) {
      expect(await authenticate(forged)).toEqual({ error: "invalid signature" });
    }
  });
});
