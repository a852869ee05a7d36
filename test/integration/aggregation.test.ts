import { mkdtempSync, rmSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readPki } from "../../scripts/lib/pki.ts";
import type { Pki } from "../../scripts/lib/pki.ts";
import { catalog } from "../../workers/apis/catalog.ts";
import { AggregatedServer, group } from "../support/aggregated-server.ts";
import { eventually, TestCluster } from "../support/cluster.ts";

/** The aggregation layer: APIServices, and a server behind one that is reached over HTTPS. */
let directory: string;
let pki: Pki;
let cluster: TestCluster;
let server: AggregatedServer;
const base = `/apis/${group}/v1alpha1`;
const name = `v1alpha1.${group}`;
const registration = "/apis/apiregistration.k8s.io/v1/apiservices";

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "edgeplane-aggregation-"));
  pki = await readPki(join(directory, "trusted"));
  server = new AggregatedServer(pki);
  await server.listen();
  server.add("first");
  cluster = await TestCluster.start({
    nodes: 0,
    variables: { NODE_EXTRA_CA_CERTS: join(directory, "trusted", "ca.crt") },
  });
  await cluster.apply(externalService("wardle", "localhost"));
  await cluster.apply(apiService(group, "v1alpha1", "wardle", server.port));
  await cluster.kubectl("wait", "--for=condition=Available", `apiservice/${name}`, "--timeout=20s");
});
afterAll(async () => {
  await cluster?.stop();
  await server?.close();
  rmSync(directory, { recursive: true, force: true });
});
afterEach(() => {
  server.intercept = undefined;
});

const externalService = (service: string, externalName: string) => `
apiVersion: v1
kind: Service
metadata: { name: ${service}, namespace: default }
spec: { type: ExternalName, externalName: ${externalName} }
`;

const apiService = (ofGroup: string, version: string, service: string, port: number) => `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: ${version}.${ofGroup} }
spec:
  group: ${ofGroup}
  version: ${version}
  groupPriorityMinimum: 2000
  versionPriority: 10
  insecureSkipTLSVerify: true
  service: { namespace: default, name: ${service}, port: ${port} }
`;

const condition = async (of: string) =>
  (await cluster.request("GET", `${registration}/${of}`)).json.status.conditions?.find(
    ({ type }: any) => type === "Available",
  );

const failsWith = (of: string, reason: string) =>
  eventually(`${of} is unavailable (${reason})`, async () => {
    const found = await condition(of);
    if (found?.reason !== reason) throw new Error(JSON.stringify(found));
    return found;
  });

const discovery = async () =>
  (
    await cluster.request("GET", "/apis", undefined, {
      Accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    })
  ).json.items as any[];

const lastRequest = (path: string) => server.requests.findLast(({ url }) => url.startsWith(path))!;
const valuesOf = (raw: string[], header: string) =>
  raw.filter((_, index) => index % 2 === 1 && raw[index - 1]!.toLowerCase() === header.toLowerCase());

describe("local APIServices", () => {
  test("there is one for every built-in version, labelled, with upstream's priorities, available", async () => {
    const { items } = (await cluster.request("GET", registration)).json;
    const onStart = items.filter(
      ({ metadata }: any) => metadata.labels?.["kube-aggregator.kubernetes.io/automanaged"] === "onstart",
    );
    const versions = catalog
      .groups()
      .flatMap(({ group: ofGroup, versions: served }) => served.map((version) => `${version}.${ofGroup}`));
    expect(onStart.map(({ metadata }: any) => metadata.name)).toEqual(versions.toSorted());
    const apps = onStart.find(({ metadata }: any) => metadata.name === "v1.apps");
    expect(apps.spec).toEqual({ group: "apps", version: "v1", groupPriorityMinimum: 17800, versionPriority: 15 });
    expect(apps.status.conditions).toEqual([
      {
        type: "Available",
        status: "True",
        reason: "Local",
        message: "Local APIServices are always available",
        lastTransitionTime: expect.any(String),
      },
    ]);
  });

  test("kubectl get apiservices shows them in upstream's columns", async () => {
    const table = await cluster.kubectl("get", "apiservices");
    expect(table).toMatch(/^NAME +SERVICE +AVAILABLE +AGE/);
    expect(table).toMatch(/^v1\. +Local +True /m);
    expect(table).toMatch(new RegExp(`^${name} +default/wardle +True `, "m"));
  });

  test("one that a user writes without a service is available at once", async () => {
    await cluster.apply(
      "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: { name: v9.local.example.com }\nspec: { group: local.example.com, version: v9, groupPriorityMinimum: 10, versionPriority: 10 }\n",
    );
    expect(await condition("v9.local.example.com")).toMatchObject({ status: "True", reason: "Local" });
    await cluster.kubectl("delete", "apiservice", "v9.local.example.com");
  });

  test("a custom version has one as long as it is served", async () => {
    const definition = (served: boolean) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gizmos.shop.example.com }
spec:
  group: shop.example.com
  scope: Namespaced
  names: { plural: gizmos, kind: Gizmo }
  versions:
  - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }
  - { name: v2, served: ${served}, storage: false, schema: { openAPIV3Schema: { type: object } } }
`;
    await cluster.apply(definition(true));
    const custom = (await cluster.request("GET", `${registration}/v2.shop.example.com`)).json;
    expect(custom.metadata.labels).toEqual({ "kube-aggregator.kubernetes.io/automanaged": "true" });
    expect(custom.spec).toEqual({
      group: "shop.example.com",
      version: "v2",
      groupPriorityMinimum: 1000,
      versionPriority: 100,
    });
    expect(custom.status.conditions[0].reason).toBe("Local");
    await cluster.kubectl("delete", "apiservice", "v1.shop.example.com");
    await eventually(
      "it comes back when deleted",
      async () => (await cluster.request("GET", `${registration}/v1.shop.example.com`)).status === 200,
    );
    await cluster.apply(definition(false));
    expect((await cluster.request("GET", `${registration}/v2.shop.example.com`)).status).toBe(404);
    expect((await cluster.request("GET", `${registration}/v1.shop.example.com`)).status).toBe(200);
    await cluster.kubectl("delete", "crd", "gizmos.shop.example.com");
    await eventually(
      "it goes with the definition",
      async () => (await cluster.request("GET", `${registration}/v1.shop.example.com`)).status === 404,
    );
  });
});

describe("a remote server", () => {
  test("its availability has been checked as system:kube-aggregator", async () => {
    expect(await condition(name)).toMatchObject({ status: "True", reason: "Passed", message: "all checks passed" });
    const probe = server.requests.find(({ url }) => url === base)!;
    expect(probe.headers["x-remote-user"]).toBe("system:kube-aggregator");
    expect(probe.headers["x-remote-group"]).toBe("system:masters");
  });

  test("kubectl lists, gets, creates and deletes what it serves", async () => {
    expect(await cluster.kubectl("get", "flunders", "-o", "name")).toBe(`flunder.${group}/first\n`);
    expect(JSON.parse(await cluster.kubectl("get", "fl", "first", "-o", "json")).spec).toEqual({ reference: "first" });
    await cluster.run(
      ["create", "--validate=false", "-f", "-"],
      `apiVersion: ${group}/v1alpha1\nkind: Flunder\nmetadata: { name: second, namespace: default }\n`,
    );
    expect(server.flunders.has("second")).toBe(true);
    await cluster.kubectl("delete", "flunder", "second", "--wait=false");
    expect(server.flunders.has("second")).toBe(false);
  });

  test("it learns who asks from front-proxy headers, and nothing that could be misused", async () => {
    const response = await cluster.request("GET", `${base}/flunders?limit=7`, undefined, {
      "X-Remote-User": "system:admin",
      "X-Remote-Group": "system:masters",
      "X-Remote-Extra-Scopes": "all",
      "Impersonate-User": "jane",
      "Impersonate-Group": "system:masters",
      "Impersonate-Uid": "42",
      "Impersonate-Extra-Acme.com%2Fproject": "blue",
    });
    expect(response.status).toBe(200);
    const impersonated = lastRequest(`${base}/flunders?limit=7`);
    expect(valuesOf(impersonated.rawHeaders, "X-Remote-User")).toEqual(["jane"]);
    expect(valuesOf(impersonated.rawHeaders, "X-Remote-Uid")).toEqual(["42"]);
    expect(valuesOf(impersonated.rawHeaders, "X-Remote-Group")).toEqual(["system:masters", "system:authenticated"]);
    expect(valuesOf(impersonated.rawHeaders, "X-Remote-Extra-Scopes")).toEqual([]);
    expect(valuesOf(impersonated.rawHeaders, "X-Remote-Extra-Acme.com%2fproject")).toEqual(["blue"]);
    expect(Object.keys(impersonated.headers).filter((header) => header.startsWith("impersonate-"))).toEqual([]);
    await cluster.request("GET", `${base}/flunders?limit=8`, undefined, {
      "X-Remote-User": "system:admin",
      "X-Remote-Uid": "0",
      "X-Remote-Extra-Scopes": "all",
      "X-Other": "kept",
    });
    const { rawHeaders, headers } = lastRequest(`${base}/flunders?limit=8`);
    expect(valuesOf(rawHeaders, "X-Remote-User")).toEqual(["kubernetes-admin"]);
    expect(valuesOf(rawHeaders, "X-Remote-Group")).toEqual(["system:masters", "system:authenticated"]);
    expect(headers).not.toHaveProperty("authorization");
    expect(headers).not.toHaveProperty("x-remote-uid");
    expect(headers).not.toHaveProperty("x-remote-extra-scopes");
    expect(headers["x-other"]).toBe("kept");
    const { host } = new URL(cluster.server);
    expect(headers).toMatchObject({
      "x-forwarded-host": host,
      "x-forwarded-proto": "https",
      "x-forwarded-uri": `${base}/flunders`,
    });
  });

  test("operations of a batch reach it too, with their bodies", async () => {
    const answer = await cluster.request("POST", "/apis/edgeplane.dev/v1/batch", {
      requests: [
        { method: "POST", path: `${base}/namespaces/default/flunders`, body: { metadata: { name: "batched" } } },
      ],
    });
    expect(answer.json.responses).toMatchObject([
      { code: 201, body: { kind: "Flunder", metadata: { name: "batched" } } },
    ]);
    expect(server.flunders.delete("batched")).toBe(true);
  });

  test("its answers pass through as they are: status, headers, errors", async () => {
    const missing = await cluster.request("GET", `${base}/namespaces/default/flunders/none`);
    expect(missing.status).toBe(404);
    expect(missing.json.message).toBe("no such flunder");
    expect(missing.headers["x-from"]).toBe("wardle");
  });

  test("large bodies stream both ways", async () => {
    const note = "x".repeat(5_000_000);
    server.intercept = (_request, response) => {
      response.end(server.requests.at(-1)!.body);
      return true;
    };
    const response = await cluster.request("POST", `${base}/namespaces/default/flunders`, {
      metadata: { name: "large" },
      note,
    });
    expect(response.json.note).toBe(note);
  });

  test("a watch arrives event by event", async () => {
    const events: string[] = [];
    const request = https.get(
      `${cluster.server}${base}/flunders?watch=1`,
      { ca: cluster.ca, headers: { Authorization: `Bearer ${cluster.token}`, "Accept-Encoding": "gzip" } },
      (response) => {
        response.on("data", (chunk: Buffer) => events.push(...chunk.toString().trim().split("\n")));
        response.on("error", () => {});
      },
    );
    request.on("error", () => {});
    await eventually("the watch is open", async () => lastRequest(`${base}/flunders?watch=1`) !== undefined);
    for (const each of ["w1", "w2", "w3"]) {
      server.add(each);
      await eventually(
        `${each} arrives while the stream is open`,
        async () => events.some((event) => JSON.parse(event).object.metadata.name === each),
        5,
      );
    }
    request.destroy();
  });

  test("an upgrade request reaches it, and what it sends then comes back", async () => {
    const path = `${base}/namespaces/default/flunders/first/connect`;
    const request = https.request(`${cluster.server}${path}`, {
      ca: cluster.ca,
      headers: {
        Authorization: `Bearer ${cluster.token}`,
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": Buffer.from("0123456789abcdef").toString("base64"),
        "Sec-WebSocket-Protocol": "v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0",
      },
    });
    const received = await new Promise<string>((resolve, reject) => {
      request.on("upgrade", ({ headers }, socket, head) => {
        let text = head.toString("latin1");
        const look = () => {
          if (!text.includes("hello")) return;
          socket.destroy();
          resolve(String(headers["sec-websocket-protocol"]));
        };
        socket.on("data", (chunk: Buffer) => {
          text += chunk.toString("latin1");
          look();
        });
        socket.on("error", reject);
        look();
      });
      request.on("response", ({ statusCode }) => reject(new Error(`answered with ${statusCode}`)));
      request.on("error", reject);
      request.end();
    });
    expect(received).toBe("v5.channel.k8s.io");
    const { headers } = lastRequest(path);
    expect(headers["sec-websocket-protocol"]).toBe("v5.channel.k8s.io");
    expect(headers["x-remote-user"]).toBe("kubernetes-admin");
    expect(headers).not.toHaveProperty("authorization");
  });

  test("a redirect is not passed on", async () => {
    server.intercept = (_request, response) => {
      response.writeHead(302, { Location: "https://elsewhere.example.com/" }).end();
      return true;
    };
    const response = await cluster.request("GET", `${base}/flunders`);
    expect(response.status).toBe(502);
    expect(response.text).toBe("the backend attempted to redirect this request, which is not permitted");
  });

  test("one that is slow is given up when the request's time is over", async () => {
    server.intercept = (request) => request.url!.includes("timeout=1s");
    const response = await cluster.request("GET", `${base}/flunders?timeout=1s`);
    expect(response.status).toBe(504);
    expect(response.json.reason).toBe("Timeout");
  });
});

describe("documents", () => {
  test("its group is in /apis and /apis/<group>, by its priority", async () => {
    const groups = (await cluster.request("GET", "/apis")).json.groups.map((each: any) => each.name);
    expect(groups).toContain(group);
    expect((await cluster.request("GET", `/apis/${group}`)).json).toMatchObject({
      kind: "APIGroup",
      name: group,
      preferredVersion: { groupVersion: `${group}/v1alpha1`, version: "v1alpha1" },
    });
    expect((await cluster.request("GET", base)).json.resources[0].name).toBe("flunders");
  });

  test("aggregated discovery has its resources and subresources, current", async () => {
    const found = (await discovery()).find(({ metadata }) => metadata.name === group);
    expect(found.versions).toEqual([
      {
        version: "v1alpha1",
        freshness: "Current",
        resources: [
          {
            resource: "flunders",
            responseKind: { group, version: "v1alpha1", kind: "Flunder" },
            scope: "Namespaced",
            singularResource: "flunder",
            verbs: ["create", "delete", "get", "list", "watch"],
            shortNames: ["fl"],
            categories: ["all"],
            subresources: [
              { subresource: "status", responseKind: { group, version: "v1alpha1", kind: "Flunder" }, verbs: ["get"] },
            ],
          },
        ],
      },
    ]);
  });

  test("kubectl api-resources lists it, kubectl explain reads its schema", async () => {
    expect(await cluster.kubectl("api-resources", `--api-group=${group}`)).toMatch(
      /flunders +fl +wardle\.example\.com\/v1alpha1 +true +Flunder/,
    );
    expect(await cluster.kubectl("explain", "flunders.spec")).toContain("What it is.");
  });

  test("the index of OpenAPI v3 has its hash, and its document comes from it, asked in the user's name", async () => {
    const { paths } = (await cluster.request("GET", "/openapi/v3")).json;
    const { serverRelativeURL } = paths[`apis/${group}/v1alpha1`];
    expect(serverRelativeURL).toBe(`/openapi/v3/apis/${group}/v1alpha1?hash=ABC123`);
    expect((await cluster.request("GET", serverRelativeURL)).json.components.schemas).toHaveProperty([
      "wardle.Flunder",
    ]);
    expect(lastRequest(serverRelativeURL).headers["x-remote-user"]).toBe("kubernetes-admin");
    expect(paths["apis/apps/v1"].serverRelativeURL).toMatch(/hash=/);
  });

  test("OpenAPI v2 has its definitions and paths beside the built-in ones", async () => {
    const { definitions, paths } = (await cluster.request("GET", "/openapi/v2")).json;
    expect(definitions).toHaveProperty(["wardle.Flunder"]);
    expect(definitions).toHaveProperty(["io.k8s.api.core.v1.Pod"]);
    expect(Object.keys(paths)).toContain(`${base}/namespaces/{namespace}/flunders/{name}`);
    expect(paths).not.toHaveProperty(["/apis/other.example.com/v1/"]);
  });
});

describe("a server that cannot be used", () => {
  test("the service is missing: ServiceNotFound, until it is there", async () => {
    await cluster.apply(apiService("late.example.com", "v1", "late", server.port));
    expect(await failsWith("v1.late.example.com", "ServiceNotFound")).toMatchObject({
      status: "False",
      message: 'service/late in "default" is not present',
    });
    const response = await cluster.request("GET", "/apis/late.example.com/v1/things");
    expect([response.status, response.text]).toEqual([503, "service unavailable\n"]);
    expect(await cluster.kubectl("get", "apiservice", "v1.late.example.com")).toMatch(
      /default\/late +False \(ServiceNotFound\)/,
    );
    server.intercept = (request, answer) => {
      if (!request.url!.startsWith("/apis/late.example.com/v1")) return false;
      answer.end(JSON.stringify({ kind: "APIResourceList", resources: [] }));
      return true;
    };
    await cluster.apply(externalService("late", "localhost"));
    await cluster.kubectl("wait", "--for=condition=Available", "apiservice/v1.late.example.com", "--timeout=20s");
    expect((await cluster.request("GET", "/apis/late.example.com/v1/things")).status).toBe(200);
    await cluster.kubectl("delete", "apiservice", "v1.late.example.com");
  });

  test("a service of the cluster network: its port, its endpoints, and that there is no way to it", async () => {
    await cluster.apply(
      "apiVersion: v1\nkind: Service\nmetadata: { name: inside, namespace: default }\nspec: { selector: { app: inside }, ports: [{ name: https, port: 443 }] }\n",
    );
    await cluster.apply(apiService("port.example.com", "v1", "inside", 8443));
    expect((await failsWith("v1.port.example.com", "ServicePortError")).message).toBe(
      'service/inside in "default" is not listening on port 8443',
    );
    await cluster.apply(apiService("inside.example.com", "v1", "inside", 443));
    const found = await eventually(
      "it is checked",
      async () => (await condition("v1.inside.example.com")) as { reason: string; message: string } | undefined,
    );
    expect(["EndpointsNotFound", "MissingEndpoints"]).toContain(found.reason);
    await cluster.apply(
      "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: { name: inside-1, namespace: default, labels: { kubernetes.io/service-name: inside } }\naddressType: IPv4\nendpoints: [{ addresses: [10.1.2.3] }]\nports: [{ name: https, port: 443 }]\n",
    );
    await eventually("it is checked again", async () => {
      await cluster.request("GET", "/apis/inside.example.com/v1/things");
      return (await condition("v1.inside.example.com")).reason === "FailedDiscoveryCheck";
    });
    expect((await cluster.request("GET", "/apis/inside.example.com/v1/things")).status).toBe(503);
    await cluster.kubectl("delete", "apiservice", "v1.inside.example.com", "v1.port.example.com");
  });

  test("a certificate that is not trusted: FailedDiscoveryCheck", async () => {
    const other = new AggregatedServer(await readPki(join(directory, "untrusted")));
    await other.listen();
    await cluster.apply(apiService("untrusted.example.com", "v1", "wardle", other.port));
    expect((await failsWith("v1.untrusted.example.com", "FailedDiscoveryCheck")).message).toContain(
      `failing or missing response from https://localhost:${other.port}/apis/untrusted.example.com/v1: `,
    );
    expect(other.requests).toEqual([]);
    await cluster.kubectl("delete", "apiservice", "v1.untrusted.example.com");
    await other.close();
  });

  test("a bad status: FailedDiscoveryCheck with it; broken discovery: available but stale, and others are not harmed", async () => {
    server.intercept = (request, response) => {
      if (request.url === "/apis/bad.example.com/v1") response.writeHead(500).end("{}");
      else if (request.url === "/apis/broken.example.com/v1") response.writeHead(200).end("{ this is not JSON");
      else return false;
      return true;
    };
    await cluster.apply(
      apiService("bad.example.com", "v1", "wardle", server.port) +
        "---" +
        apiService("broken.example.com", "v1", "wardle", server.port),
    );
    const url = `https://localhost:${server.port}/apis/bad.example.com/v1`;
    expect((await failsWith("v1.bad.example.com", "FailedDiscoveryCheck")).message).toBe(
      `failing or missing response from ${url}: bad status from ${url}: 500`,
    );
    await failsWith("v1.broken.example.com", "Passed");
    const byName = new Map((await discovery()).map((each) => [each.metadata.name, each.versions]));
    expect(byName.get("broken.example.com")).toEqual([{ version: "v1", freshness: "Stale" }]);
    expect(byName.get("bad.example.com")).toEqual([{ version: "v1", freshness: "Stale" }]);
    expect(byName.get("apps")[0].freshness).toBe("Current");
    expect(await cluster.kubectl("get", "flunders", "-o", "name")).toContain("/first");
    await cluster.kubectl("delete", "apiservice", "v1.bad.example.com", "v1.broken.example.com");
  });

  test("it goes down: 503, then unavailable, stale in discovery; it comes back", async () => {
    const { port } = server;
    await server.close();
    const response = await cluster.request("GET", `${base}/flunders`);
    expect(response.status).toBe(503);
    expect(response.text).toMatch(/^error trying to reach service: /);
    await failsWith(name, "FailedDiscoveryCheck");
    expect((await cluster.request("GET", `${base}/flunders`)).text).toBe("service unavailable\n");
    // What was known stays known.
    expect((await discovery()).find(({ metadata }) => metadata.name === group).versions[0]).toMatchObject({
      freshness: "Stale",
      resources: [{ resource: "flunders" }],
    });
    await cluster.kubectl("get", "namespaces");
    const again = new AggregatedServer(pki);
    await again.listen(port);
    again.add("first");
    server = again;
    await eventually(
      "it answers again",
      async () => (await cluster.request("GET", `${base}/flunders`)).status === 200,
      60,
    );
    expect(await condition(name)).toMatchObject({ status: "True", reason: "Passed" });
    expect((await discovery()).find(({ metadata }) => metadata.name === group).versions[0].freshness).toBe("Current");
  });
});

test("without its APIService a group is gone within a second", async () => {
  expect((await cluster.request("GET", `${base}/flunders`)).status).toBe(200);
  await cluster.kubectl("delete", "apiservice", name);
  await eventually(
    "requests are no longer passed on",
    async () => (await cluster.request("GET", `${base}/flunders`)).status === 404,
    1,
  );
  expect((await discovery()).some(({ metadata }) => metadata.name === group)).toBe(false);
  expect((await cluster.request("GET", `/apis/${group}`)).status).toBe(404);
  expect((await cluster.request("GET", "/openapi/v3")).json.paths).not.toHaveProperty([`apis/${group}/v1alpha1`]);
});
