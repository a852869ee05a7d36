import { createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";

/** TokenRequest, the authentication of its tokens, TokenReview and OIDC discovery. Messages are those of kube-apiserver 1.36. */
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0, cluster: "blue" });
  await eventually("the default service account", async () => (await cluster.kubectl("get", "sa")).includes("default"));
});
afterAll(() => cluster?.stop());

/** The cluster `default` is without the path. */
const issuer = "https://kubernetes.default.svc/clusters/blue";
const accounts = "/api/v1/namespaces/default/serviceaccounts";

const request = (spec: object, metadata: object = {}, account = "default") =>
  cluster.request("POST", `${accounts}/${account}/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata,
    spec,
  });

const as = (token: string, method: string, path: string, body?: unknown) =>
  cluster.request(method, path, body, { Authorization: `Bearer ${token}` });

const statusOf = async (token: string) => (await as(token, "GET", "/api")).status;

const review = async (token: string, audiences?: string[]) =>
  (
    await cluster.request("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
      spec: { token, ...(audiences === undefined ? {} : { audiences }) },
    })
  ).json.status;

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());

describe("kubectl create token", () => {
  test("gives a token that kubectl auth whoami knows", async () => {
    const token = (await cluster.kubectl("create", "token", "default")).trim();
    const who = await cluster.kubectl("auth", "whoami", `--token=${token}`);
    expect(who).toMatch(/^Username +system:serviceaccount:default:default$/m);
    expect(who).toMatch(/^Groups +\[system:serviceaccounts system:serviceaccounts:default system:authenticated\]$/m);
    expect(who).toContain(`[JTI=${claimsOf(token).jti}]`);
  });

  test("names what is wrong", async () => {
    expect((await cluster.run(["create", "token", "default", "--duration=599s"])).stderr).toBe(
      'error: failed to create token: TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes\n',
    );
    expect((await cluster.run(["create", "token", "nobody"])).stderr).toBe(
      'error: failed to create token: serviceaccounts "nobody" not found\n',
    );
  });

  test("binds to a secret, with audiences and a life of its own", async () => {
    await cluster.kubectl("create", "secret", "generic", "bound");
    const token = await cluster.kubectl(
      ...["create", "token", "default", "--bound-object-kind=Secret", "--bound-object-name=bound"],
      ...["--audience=a", "--audience=b", "--duration=20m"],
    );
    const claims = claimsOf(token);
    expect(claims).toMatchObject({ iss: issuer, aud: ["a", "b"], sub: "system:serviceaccount:default:default" });
    expect(claims.exp - claims.iat).toBe(1_200);
    expect(claims["kubernetes.io"].secret.name).toBe("bound");
    expect(await statusOf(token.trim())).toBe(401);
    expect(await review(token.trim(), ["b", "c"])).toMatchObject({ authenticated: true, audiences: ["b"] });
  });
});

describe("a token request", () => {
  test("is answered with itself and its status", async () => {
    const answer = await request({});
    expect(answer.status).toBe(201);
    const { metadata, spec, status } = answer.json;
    expect(answer.json).toMatchObject({ kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1" });
    expect(metadata).toMatchObject({ name: "default", namespace: "default" });
    expect(spec).toMatchObject({ audiences: [issuer], expirationSeconds: 3_600 });
    expect(Date.parse(status.expirationTimestamp)).toBe(claimsOf(status.token).exp * 1_000);
  });

  test.each([
    [{ expirationSeconds: 2 ** 32 + 1 }, {}, 422, "may not specify a duration larger than 2^32 seconds"],
    [
      {},
      { name: "other" },
      422,
      'metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
    [
      {},
      { namespace: "other" },
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [{}, { uid: "1" }, 409, "the UID in the token request (1) does not match the UID of the service account ("],
    [{ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "none" } }, {}, 404, 'pods "none" not found'],
    [
      { boundObjectRef: { kind: "Deployment", apiVersion: "apps/v1", name: "none" } },
      {},
      400,
      "cannot bind token to object of type apps/v1, Kind=Deployment",
    ],
    [
      { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "none" } },
      {},
      400,
      "cannot bind token to object of type /v1, Kind=ConfigMap",
    ],
  ])("%j %j is refused with %d", async (spec, metadata, code, message) => {
    const { status, json } = await request(spec, metadata);
    expect(json.message).toContain(message);
    expect(status).toBe(code);
  });

  test("cannot be read, and needs the right body", async () => {
    expect((await cluster.request("GET", `${accounts}/default/token`)).status).toBe(405);
    const other = await cluster.request("POST", `${accounts}/default/token`, { kind: "Pod", apiVersion: "v1" });
    expect(other.status).toBe(400);
  });

  test("for another account's pod is refused; for its own it tells of pod and node, and ends with the pod", async () => {
    await cluster.request("POST", accounts, { metadata: { name: "other" } });
    const pods = "/api/v1/namespaces/default/pods";
    const pod = await cluster.request("POST", pods, {
      metadata: { name: "bound" },
      spec: { nodeName: "gone", containers: [{ name: "c", image: "i" }] },
    });
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "bound" };
    const refused = await request({ boundObjectRef }, {}, "other");
    expect(refused.json.message).toBe(
      'cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.',
    );
    const conflict = await request({ boundObjectRef: { ...boundObjectRef, uid: "1" } });
    expect(conflict.json.message).toBe(
      'Operation cannot be fulfilled on Pod "bound": the UID in the bound object reference (1) does not match the UID in record. The object might have been deleted and then recreated',
    );
    const { token } = (await request({ boundObjectRef })).json.status;
    expect((await review(token)).user.extra).toMatchObject({
      "authentication.kubernetes.io/pod-name": ["bound"],
      "authentication.kubernetes.io/pod-uid": [pod.json.metadata.uid],
      "authentication.kubernetes.io/node-name": ["gone"],
    });
    await cluster.request("DELETE", `${pods}/bound?gracePeriodSeconds=0`);
    await eventually("the token ends with its pod", async () => (await statusOf(token)) === 401);
    expect(await review(token)).toEqual({
      user: {},
      error: "[invalid bearer token, service account token has been invalidated]",
    });
  });
});

describe("a service account", () => {
  test("may ask about itself and what there is, and nothing else", async () => {
    const { token } = (await request({})).json.status;
    for (const path of ["/api", "/apis", "/openapi/v3", "/.well-known/openid-configuration", "/openid/v1/jwks"]) {
      expect([path, (await as(token, "GET", path)).status]).toEqual([path, 200]);
    }
    const self = await as(token, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
    expect(self.json.status.userInfo.username).toBe("system:serviceaccount:default:default");
    const list = await as(token, "GET", "/api/v1/namespaces/default/secrets");
    expect(list.json.message).toBe(
      'secrets is forbidden: User "system:serviceaccount:default:default" cannot list resource "secrets" in API group "" in the namespace "default"',
    );
    expect((await request({}, {}, "default")).status).toBe(201);
    expect((await as(token, "POST", `${accounts}/default/token`, { spec: {} })).status).toBe(403);
  });

  test("that was made anew is another one", async () => {
    await cluster.request("POST", accounts, { metadata: { name: "short" } });
    const { token } = (await request({}, {}, "short")).json.status;
    await cluster.request("DELETE", `${accounts}/short`);
    const again = await cluster.request("POST", accounts, { metadata: { name: "short" } });
    await eventually("the token ends with its account", async () => (await statusOf(token)) === 401);
    expect((await review(token)).error).toContain(
      `service account UID (${again.json.metadata.uid}) does not match claim (`,
    );
  });

  test("has its tokens reviewed for the audiences that are asked about", async () => {
    const { token } = (await request({})).json.status;
    expect(await review(token)).toMatchObject({ authenticated: true, audiences: [issuer] });
    expect(await review(token, ["x"])).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["${issuer}"] is invalid for the target audiences ["x"]]`,
    });
    expect(await review(cluster.token)).toMatchObject({ authenticated: true, audiences: [issuer] });
    expect(await review(cluster.token, ["x"])).toEqual({ user: {}, error: "invalid bearer token" });
  });
});

describe("discovery of the issuer", () => {
  test("publishes the key that tokens are signed with", async () => {
    const configuration = await cluster.request("GET", "/.well-known/openid-configuration");
    expect(configuration.headers["content-type"]).toBe("application/json");
    expect(configuration.json).toEqual({
      issuer,
      jwks_uri: `${cluster.server}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    });
    const keys = await cluster.request("GET", "/openid/v1/jwks");
    expect(keys.headers).toMatchObject({
      "content-type": "application/jwk-set+json",
      "cache-control": "public, max-age=3600",
    });
    const { token } = (await request({})).json.status;
    const [header, payload, mark] = token.split(".");
    const [jwk] = keys.json.keys;
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "ES256", kid: jwk.kid });
    expect(jwk).not.toHaveProperty("d");
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const signed = Buffer.from(`${header}.${payload}`);
    expect(verify("SHA256", signed, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(mark, "base64url"))).toBe(true);
  });

  test("is each cluster's own: a token is good in the cluster that issued it", async () => {
    const { token } = (await request({})).json.status;
    const url = `${new URL(cluster.server).origin}/api`;
    const answer = await cluster.requestUrl("GET", url, undefined, { Authorization: `Bearer ${token}` });
    expect(answer.status).toBe(401);
  });
});
