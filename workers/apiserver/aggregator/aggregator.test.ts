import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../apimachinery/clock.ts";
import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { encodeObject } from "../../storage/encode-object.ts";
import type { Storage } from "../../storage/interfaces.ts";
import { MemoryStorage } from "../../storage/memory/memory-storage.ts";
import { objectKey } from "../../storage/keys.ts";
import { mergeV2 } from "../openapi/document-v2.ts";
import { checkAll } from "./aggregator.ts";
import type { AggregatorContext } from "./aggregator-context.ts";
import { apiServices } from "./api-service.ts";
import { escapeHeaderKey, proxyHeaders } from "./auth-proxy-headers.ts";
import { remoteResourceInfos } from "./remote-resources.ts";
import { resolveCluster } from "./resolve-service.ts";

let clock: FakeClock;
let answer: () => Response;
let asked: string[];
let lists: string[];
let context: AggregatorContext;
let number = 0;

beforeEach(() => {
  clock = new FakeClock();
  const stores = new Map<string, Storage>();
  const of = ({ resource }: GroupResource): Storage => {
    if (!stores.has(resource)) stores.set(resource, new MemoryStorage(clock));
    return stores.get(resource)!;
  };
  asked = [];
  lists = [];
  answer = () => Response.json({ resources: [] });
  context = {
    storage: {
      cluster: `aggregator-${number++}`,
      for: of,
      events: async (gr) => {
        lists.push(gr.resource);
        return { ok: false, error: { code: "RevisionCompacted", requested: 0, oldest: 0 } };
      },
      watchCache: () => ({ fetch: async () => Promise.reject(new Error("no watches here")) }),
    },
    clock,
    fetch: async (url) => {
      asked.push(url);
      return answer();
    },
    background: (work) => void work(),
  };
});

const put = (gr: GroupResource, namespace: string | undefined, object: KubeObject) =>
  context.storage.for(gr).create(objectKey(gr, namespace, object.metadata.name!), encodeObject(object));
const register = async () => {
  await put({ group: "", resource: "services" }, "default", {
    metadata: { name: "s" },
    spec: { type: "ExternalName", externalName: "api.example.com" },
  });
  await put(apiServices, undefined, {
    metadata: { name: "v1.a.example.com", uid: "u" },
    spec: { group: "a.example.com", version: "v1", service: { namespace: "default", name: "s" } },
  });
};
const stored = async () =>
  (await context.storage.for(apiServices).get(objectKey(apiServices, undefined, "v1.a.example.com")))!;

describe("availability", () => {
  test("a server that answers is asked again after 30 seconds, and only a change is written", async () => {
    await register();
    await checkAll(context);
    expect(asked).toEqual(["https://api.example.com:443/apis/a.example.com/v1"]);
    const { revision } = await stored();
    await clock.advance(29_000);
    await checkAll(context);
    expect(asked).toHaveLength(1);
    await clock.advance(1_000);
    await checkAll(context);
    expect(asked).toHaveLength(2);
    expect((await stored()).revision).toBe(revision);
  });

  test("one that does not answer is asked with growing pauses, and the time of the change stays", async () => {
    await register();
    answer = () => new Response("", { status: 500 });
    const times: number[] = [];
    const begun = clock.now();
    for (let step = 0; step <= 200; step++) {
      const before = asked.length;
      await checkAll(context);
      if (asked.length > before) times.push(clock.now() - begun);
      await clock.advance(500);
    }
    expect(times).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 61_500, 91_500]);
    const [condition] = JSON.parse((await stored()).value).status.conditions;
    expect(condition).toMatchObject({
      status: "False",
      reason: "FailedDiscoveryCheck",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
  });

  test("a cluster without aggregated servers is one call", async () => {
    await checkAll(context);
    await checkAll(context);
    expect(asked).toEqual([]);
    expect(lists).toEqual([]);
  });
});

describe("resolveCluster", () => {
  const of = (spec: object) => () => resolveCluster({ metadata: { name: "s" }, spec }, 443);
  test("an external name is reached at the APIService's port, whatever ports the service has", () => {
    expect(of({ type: "ExternalName", externalName: "api.example.com" })()).toEqual({
      base: "https://api.example.com:443",
      inCluster: false,
    });
  });
  test("upstream's refusals", () => {
    expect(of({ type: "ClusterIP", clusterIP: "None" })).toThrow('cannot route to service with ClusterIP "None"');
    expect(of({ type: "Odd" })).toThrow('unsupported service type "Odd"');
    expect(of({ type: "ClusterIP", clusterIP: "10.0.0.1", ports: [{ port: 80 }] })).toThrow(
      'no service port 443 found for service "s"',
    );
  });
  test("a name that is more than a host cannot move the request", () => {
    for (const externalName of ["a/b", "user@host", "a?b", "a#b", ""])
      expect(of({ type: "ExternalName", externalName }), externalName).toThrow("invalid host");
  });
});

describe("front-proxy headers", () => {
  test("a client cannot smuggle an identity in, nor keep headers from being sent", () => {
    const request = new Request("https://api.example.com/clusters/a/apis/x/v1", {
      headers: {
        Authorization: "Bearer t",
        "X-Remote-Group": "system:masters",
        "x-remote-extra-a": "b",
        "Impersonate-User": "u",
        "X-Kept": "1",
        TE: "trailers",
      },
    });
    const headers = proxyHeaders(request, "/apis/x/v1", {
      username: "jürgen",
      groups: ["a", "b"],
      extra: { "Scope/One%": ["x"] },
    });
    expect([...headers.keys()].filter((name) => /^(authorization|impersonate|te$)/.test(name))).toEqual([]);
    expect(headers.get("X-Remote-Group")).toBe("a, b");
    expect(headers.get("X-Remote-User")).toBe(Buffer.from("jürgen").toString("latin1"));
    expect(headers.get("x-remote-extra-scope%2fone%25")).toBe("x");
    expect(headers.has("x-remote-extra-a")).toBe(false);
    expect(headers.get("X-Kept")).toBe("1");
  });
  test("keys of extra are escaped as client-go does", () => {
    expect(escapeHeaderKey("a.b_c")).toBe("a.b_c");
    expect(escapeHeaderKey("a b/ü")).toBe("a%20b%2F%C3%BC");
  });
});

test("subresources without their resource make one, as those of custom metrics", () => {
  const [pods] = remoteResourceInfos("custom.metrics.k8s.io", "v1beta1", [
    { name: "pods/requests", namespaced: true, kind: "MetricValueList", verbs: ["get"] },
  ]);
  expect(pods).toMatchObject({
    resource: "pods",
    namespaced: true,
    verbs: [],
    subresources: [{ name: "requests", kind: { kind: "MetricValueList" }, verbs: ["get"] }],
  });
});

test("a definition of the same name stays as it is built in", () => {
  const merged = mergeV2({ swagger: "2.0", paths: { "/b": 1 }, definitions: { X: "own" } }, [
    { paths: { "/a": 2, "/b": 3 }, definitions: { X: "theirs", Y: "new" } },
  ]);
  expect(merged).toEqual({ swagger: "2.0", paths: { "/a": 2, "/b": 1 }, definitions: { X: "own", Y: "new" } });
  expect(Object.keys(merged.paths)).toEqual(["/a", "/b"]);
});
