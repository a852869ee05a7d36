import * as yaml from "js-yaml";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { catalog } from "../../workers/apis/catalog.ts";
import { normalizeObject } from "../../workers/apis/codec/normalize.ts";
import { decodeObject } from "../../workers/apis/codec/decode.ts";
import { encodeProtobufObject } from "../../workers/apis/codec/protobuf.ts";
import { schemaTable } from "../../workers/apis/schema-table.ts";
import { TestCluster } from "../support/cluster.ts";
import { HttpWatch } from "../support/http-watch.ts";
import { minimalObject } from "../support/minimal-object.ts";

/** What reads answer: which state, which part of it, in which form. */
let cluster: TestCluster;
const watches: HttpWatch[] = [];

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0 });
  for (const name of ["lists", "pages", "watched", "forms"]) {
    await ok(cluster.request("POST", "/api/v1/namespaces", { metadata: { name } }), 201);
  }
});
afterEach(() => {
  for (const watch of watches.splice(0)) watch.close();
});
afterAll(() => cluster?.stop());

const protobufType = "application/vnd.kubernetes.protobuf";
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
/** Nobody else writes Secrets; in `forms` there is the root CA's ConfigMap beside ours. */
const at = (namespace: string, rest = "") =>
  `/api/v1/namespaces/${namespace}/${namespace === "forms" ? "configmaps" : "secrets"}${rest}`;
const text = (value: string) => Buffer.from(value).toString("base64");
async function ok(request: Promise<{ status: number; json: any; text: string }>, status = 200): Promise<any> {
  const response = await request;
  expect(response.status, response.text).toBe(status);
  return response.json;
}
const get = (path: string, accept?: string) =>
  ok(cluster.request("GET", path, undefined, accept === undefined ? {} : { Accept: accept }));
const make = (namespace: string, name: string, labels: Record<string, string> = {}) =>
  ok(
    cluster.request("POST", at(namespace), {
      metadata: { name, labels },
      data: { v: namespace === "forms" ? "1" : text("1") },
    }),
    201,
  );
const change = (namespace: string, name: string, body: object) =>
  ok(cluster.request("PATCH", at(namespace, `/${name}`), body, { "Content-Type": "application/merge-patch+json" }));
const drop = (namespace: string, name: string) => ok(cluster.request("DELETE", at(namespace, `/${name}`)));
const names = (list: { items: { metadata: { name: string } }[] }) => list.items.map(({ metadata }) => metadata.name);
function watch(path: string, headers?: Record<string, string>): HttpWatch {
  const opened = new HttpWatch(cluster, path, headers);
  watches.push(opened);
  return opened;
}

describe("lists at a resourceVersion", () => {
  test("unset, 0, not older than, exact", async () => {
    const first = await make("lists", "a");
    const version = Number(first.metadata.resourceVersion);
    const second = await make("lists", "b");
    await change("lists", "a", { data: { v: text("2") } });
    const newest = await get(at("lists"));
    expect(newest).toMatchObject({ kind: "SecretList", apiVersion: "v1" });
    expect(newest.items[0].kind).toBeUndefined();
    expect(newest.items[0].data).toEqual({ v: text("2") });
    expect(Number(newest.metadata.resourceVersion)).toBeGreaterThan(version);
    expect(names(await get(at("lists", "?resourceVersion=0")))).toEqual(["a", "b"]);
    expect(names(await get(at("lists", `?resourceVersion=${version}`)))).toEqual(["a", "b"]);
    expect(names(await get(at("lists", `?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`)))).toEqual([
      "a",
      "b",
    ]);
    const exact = await get(at("lists", `?resourceVersion=${version}&resourceVersionMatch=Exact`));
    expect(names(exact)).toEqual(["a"]);
    expect(exact.items[0].data).toEqual({ v: text("1") });
    expect(exact.metadata.resourceVersion).toBe(String(version));
    // With a limit and no match, a number is exact.
    const legacy = await get(at("lists", `?resourceVersion=${second.metadata.resourceVersion}&limit=5`));
    expect(legacy.items.map(({ data }: any) => data.v)).toEqual([text("1"), text("1")]);
    expect(
      names(
        await get(
          at("lists", `?resourceVersion=${second.metadata.resourceVersion}&resourceVersionMatch=Exact&labelSelector=x`),
        ),
      ),
    ).toEqual([]);
    await drop("lists", "b");
    expect(
      names(await get(at("lists", `?resourceVersion=${second.metadata.resourceVersion}&resourceVersionMatch=Exact`))),
    ).toEqual(["a", "b"]);
  });

  test("a resourceVersion of the future is told apart", async () => {
    const status = await ok(
      cluster.request("GET", at("lists", "?resourceVersion=999999&resourceVersionMatch=NotOlderThan")),
      504,
    );
    expect(status).toMatchObject({
      reason: "Timeout",
      details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
    });
    expect(status.message).toMatch(/^Timeout: Too large resource version: 999999, current: \d+$/);
    await ok(cluster.request("GET", at("lists", "/a?resourceVersion=999999")), 504);
    expect((await get(at("lists", "/a?resourceVersion=1"))).metadata.name).toBe("a");
  });

  test("an empty list is a list", async () => {
    expect((await get(at("lists", "?labelSelector=nobody"))).items).toEqual([]);
    const empty = await get("/apis/storage.k8s.io/v1/storageclasses");
    expect(empty).toMatchObject({ kind: "StorageClassList", items: [] });
    expect(empty.metadata.resourceVersion).toMatch(/^\d+$/);
  });
});

describe("pages", () => {
  const count = 40;
  beforeAll(async () => {
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        make("pages", `p${String(index).padStart(2, "0")}`, { parity: index % 2 === 0 ? "even" : "odd" }),
      ),
    );
  });

  test("all pages are of the first one's moment, while writers go on", async () => {
    const seen: string[] = [];
    const versions = new Set<string>();
    let token = "";
    let remaining = count;
    for (let round = 0; ; round++) {
      const page = await get(at("pages", `?limit=7&continue=${encodeURIComponent(token)}`));
      for (const item of page.items) {
        expect(item.data.v).toBe(text("1"));
        seen.push(item.metadata.name);
      }
      versions.add(page.metadata.resourceVersion);
      remaining -= page.items.length;
      if (page.metadata.continue === undefined) break;
      expect(page.metadata.remainingItemCount).toBe(remaining);
      token = page.metadata.continue;
      // Before, at and after the place of the token.
      await Promise.all([
        change("pages", `p${String(37 - round).padStart(2, "0")}`, { data: { v: text("changed") } }),
        make("pages", `p${round}x`),
        ...(round === 1 ? [drop("pages", "p38")] : []),
      ]);
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, index) => `p${String(index).padStart(2, "0")}`));
    expect(versions.size).toBe(1);
    expect(remaining).toBe(0);
  });

  test("a selector with a limit fills its pages, and counts nothing", async () => {
    const seen: string[] = [];
    let token = "";
    do {
      const page = await get(at("pages", `?limit=6&labelSelector=parity%3Dodd&continue=${encodeURIComponent(token)}`));
      expect(page.metadata.remainingItemCount).toBeUndefined();
      if (page.metadata.continue !== undefined) expect(page.items).toHaveLength(6);
      seen.push(...names(page));
      token = page.metadata.continue ?? "";
    } while (token !== "");
    expect(seen).toEqual(names(await get(at("pages", "?labelSelector=parity%3Dodd"))));
    expect(seen).toHaveLength(20);
  });

  test("selectors", async () => {
    const select = async (query: string) => names(await get(at("pages", `?${query}`))).length;
    expect(await select("labelSelector=parity%20in%20(odd)")).toBe(20);
    expect(await select("labelSelector=parity%20notin%20(odd),parity")).toBe(19);
    expect(await select("labelSelector=!parity")).toBeGreaterThan(0);
    expect(await select("fieldSelector=metadata.name%3Dp00")).toBe(1);
    expect(
      await select("fieldSelector=metadata.name!%3Dp00,metadata.namespace%3Dpages&labelSelector=parity%3Deven"),
    ).toBe(18);
    expect(await select("fieldSelector=metadata.name%3Dp00&labelSelector=parity%3Dodd")).toBe(0);
    expect((await get("/api/v1/secrets?fieldSelector=metadata.namespace%3Dpages&limit=2")).items).toHaveLength(2);
  });

  test("pages of a table and of protobuf go on as well", async () => {
    const first = await get(at("pages", "?limit=5"), table);
    expect(first.rows).toHaveLength(5);
    expect(first.metadata.remainingItemCount).toBeGreaterThan(0);
    const second = await get(at("pages", `?limit=5&continue=${encodeURIComponent(first.metadata.continue)}`), table);
    expect(second.rows).toHaveLength(5);
    expect(second.rows[0].object.metadata.name).not.toBe(first.rows[0].object.metadata.name);
  });

  test("kubectl in chunks", async () => {
    const shown = await cluster.kubectl("get", "secrets", "-n", "pages", "--chunk-size=3", "-o", "name");
    expect(shown.trim().split("\n").length).toBe((await get(at("pages"))).items.length);
  });
});

describe("representations", () => {
  beforeAll(() => make("forms", "one", { a: "b" }));

  test("a table of a list, of one, and of each part of the object", async () => {
    const list = await get(at("forms"), table);
    expect(list).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    expect(list.columnDefinitions.map(({ name }: any) => name)).toEqual(["Name", "Data", "Age"]);
    expect(list.columnDefinitions[0]).toMatchObject({ type: "string", format: "name", priority: 0 });
    const row = list.rows.find(({ object }: any) => object.metadata.name === "one");
    expect(row.cells.slice(0, 2)).toEqual(["one", 1]);
    expect(row.object).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" });
    expect(row.object.data).toBeUndefined();
    const one = await get(at("forms", "/one?includeObject=Object"), table);
    expect(one.rows[0].object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { v: "1" } });
    expect((await get(at("forms", "/one?includeObject=None"), table)).rows[0].object ?? null).toBeNull();
    await ok(cluster.request("GET", at("forms", "/one?includeObject=All"), undefined, { Accept: table }), 400);
    expect((await get(at("forms"), "application/json;as=Table;g=meta.k8s.io;v=v1beta1")).apiVersion).toBe(
      "meta.k8s.io/v1beta1",
    );
    // The first clause that can be served wins.
    expect(
      (await get(at("forms"), `application/json;as=Table;g=meta.k8s.io;v=v9,${table},application/json`)).kind,
    ).toBe("Table");
    expect((await get(at("forms"), `${protobufType};as=Table;g=meta.k8s.io;v=v1,application/json`)).kind).toBe(
      "ConfigMapList",
    );
  });

  test("metadata alone, of one and of many", async () => {
    const one = await get(at("forms", "/one"), "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    expect(Object.keys(one).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    expect(one).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "one", labels: { a: "b" } },
    });
    const list = await get(at("forms"), "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    expect(list).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" });
    expect(list.metadata.resourceVersion).toMatch(/^\d+$/);
    for (const item of list.items) expect(item.data).toBeUndefined();
  });

  test("YAML out, and in", async () => {
    const response = await cluster.request("GET", at("forms", "/one"), undefined, { Accept: "application/yaml" });
    expect(response.headers["content-type"]).toBe("application/yaml");
    expect(yaml.load(response.text)).toEqual(await get(at("forms", "/one")));
    const list = await cluster.request("GET", at("forms"), undefined, { Accept: "application/yaml" });
    expect((yaml.load(list.text) as any).kind).toBe("ConfigMapList");
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: written\ndata:\n  text: |\n    two\n    lines\n";
    const created = await ok(cluster.request("POST", at("forms"), body, { "Content-Type": "application/yaml" }), 201);
    expect(created.data.text).toBe("two\nlines\n");
  });

  test("protobuf in and out, of objects, lists and answers", async () => {
    const read = async (path: string, kind: string, apiVersion = "v1") => {
      const response = await cluster.request("GET", path, undefined, { Accept: protobufType });
      expect(response.status, response.text).toBe(200);
      expect(response.headers["content-type"]).toBe(protobufType);
      expect(response.bytes.subarray(0, 4).toString()).toBe("k8s\0");
      const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
      return decodeObject(
        response.bytes,
        protobufType,
        { group: group!, version: version!, kind },
        { fieldValidation: "Strict" },
      ).object;
    };
    const struct = schemaTable.structOfKind("", "v1", "ConfigMap")!;
    const object = {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "binary" },
      data: { a: "é" },
      binaryData: { b: "AAEC/w==" },
    };
    const body = encodeProtobufObject(struct, object);
    const created = await cluster.request("POST", at("forms"), body, {
      "Content-Type": protobufType,
      Accept: protobufType,
    });
    expect(created.status).toBe(201);
    const json = await get(at("forms", "/binary"));
    expect(json).toMatchObject({ data: object.data, binaryData: object.binaryData });
    expect(await read(at("forms", "/binary"), "ConfigMap")).toMatchObject({
      ...json,
      metadata: expect.objectContaining({ uid: json.metadata.uid, resourceVersion: json.metadata.resourceVersion }),
    });
    const list = await read(at("forms"), "ConfigMapList");
    expect(list.items.map(({ metadata }: any) => metadata.name)).toEqual(names(await get(at("forms"))));
    expect(list.metadata.resourceVersion).toBe((await get(at("forms"))).metadata.resourceVersion);
    expect((await read("/api/v1/namespaces", "NamespaceList")).items.length).toBeGreaterThan(4);
    expect((await read("/apis/apps/v1/deployments", "DeploymentList", "apps/v1")).items ?? []).toEqual([]);
    const partial = await cluster.request("GET", at("forms"), undefined, {
      Accept: `${protobufType};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`,
    });
    expect(partial.headers["content-type"]).toBe(protobufType);
    const deleted = await cluster.request("DELETE", at("forms", "/binary"), undefined, { Accept: protobufType });
    expect(deleted.headers["content-type"]).toBe(protobufType);
    expect(
      decodeObject(
        deleted.bytes,
        protobufType,
        { group: "", version: "v1", kind: "Status" },
        { fieldValidation: "Ignore" },
      ).object,
    ).toMatchObject({ status: "Success" });
  });

  test("strict decoding: Ignore, Warn with a header each, Strict", async () => {
    const body = '{"metadata":{"name":"strict"},"data":{"a":"1","a":"2"},"dataa":{},"metadata2":1}';
    const send = (mode: string) => cluster.request("POST", at("forms", `?dryRun=All${mode}`), body);
    const warned = await send("");
    expect(warned.status).toBe(201);
    const warnings = String(warned.headers.warning);
    expect(warnings).toContain('299 - "unknown field \\"dataa\\""');
    expect(warnings).toContain('299 - "unknown field \\"metadata2\\""');
    expect(warnings).toContain('299 - "duplicate field \\"data.a\\""');
    expect((await send("&fieldValidation=Ignore")).headers.warning).toBeUndefined();
    const strict = await ok(send("&fieldValidation=Strict"), 400);
    expect(strict.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dataa", unknown field "metadata2", duplicate field "data.a"',
    );
    const patch = (mode: string) =>
      cluster.request(
        "PATCH",
        at("forms", `/one?fieldValidation=${mode}`),
        { nothing: 1 },
        { "Content-Type": "application/merge-patch+json" },
      );
    expect(String((await patch("Warn")).headers.warning)).toContain('unknown field \\"nothing\\"');
    expect((await ok(patch("Strict"), 422)).message).toContain('strict decoding error: unknown field "nothing"');
  });
});

describe("watches", () => {
  test("from a version: every change after it, in order; headers that let it flow", async () => {
    const { metadata } = await get(at("watched"));
    await make("watched", "flow");
    await change("watched", "flow", { data: { v: text("2") } });
    const stream = watch(at("watched", `?watch=true&resourceVersion=${metadata.resourceVersion}`));
    await stream.until("two events", ({ events }) => events.length === 2);
    expect(stream.headers["content-type"]).toBe("application/json");
    expect(stream.headers["cache-control"]).toContain("no-cache, private");
    await drop("watched", "flow");
    await stream.until("the end of the object", ({ events }) => events.length === 3);
    expect(stream.story).toEqual(["ADDED flow", "MODIFIED flow", "DELETED flow"]);
    const versions = stream.events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
    for (const { object } of stream.events) expect(object).toMatchObject({ kind: "Secret", apiVersion: "v1" });
  });

  test("of one name, by selector and by the old path", async () => {
    await make("watched", "wanted");
    await make("watched", "other");
    const streams = [
      watch(at("watched", "?watch=1&fieldSelector=metadata.name%3Dwanted")),
      watch("/api/v1/watch/namespaces/watched/secrets/wanted"),
    ];
    for (const stream of streams) await stream.until("it is there", ({ story }) => story.includes("ADDED wanted"));
    await change("watched", "other", { data: { v: text("2") } });
    await change("watched", "wanted", { data: { v: text("2") } });
    for (const stream of streams) {
      await stream.until("it changed", ({ events }) => events.length === 2);
      expect(stream.story).toEqual(["ADDED wanted", "MODIFIED wanted"]);
    }
  });

  test("objects enter and leave a selector", async () => {
    const stream = await watch(at("watched", "?watch=1&labelSelector=in%3Dyes")).opened();
    await make("watched", "moves");
    await change("watched", "moves", { metadata: { labels: { in: "yes" } } });
    await change("watched", "moves", { data: { v: text("2") } });
    const left = await change("watched", "moves", { metadata: { labels: { in: "no" } } });
    await change("watched", "moves", { data: { v: text("3") } });
    await change("watched", "moves", { metadata: { labels: { in: "yes" } } });
    await drop("watched", "moves");
    await stream.until("the whole story", ({ events }) => events.length === 5);
    expect(stream.story).toEqual(["ADDED moves", "MODIFIED moves", "DELETED moves", "ADDED moves", "DELETED moves"]);
    // The state that last matched, at the version of the change that made it leave.
    expect(stream.events[2]!.object.metadata).toMatchObject({
      labels: { in: "yes" },
      resourceVersion: left.metadata.resourceVersion,
    });
  });

  test("as a table, and as metadata", async () => {
    await make("watched", "shown");
    const rows = watch(at("watched", "?watch=1&fieldSelector=metadata.name%3Dshown"), { Accept: table });
    const meta = watch(at("watched", "?watch=1&fieldSelector=metadata.name%3Dshown"), {
      Accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    });
    for (const stream of [rows, meta]) await stream.until("it is there", ({ events }) => events.length === 1);
    await change("watched", "shown", { data: { w: text("2") } });
    for (const stream of [rows, meta]) await stream.until("it changed", ({ events }) => events.length === 2);
    expect(rows.events[0]!.object).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    expect(rows.events[0]!.object.columnDefinitions).toHaveLength(4);
    expect(rows.events[1]!.object.columnDefinitions ?? []).toEqual([]);
    expect(rows.events[1]!.object.rows[0].cells.slice(0, 3)).toEqual(["shown", "Opaque", 2]);
    expect(meta.events[1]!.object).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" });
    expect(meta.events[1]!.object.data).toBeUndefined();
  });

  test("initial events end with a marked bookmark", async () => {
    await make("watched", "initial");
    const stream = watch(
      at("watched", "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
    );
    await stream.until("the bookmark", ({ types }) => types.includes("BOOKMARK"));
    const bookmark = stream.events.at(-1)!;
    expect(bookmark.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
    expect(bookmark.object).toMatchObject({ kind: "Secret", apiVersion: "v1" });
    expect(stream.types.slice(0, -1).every((type) => type === "ADDED")).toBe(true);
    expect(stream.story).toContain("ADDED initial");
    expect(Number(bookmark.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Number((await get(at("watched", "/initial"))).metadata.resourceVersion),
    );
  });

  test("timeoutSeconds ends it, with a bookmark for those who asked", async () => {
    const begun = Date.now();
    const stream = watch(at("watched", "?watch=1&timeoutSeconds=1&allowWatchBookmarks=true"));
    await stream.until("the end", ({ ended }) => ended);
    expect(Date.now() - begun).toBeLessThan(15_000);
    expect(stream.types).not.toContain("ERROR");
  });

  test("what needs a state of the future is an error event, what only waits for it is not", async () => {
    const initial = watch(
      at(
        "watched",
        "?watch=1&resourceVersion=99999999&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
      ),
    );
    await initial.until("the error", ({ events }) => events.length > 0, 40);
    expect(initial.events[0]).toMatchObject({
      type: "ERROR",
      object: { kind: "Status", code: 504, reason: "Timeout" },
    });
    await initial.until("the end", ({ ended }) => ended);
  });

  test("events of every namespace, and only of one", async () => {
    const all = await watch("/api/v1/secrets?watch=1&resourceVersion=0&labelSelector=scope%3Dtest").opened();
    const one = await watch(at("lists", "?watch=1&labelSelector=scope%3Dtest")).opened();
    await make("watched", "scoped", { scope: "test" });
    await make("lists", "scoped", { scope: "test" });
    await all.until("both", ({ events }) => events.length === 2);
    await one.until("one", ({ events }) => events.length === 1);
    expect(one.events[0]!.object.metadata.namespace).toBe("lists");
  });
});

describe("several versions of one thing", () => {
  test("an autoscaler as v2 and as v1", async () => {
    const v2 = "/apis/autoscaling/v2/namespaces/forms/horizontalpodautoscalers";
    const v1 = v2.replace("/v2/", "/v1/");
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "a" };
    const metrics = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
      { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "100Mi" } } },
    ];
    await ok(
      cluster.request("POST", v2, { metadata: { name: "both" }, spec: { maxReplicas: 5, scaleTargetRef, metrics } }),
      201,
    );
    const old = await get(`${v1}/both`);
    expect(old).toMatchObject({
      apiVersion: "autoscaling/v1",
      spec: { targetCPUUtilizationPercentage: 60, maxReplicas: 5, minReplicas: 1 },
    });
    expect(old.spec.metrics).toBeUndefined();
    expect(old.metadata.annotations["autoscaling.alpha.kubernetes.io/metrics"]).toContain("memory");
    const back = await ok(
      cluster.request("PUT", `${v1}/both`, { ...old, spec: { ...old.spec, targetCPUUtilizationPercentage: 70 } }),
    );
    expect(back.spec.targetCPUUtilizationPercentage).toBe(70);
    const now = await get(`${v2}/both`);
    expect(now.spec.metrics).toHaveLength(2);
    expect(
      now.spec.metrics.find(({ resource }: any) => resource.name === "cpu").resource.target.averageUtilization,
    ).toBe(70);
    expect(now.metadata.annotations?.["autoscaling.alpha.kubernetes.io/metrics"]).toBeUndefined();
    await ok(
      cluster.request("POST", v1, {
        metadata: { name: "plain" },
        spec: { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 50 },
      }),
      201,
    );
    expect((await get(`${v2}/plain`)).spec.metrics[0].resource).toEqual({
      name: "cpu",
      target: { type: "Utilization", averageUtilization: 50 },
    });
    expect((await get(v1)).items.map(({ spec }: any) => spec.targetCPUUtilizationPercentage)).toEqual([70, 50]);
    const stream = watch(`${v1}?watch=1`);
    await stream.until("both", ({ events }) => events.length === 2);
    for (const { object } of stream.events) {
      expect(object.apiVersion).toBe("autoscaling/v1");
      expect(object.spec.targetCPUUtilizationPercentage).toBeGreaterThan(0);
    }
    expect(
      (
        await ok(
          cluster.request(
            "PATCH",
            `${v1}/plain`,
            { spec: { targetCPUUtilizationPercentage: 55 } },
            { "Content-Type": "application/merge-patch+json" },
          ),
        )
      ).spec.targetCPUUtilizationPercentage,
    ).toBe(55);
  });

  test("a claim for devices and a slice of them as v1 and as v1beta1", async () => {
    const group = "/apis/resource.k8s.io";
    const claims = (version: string) => `${group}/${version}/namespaces/forms/resourceclaims`;
    const flat = { name: "gpu", deviceClassName: "gpus", allocationMode: "ExactCount", count: 2 };
    await ok(
      cluster.request("POST", claims("v1beta1"), {
        metadata: { name: "claim" },
        spec: { devices: { requests: [flat] } },
      }),
      201,
    );
    const { name, ...exactly } = flat;
    expect((await get(`${claims("v1")}/claim`)).spec.devices.requests).toEqual([{ name, exactly }]);
    expect((await get(`${claims("v1beta2")}/claim`)).spec.devices.requests).toEqual([{ name, exactly }]);
    expect((await get(`${claims("v1beta1")}/claim`)).spec.devices.requests).toEqual([flat]);
    const basic = { attributes: { model: { string: "a" } } };
    const slice = {
      metadata: { name: "slice" },
      spec: {
        driver: "d.example.com",
        nodeName: "n",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        devices: [{ name: "d0", basic }],
      },
    };
    await ok(cluster.request("POST", `${group}/v1beta1/resourceslices`, slice), 201);
    expect((await get(`${group}/v1/resourceslices/slice`)).spec.devices).toEqual([{ name: "d0", ...basic }]);
    const stream = watch(`${group}/v1beta1/resourceslices?watch=1`);
    await stream.until("it is there", ({ events }) => events.length === 1);
    expect(stream.events[0]!.object.spec.devices).toEqual([{ name: "d0", basic }]);
  });

  test("events of core and of events.k8s.io are the same objects", async () => {
    const core = "/api/v1/namespaces/forms/events";
    const modern = "/apis/events.k8s.io/v1/namespaces/forms/events";
    const regarding = { kind: "Pod", namespace: "forms", name: "p", apiVersion: "v1" };
    const streams = [
      watch(`${core}?watch=1&fieldSelector=involvedObject.name%3Dp`),
      watch(`${modern}?watch=1&fieldSelector=regarding.name%3Dp`),
    ];
    for (const stream of streams) await stream.opened();
    await ok(
      cluster.request("POST", core, {
        metadata: { name: "old" },
        involvedObject: regarding,
        reason: "Old",
        message: "from core",
        type: "Normal",
        source: { component: "me" },
        count: 3,
      }),
      201,
    );
    await ok(
      cluster.request("POST", modern, {
        metadata: { name: "new" },
        regarding,
        reason: "New",
        note: "from events",
        type: "Warning",
        action: "Act",
        eventTime: "2026-01-02T03:04:05.123456Z",
        reportingController: "example.com/me",
        reportingInstance: "me-0",
      }),
      201,
    );
    expect(await get(`${modern}/old`)).toMatchObject({
      kind: "Event",
      apiVersion: "events.k8s.io/v1",
      regarding,
      note: "from core",
      deprecatedSource: { component: "me" },
      deprecatedCount: 3,
    });
    expect(await get(`${core}/new`)).toMatchObject({
      kind: "Event",
      apiVersion: "v1",
      involvedObject: regarding,
      message: "from events",
      reportingComponent: "example.com/me",
      eventTime: "2026-01-02T03:04:05.123456Z",
    });
    expect(names(await get(`${core}?fieldSelector=reason%3DNew,involvedObject.kind%3DPod`))).toEqual(["new"]);
    expect(names(await get(`${modern}?fieldSelector=regarding.name%3Dp,type%3DNormal`))).toEqual(["old"]);
    await ok(cluster.request("GET", `${modern}?fieldSelector=involvedObject.name%3Dp`), 400);
    for (const stream of streams) {
      await stream.until("both", ({ events }) => events.length === 2);
      expect(stream.story).toEqual(["ADDED old", "ADDED new"]);
    }
    expect(streams[0]!.events[1]!.object).toMatchObject({
      apiVersion: "v1",
      involvedObject: regarding,
      message: "from events",
    });
    expect(streams[1]!.events[0]!.object).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding,
      note: "from core",
    });
    await ok(cluster.request("DELETE", `${modern}/old`));
    expect((await cluster.request("GET", `${core}/old`)).status).toBe(404);
  });
});

describe("every resource that Kubernetes has", () => {
  const all = catalog
    .groups()
    .flatMap(({ group, versions }) =>
      versions.flatMap((version) => catalog.resources(group, version).filter(({ persisted }) => persisted)),
    );

  test.each(
    all.map((resource) => [`${resource.group || "core"}/${resource.version} ${resource.resource}`, resource] as const),
  )("%s: created, read, listed in each form, patched, watched, deleted", async (_name, resource) => {
    const base = `${resource.group === "" ? "/api" : `/apis/${resource.group}`}/${resource.version}${resource.namespaced ? "/namespaces/default" : ""}/${resource.resource}`;
    const object = minimalObject(resource);
    const name = object.metadata.name!;
    const created = await cluster.request("POST", base, object);
    expect(created.status, created.text).toBe(201);
    const path = `${base}/${name}`;
    const read = await get(path);
    expect(read).toMatchObject({
      kind: resource.kind,
      apiVersion: object.apiVersion,
      metadata: { name, uid: created.json.metadata.uid },
    });
    // What was stored is what this version's Go type would write.
    const struct = schemaTable.structOfKind(resource.group, resource.version, resource.kind)!;
    const { metadata: _metadata, ...body } = read;
    const { metadata: _ignored, ...normal } = normalizeObject(read, struct, { collectUnknown: true }).object;
    expect(body).toEqual({ ...normal, kind: read.kind, apiVersion: read.apiVersion });
    expect(normalizeObject(read, struct, { collectUnknown: true }).unknownFields).toEqual([]);
    for (const version of catalog.versionsOf(resource.group, resource.resource)) {
      const other = path.replace(`/${resource.version}/`, `/${version.version}/`);
      expect((await get(other)).apiVersion).toBe(
        `${resource.group === "" ? "" : `${resource.group}/`}${version.version}`,
      );
    }
    const list = await get(`${base}?limit=500`);
    expect(list.kind).toBe(resource.listKind);
    expect(names(list)).toContain(name);
    const rows = (await get(base, table)).rows;
    expect(rows.find(({ object: shown }: any) => shown.metadata.name === name).cells[0]).toEqual(
      resource.resource === "events" ? expect.anything() : name,
    );
    for (const [accept, status] of [
      ["application/yaml", 200],
      [protobufType, 200],
    ] as const) {
      for (const target of [base, path]) {
        const response = await cluster.request("GET", target, undefined, { Accept: accept });
        expect(response.status, `${accept} ${target} ${response.text}`).toBe(status);
      }
    }
    const labelled = await cluster.request(
      "PATCH",
      path,
      { metadata: { labels: { tested: "yes" } } },
      { "Content-Type": "application/strategic-merge-patch+json" },
    );
    expect(labelled.status, labelled.text).toBe(200);
    const same = await ok(cluster.request("PUT", path, labelled.json));
    expect(same.metadata.resourceVersion).toBe(labelled.json.metadata.resourceVersion);
    const stream = watch(`${base}?watch=1&labelSelector=tested&resourceVersion=0`);
    await stream.until("it is there", ({ events }) => events.length > 0);
    expect(stream.events[0]).toMatchObject({ type: "ADDED", object: { kind: resource.kind, metadata: { name } } });
    const deleted = await cluster.request("DELETE", path, { gracePeriodSeconds: 0, propagationPolicy: "Background" });
    expect(deleted.status, deleted.text).toBe(200);
    if (resource.resource !== "namespaces") {
      await stream.until("it is gone", ({ types }) => types.includes("DELETED"));
      expect((await cluster.request("GET", path)).status).toBe(404);
    }
  });
});
