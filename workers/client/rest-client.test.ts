import { expect, test } from "vitest";
import { isNotFound, newNotFound, StatusError } from "../apimachinery/status-errors.ts";
import type { WatchEvent } from "../apimachinery/watch-event.ts";
import { newHttpTransport } from "./http-transport.ts";
import type { Transport } from "./interfaces.ts";
import { parseResourcePath, resourcePath } from "./resource-path.ts";
import { newRestClient } from "./rest-client.ts";

const pods = { group: "", version: "v1", resource: "pods" };
const deployments = { group: "apps", version: "v1", resource: "deployments" };

interface Sent {
  path: string;
  method: string;
  contentType: string | null;
  body: any;
}

function transportOf(answer: (sent: Sent) => Response): Transport & { sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    async fetch(path, init = {}) {
      const headers = new Headers(init.headers);
      const one = {
        path,
        method: init.method ?? "GET",
        contentType: headers.get("content-type"),
        body: init.body === undefined || init.body === null ? undefined : JSON.parse(init.body as string),
      };
      sent.push(one);
      return answer(one);
    },
  };
}

test("paths and bodies of the verbs", async () => {
  const transport = transportOf(() => Response.json({ metadata: {}, items: [] }));
  const client = newRestClient(transport);
  const object = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "ns", name: "a" } };
  await client.get(pods, "ns", "a");
  await client.list(deployments, undefined, { labelSelector: "a in (b,c)", limit: 5, resourceVersion: "0" });
  await client.create(pods, "ns", object);
  await client.create(pods, "ns", object, { name: "a", subresource: "binding" });
  await client.update(pods, object, "status");
  await client.patch(pods, "ns", "a", "application/apply-patch+yaml", object, undefined, {
    fieldManager: "me",
    force: true,
  });
  await client.delete(pods, "ns", "a", { preconditions: { uid: "u" } });
  await client.deleteCollection(pods, "ns", undefined, { fieldSelector: "x=y" });
  expect(transport.sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /api/v1/namespaces/ns/pods/a",
    "GET /apis/apps/v1/deployments?labelSelector=a+in+%28b%2Cc%29&limit=5&resourceVersion=0",
    "POST /api/v1/namespaces/ns/pods",
    "POST /api/v1/namespaces/ns/pods/a/binding",
    "PUT /api/v1/namespaces/ns/pods/a/status",
    "PATCH /api/v1/namespaces/ns/pods/a?fieldManager=me&force=true",
    "DELETE /api/v1/namespaces/ns/pods/a",
    "DELETE /api/v1/namespaces/ns/pods?fieldSelector=x%3Dy",
  ]);
  expect(transport.sent[5]!.contentType).toBe("application/apply-patch+yaml");
  expect(transport.sent[6]!.body).toEqual({ kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "u" } });
  expect(transport.sent[7]!.body).toBeUndefined();
});

test("items of a list learn their kind", async () => {
  const list = { kind: "PodList", apiVersion: "v1", metadata: {}, items: [{ metadata: { name: "a" } }] };
  const client = newRestClient(transportOf(() => Response.json(list)));
  expect((await client.list(pods, undefined)).items[0]).toEqual({
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: "a" },
  });
});

test("failures are StatusErrors, whoever answered", async () => {
  const status = newNotFound(pods, "a").status;
  const client = newRestClient(transportOf(() => Response.json(status, { status: 404 })));
  await expect(client.get(pods, "ns", "a")).rejects.toSatisfy(isNotFound);
  const proxied = newRestClient(
    transportOf(() => new Response("<html>", { status: 503, headers: { "retry-after": "7" } })),
  );
  const error = await proxied.get(pods, "ns", "a").catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StatusError);
  expect((error as StatusError).status).toMatchObject({
    code: 503,
    reason: "ServiceUnavailable",
    details: { retryAfterSeconds: 7 },
  });
});

test("a batch goes out in requests of 500 and keeps its order", async () => {
  const transport = transportOf(({ body }) =>
    Response.json({ responses: body.requests.map(({ path }: { path: string }) => ({ code: 200, body: { path } })) }),
  );
  const operations = Array.from({ length: 1100 }, (_, index) => ({ method: "GET" as const, path: `/${index}` }));
  const results = await newRestClient(transport).batch(operations);
  expect(transport.sent.map(({ body }) => body.requests.length)).toEqual([500, 500, 100]);
  expect(transport.sent[0]!.path).toBe("/apis/edgeplane.dev/v1/batch");
  expect(results.map(({ body }) => (body as any).path)).toEqual(operations.map(({ path }) => path));
});

async function collect(body: ReadableStream<Uint8Array>): Promise<WatchEvent[]> {
  const client = newRestClient(transportOf(() => new Response(body)));
  const events: WatchEvent[] = [];
  for await (const event of await client.watch(pods, undefined, {})) events.push(event);
  return events;
}

test("a watch reads lines however they are cut, characters included, and drops a torn last line", async () => {
  const lines = [
    { type: "ADDED", object: { metadata: { name: "ä€😀" } } },
    { type: "ERROR", object: { kind: "Status", code: 410 } },
  ];
  const bytes = new TextEncoder().encode(lines.map((line) => JSON.stringify(line) + "\n").join("") + '{"type":"ADD');
  for (const size of [1, 2, 3, 7, 1000]) {
    let offset = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (offset >= bytes.length) controller.close();
        else controller.enqueue(bytes.slice(offset, (offset += size)));
      },
    });
    expect(await collect(body)).toEqual(lines);
  }
});

test("stop cancels the body and ends the iteration; a broken body throws", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(new TextEncoder().encode('{"type":"ADDED","object":{}}\n{"type":"MODIFIED","object":{}}\n')),
    cancel: () => {
      cancelled = true;
    },
  });
  const watch = await newRestClient(transportOf(() => new Response(body))).watch(pods, undefined, {});
  const types: string[] = [];
  for await (const { type } of watch) {
    types.push(type);
    watch.stop();
  }
  expect(types).toEqual(["ADDED"]);
  expect(cancelled).toBe(true);
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("connection reset")),
  });
  await expect(collect(broken)).rejects.toThrow("connection reset");
});

test("watch queries", async () => {
  const transport = transportOf(() => new Response(""));
  const client = newRestClient(transport);
  await client.watch(pods, "ns", { resourceVersion: "5", allowWatchBookmarks: true, timeoutSeconds: 300 });
  await client.watch(pods, undefined, { sendInitialEvents: true, allowWatchBookmarks: true });
  expect(transport.sent.map(({ path }) => path)).toEqual([
    "/api/v1/namespaces/ns/pods?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300",
    "/api/v1/pods?watch=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=true",
  ]);
});

test("the HTTP transport adds server, token and headers", async () => {
  const calls: [string, Headers][] = [];
  const transport = newHttpTransport({
    server: "https://host/clusters/x/",
    token: "t",
    headers: { "user-agent": "u" },
    fetch: async (url, init) => {
      calls.push([url, new Headers(init?.headers)]);
      return Response.json({});
    },
  });
  await newRestClient(transport).raw("/api");
  expect(calls[0]![0]).toBe("https://host/clusters/x/api");
  expect(calls[0]![1].get("authorization")).toBe("Bearer t");
  expect(calls[0]![1].get("user-agent")).toBe("u");
});

test("resource paths read back", () => {
  for (const [gvr, namespace, name, subresource] of [
    [pods, "ns", "a", "status"],
    [deployments, undefined, undefined, undefined],
    [{ group: "", version: "v1", resource: "namespaces" }, undefined, "n", "finalize"],
    [
      { group: "rbac.authorization.k8s.io", version: "v1", resource: "clusterroles" },
      undefined,
      "system:a/b%",
      undefined,
    ],
  ] as const) {
    const { query, ...parsed } = parseResourcePath(resourcePath(gvr, namespace, name, subresource))!;
    expect(parsed).toEqual(JSON.parse(JSON.stringify({ gvr, namespace, name, subresource })));
    expect([...query]).toEqual([]);
  }
  expect(parseResourcePath("/healthz")).toBeUndefined();
});
