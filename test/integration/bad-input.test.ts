import https from "node:https";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestCluster } from "../support/cluster.ts";

/** What a client does wrong, and what it is told. Messages are those of kube-apiserver 1.36 unless a test says otherwise. */
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0 });
  expect((await create("configmaps", { metadata: { name: "here" } })).status).toBe(201);
});
afterAll(() => cluster?.stop());

const namespaced = "/api/v1/namespaces/default";
const get = (path: string, headers?: Record<string, string>) => cluster.request("GET", path, undefined, headers);
const create = (resource: string, object: object, query = "", headers?: Record<string, string>) =>
  cluster.request("POST", `${namespaced}/${resource}${query}`, object, headers);
const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "a", image: "b" }], ...spec },
});

/** Every failure is a Status whose code is the response's. */
async function failure(request: Promise<{ status: number; json: any }>, code: number, reason: string) {
  const response = await request;
  expect(response.json, `expected ${code} ${reason}`).toMatchObject({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
  });
  expect(response.status).toBe(code);
  return response.json as { message: string; details?: any };
}

describe("paths and methods", () => {
  test.each([
    "/api/v1/nothing",
    "/api/v2/pods",
    "/apis/apps/v1/nothing",
    "/apis/apps/v9/deployments",
    "/api/v1/pods/a",
    "/api/v1/namespaces/default/pods/a/nothing",
    "/api/v1/namespaces/default/pods/a/status/more",
    "/api/v1/namespaces/default/nodes",
    "/apis/apps/v1/namespaces/default",
  ])("%s is NotFound with details", async (path) => {
    expect(await failure(get(path), 404, "NotFound")).toMatchObject({
      message: "the server could not find the requested resource",
      details: {},
    });
  });

  test.each(["/foo", "/apis/nobody.example.com/v1/things", "/apis/nobody.example.com", "/healthy"])(
    "%s is net/http's plain page",
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(response.headers["content-type"]).toBe("text/plain; charset=utf-8");
      expect(response.text).toBe("404 page not found\n");
    },
  );

  test.each([
    ["PUT", `${namespaced}/pods`],
    ["PATCH", `${namespaced}/pods`],
    ["POST", `${namespaced}/pods/a`],
    ["POST", "/api/v1/pods"],
    ["DELETE", "/api/v1/pods"],
    ["DELETE", "/api/v1/namespaces"],
    ["OPTIONS", `${namespaced}/pods`],
    ["POST", `${namespaced}/pods/a/status`],
    ["GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"],
    ["GET", `${namespaced}/pods/a/binding`],
    ["POST", "/api/v1/componentstatuses"],
    ["POST", "/version"],
  ])("%s %s is MethodNotAllowed", async (method, path) => {
    const body = ["PUT", "PATCH", "POST"].includes(method) ? {} : undefined;
    expect(await failure(cluster.request(method, path, body), 405, "MethodNotAllowed")).toMatchObject({
      message: "the server does not allow this method on the requested resource",
      details: {},
    });
  });

  test("HEAD of a resource has no route, HEAD of a health check has", async () => {
    expect((await cluster.request("HEAD", `${namespaced}/pods`)).status).toBe(405);
    expect((await cluster.request("HEAD", "/healthz")).status).toBe(200);
  });

  test("an escaped slash is a slash, a broken escape is no path", async () => {
    expect((await get("/api/v1/namespaces/default%2Fconfigmaps/here")).status).toBe(200);
    expect((await get("/api/v1/namespaces/default/configmaps/%zz")).status).toBe(404);
    expect((await get("/api/v1/namespaces/default/configmaps/a%00b")).status).toBe(404);
  });

  test("an object that is not there", async () => {
    expect(await failure(get(`${namespaced}/pods/gone`), 404, "NotFound")).toMatchObject({
      message: 'pods "gone" not found',
      details: { name: "gone", kind: "pods" },
    });
    expect(await failure(get("/apis/apps/v1/namespaces/default/deployments/gone"), 404, "NotFound")).toMatchObject({
      message: 'deployments.apps "gone" not found',
      details: { name: "gone", group: "apps", kind: "deployments" },
    });
    await failure(cluster.request("DELETE", `${namespaced}/pods/gone`), 404, "NotFound");
    await failure(cluster.request("PUT", `${namespaced}/pods/gone`, pod("gone")), 404, "NotFound");
  });
});

describe("bodies", () => {
  const limit = 3 * 1024 * 1024;
  const big = JSON.stringify({ metadata: { name: "big" }, data: { a: "x".repeat(limit) } });

  test("more than 3 MiB with a Content-Length", async () => {
    expect((await failure(create("configmaps", big as never), 413, "RequestEntityTooLarge")).message).toBe(
      `Request entity is too large: limit is ${limit}`,
    );
  });

  test("more than 3 MiB in chunks", async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const request = https.request(
        `${cluster.server}${namespaced}/configmaps`,
        {
          method: "POST",
          ca: cluster.ca,
          headers: {
            Authorization: `Bearer ${cluster.token}`,
            "Content-Type": "application/json",
            "Transfer-Encoding": "chunked",
          },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode!);
        },
      );
      request.on("error", reject);
      for (let at = 0; at < big.length; at += 65_536) request.write(big.slice(at, at + 65_536));
      request.end();
    });
    expect(status).toBe(413);
  });

  test("compressed bodies are not unpacked: a bomb is as harmless as any other bytes that are no JSON", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
    await failure(
      cluster.request("POST", `${namespaced}/configmaps`, bomb, {
        "Content-Encoding": "gzip",
        "Content-Type": "application/json",
      }),
      400,
      "BadRequest",
    );
  });

  test("an object above 1.5 MiB is too large for the store", async () => {
    const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
    const rules = Array.from({ length: 1_700 }, (_, index) => ({
      apiGroups: [""],
      resources: [`${index}${"x".repeat(1_000)}`],
      verbs: ["get"],
    }));
    await failure(cluster.request("POST", roles, { metadata: { name: "stout" }, rules }), 413, "RequestEntityTooLarge");
    expect((await get(`${roles}/stout`)).status).toBe(404);
  });

  test.each([
    ["application/json", "{"],
    ["application/json", ""],
    ["application/json", "[]"],
    ["application/json", '"text"'],
    ["application/json", '{"metadata":{"name":"a"}} trailing'],
    ["application/json", '{"metadata":{"name":5}}'],
    ["application/json", '{"metadata":[]}'],
    ["application/json", '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}'],
    ["application/json", '{"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"a"}}'],
    ["application/json", '{"kind":5}'],
    ["application/yaml", "a: [b"],
    ["application/yaml", "- a\n- b\n"],
    ["application/vnd.kubernetes.protobuf", "k8s\0\u0001"],
    ["application/vnd.kubernetes.protobuf", "junk"],
    ["application/vnd.kubernetes.protobuf", ""],
  ])("%s %j is BadRequest", async (type, body) => {
    await failure(
      cluster.request("POST", `${namespaced}/configmaps`, body, { "Content-Type": type }),
      400,
      "BadRequest",
    );
  });

  test("broken JSON is quoted in Go's words", async () => {
    const { message } = await failure(
      cluster.request("POST", `${namespaced}/configmaps`, '{"metadata":{"name":"a"'),
      400,
      "BadRequest",
    );
    expect(message).toBe(
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({"metadata":{"name":"a")`,
    );
  });

  test("an unknown media type", async () => {
    await failure(
      cluster.request("POST", `${namespaced}/configmaps`, "<a/>", { "Content-Type": "text/xml" }),
      415,
      "UnsupportedMediaType",
    );
    await failure(
      cluster.request("PATCH", `${namespaced}/configmaps/here`, "{}", { "Content-Type": "application/json" }),
      415,
      "UnsupportedMediaType",
    );
  });

  test.each([
    "text/html",
    "application/json;as=Nothing;g=meta.k8s.io;v=v1",
    "application/json;as=Table;g=meta.k8s.io;v=v7",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  ])("Accept: %s of a list is NotAcceptable", async (accept) => {
    await failure(get(`${namespaced}/configmaps`, { Accept: accept }), 406, "NotAcceptable");
  });

  test("an event stream is no YAML", async () => {
    const response = await get(`${namespaced}/configmaps?watch=1`, { Accept: "application/yaml" });
    expect(response.status).toBe(406);
    expect(response.text).toContain("NotAcceptable");
  });
});

describe("query parameters", () => {
  test.each([
    "?resourceVersion=abc",
    "?resourceVersion=-1",
    "?limit=many",
    "?continue=junk",
    `?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1}').toString("base64url")}`,
    `?continue=${Buffer.from('{"v":"v9","rv":1,"start":"a"}').toString("base64url")}`,
    `?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../../secrets/"}').toString("base64url")}`,
    "?labelSelector=a%20b",
    "?labelSelector=a%20in%20(",
    "?labelSelector=-a%3Db",
    "?fieldSelector=a",
    "?fieldSelector=spec.nothing%3Da",
    "?timeoutSeconds=x",
    "?timeout=soon",
    "?watch=1&resourceVersion=abc",
    "?watch=1&labelSelector=a%20b",
    "?watch=1&fieldSelector=spec.nothing%3Da",
  ])("pods%s is BadRequest", async (query) => {
    await failure(get(`${namespaced}/pods${query}`), 400, "BadRequest");
  });

  test("get with a wrong resourceVersion", async () => {
    await failure(get(`${namespaced}/configmaps/here?resourceVersion=abc`), 400, "BadRequest");
  });

  test("field selectors name what can be selected", async () => {
    expect((await failure(get(`${namespaced}/pods?fieldSelector=spec.nothing%3Da`), 400, "BadRequest")).message).toBe(
      "field label not supported: spec.nothing",
    );
    expect((await failure(get(`${namespaced}/configmaps?fieldSelector=data.a%3Db`), 400, "BadRequest")).message).toBe(
      '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  test.each([
    "?resourceVersionMatch=Exact",
    "?resourceVersionMatch=Sometimes&resourceVersion=1",
    "?resourceVersionMatch=Exact&resourceVersion=0",
    "?resourceVersionMatch=NotOlderThan&resourceVersion=1&continue=abc",
    "?sendInitialEvents=true",
    "?watch=1&resourceVersionMatch=NotOlderThan",
    "?watch=1&sendInitialEvents=true",
    "?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1",
  ])("pods%s is Invalid ListOptions", async (query) => {
    expect((await failure(get(`${namespaced}/pods${query}`), 422, "Invalid")).details).toMatchObject({
      group: "meta.k8s.io",
      kind: "ListOptions",
    });
  });

  test.each([
    ["POST", "configmaps", "?dryRun=Some"],
    ["POST", "configmaps", "?fieldValidation=Hard"],
    ["POST", "configmaps", `?fieldManager=${"m".repeat(129)}`],
    ["POST", "configmaps", "?fieldManager=a%0Ab"],
    ["PUT", "configmaps/here", "?dryRun=Some"],
    ["DELETE", "configmaps/here", "?propagationPolicy=Sideways"],
    ["DELETE", "configmaps/here", "?dryRun=Some"],
    ["DELETE", "configmaps/here", "?propagationPolicy=Orphan&orphanDependents=true"],
  ])("%s %s%s is Invalid", async (method, path, query) => {
    const body = method === "DELETE" ? undefined : { metadata: { name: "here" } };
    await failure(cluster.request(method, `${namespaced}/${path}${query}`, body), 422, "Invalid");
    expect((await get(`${namespaced}/configmaps/here`)).status).toBe(200);
  });

  test("DeleteOptions in the body are checked as well", async () => {
    await failure(
      cluster.request("DELETE", `${namespaced}/configmaps/here`, { propagationPolicy: "Sideways" }),
      422,
      "Invalid",
    );
    await failure(
      cluster.request("DELETE", `${namespaced}/configmaps/here`, { gracePeriodSeconds: "x" }),
      400,
      "BadRequest",
    );
    await failure(cluster.request("DELETE", `${namespaced}/configmaps/here?gracePeriodSeconds=x`), 400, "BadRequest");
  });

  test("a thousand parameters, and a long one", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `p${index}=${index}`).join("&");
    expect((await get(`${namespaced}/configmaps?${many}`)).status).toBe(200);
    const long = await cluster
      .request("GET", `${namespaced}/configmaps?labelSelector=${"a".repeat(14_000)}`)
      .catch(() => undefined);
    // The runtime refuses headers above its own bound before the Worker sees them.
    if (long !== undefined) expect(long.status).toBeLessThan(500);
  });
});

describe("objects that cannot be", () => {
  test("a wrong name, with causes", async () => {
    const status = await failure(create("configmaps", { metadata: { name: "Not_A_Name" } }), 422, "Invalid");
    expect(status.message).toMatch(
      /^ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain must consist of/,
    );
    expect(status.details).toMatchObject({
      name: "Not_A_Name",
      kind: "ConfigMap",
      causes: [{ reason: "FieldValueInvalid", field: "metadata.name" }],
    });
  });

  test("no name", async () => {
    expect((await failure(create("configmaps", {}), 422, "Invalid")).message).toBe(
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    );
  });

  test("missing fields are all named", async () => {
    const status = await failure(create("pods", { metadata: { name: "bare" }, spec: {} }), 422, "Invalid");
    expect(status.details.causes).toContainEqual({
      reason: "FieldValueRequired",
      message: "Required value",
      field: "spec.containers",
    });
    const deployment = await failure(
      cluster.request("POST", "/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "bare" } }),
      422,
      "Invalid",
    );
    expect(deployment.details.causes.map(({ field }: { field: string }) => field)).toContain("spec.selector");
  });

  test("labels, annotations, finalizers and owners are checked", async () => {
    const bad = {
      metadata: {
        name: "bad",
        labels: { "a b": "c", ok: "not ok!" },
        annotations: { "": "x" },
        finalizers: ["no slash here!"],
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "", uid: "" }],
      },
    };
    const { details } = await failure(create("configmaps", bad), 422, "Invalid");
    expect(new Set(details.causes.map(({ field }: { field: string }) => field))).toEqual(
      new Set([
        "metadata.labels",
        "metadata.annotations",
        "metadata.finalizers",
        "metadata.finalizers[0]",
        "metadata.ownerReferences.name",
        "metadata.ownerReferences.uid",
      ]),
    );
  });

  test("annotations may have 256 KiB in bytes, not in characters", async () => {
    const annotated = (text: string) => create("configmaps", { metadata: { name: "noted", annotations: { a: text } } });
    expect((await failure(annotated("é".repeat(140_000)), 422, "Invalid")).message).toBe(
      'ConfigMap "noted" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
    );
    expect((await annotated("e".repeat(140_000))).status).toBe(201);
  });

  test("another namespace or name than the path's", async () => {
    expect(
      (await failure(create("configmaps", { metadata: { name: "a", namespace: "kube-system" } }), 400, "BadRequest"))
        .message,
    ).toBe("the namespace of the provided object does not match the namespace sent on the request");
    const put = (object: object) => cluster.request("PUT", `${namespaced}/configmaps/here`, object);
    expect((await failure(put({ metadata: { name: "there" } }), 400, "BadRequest")).message).toBe(
      "the name of the object (there) does not match the name on the URL (here)",
    );
    expect((await failure(put({ metadata: {} }), 400, "BadRequest")).message).toBe(
      "the name of the object (here based on URL) was undeterminable: name must be provided",
    );
    expect(
      (await failure(put({ metadata: { name: "here", namespace: "kube-system" } }), 400, "BadRequest")).message,
    ).toBe("the namespace of the object (kube-system) does not match the namespace on the request (default)");
    await failure(
      cluster.request(
        "PATCH",
        `${namespaced}/configmaps/here`,
        { metadata: { name: "there" } },
        { "Content-Type": "application/merge-patch+json" },
      ),
      400,
      "BadRequest",
    );
  });

  test("a resourceVersion at creation, and a stale or impossible one at update", async () => {
    expect(
      (await failure(create("configmaps", { metadata: { name: "a", resourceVersion: "5" } }), 400, "BadRequest"))
        .message,
    ).toBe("resourceVersion should not be set on objects to be created");
    const put = (resourceVersion: string) =>
      cluster.request("PUT", `${namespaced}/configmaps/here`, { metadata: { name: "here", resourceVersion } });
    const stale = await failure(put("1"), 409, "Conflict");
    expect(stale.message).toBe(
      'Operation cannot be fulfilled on configmaps "here": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect(stale.details).toEqual({ name: "here", kind: "configmaps" });
    await failure(put("abc"), 422, "Invalid");
  });

  test("namespaces that are unknown or on their way out", async () => {
    expect(
      (
        await failure(
          cluster.request("POST", "/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "a" } }),
          404,
          "NotFound",
        )
      ).message,
    ).toBe('namespaces "nowhere" not found');
    // Held by a finalizer of its own, it stays terminating.
    await cluster.request("POST", "/api/v1/namespaces", {
      metadata: { name: "leaving", finalizers: ["example.com/hold"] },
    });
    expect((await cluster.request("DELETE", "/api/v1/namespaces/leaving")).json).toMatchObject({
      status: { phase: "Terminating" },
    });
    const status = await failure(
      cluster.request("POST", "/api/v1/namespaces/leaving/configmaps", { metadata: { name: "a" } }),
      403,
      "Forbidden",
    );
    expect(status.message).toBe(
      'configmaps "a" is forbidden: unable to create new content in namespace leaving because it is being terminated',
    );
    expect(status.details.causes).toEqual([
      { reason: "NamespaceTerminating", message: "namespace leaving is being terminated", field: "metadata.namespace" },
    ]);
    const immortal = await failure(cluster.request("DELETE", "/api/v1/namespaces/default"), 403, "Forbidden");
    expect(immortal.message).toBe('namespaces "default" is forbidden: this namespace may not be deleted');
  });
});

describe("who is asking", () => {
  const plain = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    cluster.requestUrl(method, `${cluster.server}${path}`, undefined, headers);

  test("a wrong token is Unauthorized, everywhere", async () => {
    for (const path of [`${namespaced}/pods`, "/healthz", "/version"]) {
      for (const Authorization of [
        "Bearer nonsense",
        "Bearer admin.AAAA",
        "Basic YTpi",
        "Bearer ",
        `Bearer ${cluster.token}x`,
      ]) {
        const status = await failure(plain(path, { Authorization }), 401, "Unauthorized");
        expect(status.message).toBe("Unauthorized");
      }
    }
  });

  test("without one, only health and version are public", async () => {
    for (const path of ["/healthz", "/livez", "/readyz", "/version"]) expect((await plain(path)).status).toBe(200);
    for (const path of [`${namespaced}/pods`, "/api", "/apis", "/openapi/v2", "/metrics", "/foo"])
      await failure(plain(path), 401, "Unauthorized");
    await failure(plain("/healthz", {}, "POST"), 401, "Unauthorized");
  });

  test("a browser's token in a WebSocket's subprotocols, beside a real one", async () => {
    const bearer = (token: string) =>
      `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;
    const ask = async (protocols: string) =>
      (await plain(`${namespaced}/configmaps`, { "Sec-WebSocket-Protocol": protocols })).status;
    expect(await ask(`${bearer(cluster.token)}, v4.channel.k8s.io`)).toBe(200);
    for (const protocols of [
      bearer(cluster.token),
      `${bearer("wrong")}, x`,
      `${bearer("a")}, ${bearer(cluster.token)}, x`,
      "base64url.bearer.authorization.k8s.io.%%%, x",
      "x",
    ]) {
      expect(await ask(protocols)).toBe(401);
    }
  });

  test("others are Forbidden in upstream's words", async () => {
    const as = (path: string, method = "GET", body?: object) =>
      cluster.request(method, path, body, { "Impersonate-User": "jane" });
    const list = await failure(as(`${namespaced}/pods`), 403, "Forbidden");
    expect(list.message).toBe(
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    expect(list.details).toEqual({ kind: "pods" });
    expect((await failure(as("/apis/apps/v1/deployments"), 403, "Forbidden")).message).toBe(
      'deployments.apps is forbidden: User "jane" cannot list resource "deployments" in API group "apps" at the cluster scope',
    );
    expect((await failure(as(`${namespaced}/pods/a/status`), 403, "Forbidden")).message).toBe(
      'pods "a" is forbidden: User "jane" cannot get resource "pods/status" in API group "" in the namespace "default"',
    );
    expect(
      (await failure(as(`${namespaced}/configmaps`, "POST", { metadata: { name: "x" } }), 403, "Forbidden")).message,
    ).toBe(
      'configmaps is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "default"',
    );
    const path = await failure(as("/metrics"), 403, "Forbidden");
    expect(path.message).toBe('forbidden: User "jane" cannot get path "/metrics"');
    expect(path.details).toEqual({});
    expect((await as("/version")).status).toBe(200);
  });

  test("impersonation needs a user, and the right", async () => {
    await failure(get("/version", { "Impersonate-Group": "system:masters" }), 400, "BadRequest");
    const response = await get(`${namespaced}/configmaps/here`, {
      "Impersonate-User": "jane",
      "Impersonate-Group": "system:masters",
    });
    expect(response.status).toBe(200);
    await get("/version", { "Impersonate-User": "jane", "Impersonate-Extra-%zz": "a" }).then(({ status }) =>
      expect(status).toBe(200),
    );
  });
});
