import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeProtobufObject } from "../../workers/apis/codec/protobuf.ts";
import { catalog } from "../../workers/apis/catalog.ts";
import { schemaTable } from "../../workers/apis/schema-table.ts";
import { normalizeObject } from "../../workers/apis/codec/normalize.ts";
import { minimalObject } from "../support/minimal-object.ts";
import { TestCluster } from "../support/cluster.ts";

/** Whatever is sent: never a 5xx, never a hang, and what was stored stays. */
let cluster: TestCluster;

const namespaced = "/api/v1/namespaces/default";
const anchor = {
  metadata: { name: "anchor", labels: { app: "anchor" } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: "anchor" } },
    template: {
      metadata: { labels: { app: "anchor" } },
      spec: {
        containers: [{ name: "a", image: "b", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] }],
      },
    },
  },
};
const anchorPath = "/apis/apps/v1/namespaces/default/deployments/anchor";

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0 });
  expect(
    (await cluster.request("POST", `${namespaced}/configmaps`, { metadata: { name: "anchor" }, data: { a: "b" } }))
      .status,
  ).toBe(201);
  expect((await cluster.request("POST", "/apis/apps/v1/namespaces/default/deployments", anchor)).status).toBe(201);
});
afterAll(async () => {
  expect((await cluster.request("GET", anchorPath)).json.spec.selector).toEqual(anchor.spec.selector);
  expect((await cluster.request("GET", `${namespaced}/configmaps/anchor`)).status).toBe(200);
  expect((await cluster.request("GET", "/readyz")).text).toBe("ok");
  await cluster.stop();
});

const post = (body: string | Uint8Array, type = "application/json", query = "") =>
  cluster.request("POST", `${namespaced}/configmaps${query}`, body, { "Content-Type": type });

describe("bodies made to break decoders", () => {
  const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;

  test.each([
    ["deep objects", `{"metadata":{"name":"deep"},"data":${nested(200_000, '{"a":', "}")}}`],
    ["deep arrays", `{"metadata":{"name":"deep"},"data":${nested(500_000, "[", "]")}}`],
    ["a huge key", `{"metadata":{"name":"key","labels":{"${"k".repeat(1_000_000)}":"v"}}}`],
    ["a long number", `{"metadata":{"name":"number","generation":${"9".repeat(100_000)}}}`],
    ["a huge exponent", `{"metadata":{"name":"number","generation":1e999999}}`],
    [
      "invalid UTF-8",
      new Uint8Array([
        ...Buffer.from('{"metadata":{"name":"utf","labels":{"a":"'),
        0xff,
        0xfe,
        0xc0,
        0x80,
        ...Buffer.from('"}}}'),
      ]),
    ],
    ["lone surrogates", '{"metadata":{"name":"surrogate"},"data":{"a":"\\ud800"}}'],
    ["a byte order mark", '\ufeff{"metadata":{"name":"bom"}}'],
    ["NUL in a name", '{"metadata":{"name":"a\\u0000b"}}'],
    ["a NUL byte", '{"metadata":{"name":"a\0b"}}'],
    ["a slash in a name", '{"metadata":{"name":"a/../b"}}'],
  ])("%s", async (_what, body) => {
    const response = await post(body);
    expect(response.json.kind).toBeDefined();
    expect(response.status).toBeLessThan(500);
  });

  test("deep YAML, an alias bomb, and tags", async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n`;
    for (const body of [
      nested(5_000, "[", "]"),
      `data: ${nested(5_000, "{a: ", "}")}`,
      bomb,
      "!!js/function 'x'",
      "? [a]\n: b",
      "a: b\n---\nc: d",
    ]) {
      const response = await post(body, "application/yaml");
      expect(response.status, body.slice(0, 40)).toBeLessThan(500);
      expect(response.json.kind).toBe("Status");
    }
  });

  test("__proto__ and its like are data, and stay data", async () => {
    const body =
      '{"metadata":{"name":"proto","labels":{"constructor":"a","prototype":"b"}},"__proto__":{"polluted":true},"data":{"__proto__":"a","constructor":"b","hasOwnProperty":"c","toString":"d"}}';
    const created = await post(body);
    expect(created.status).toBe(201);
    const read = await cluster.request("GET", `${namespaced}/configmaps/proto`);
    expect(read.text).toContain('"__proto__":"a"');
    expect(read.json.data.constructor).toBe("b");
    for (const [type, patch] of [
      ["application/merge-patch+json", '{"data":{"__proto__":"z","constructor":null},"__proto__":{"x":1}}'],
      ["application/strategic-merge-patch+json", '{"data":{"__proto__":"y"},"constructor":{"prototype":{"x":1}}}'],
      [
        "application/json-patch+json",
        '[{"op":"add","path":"/data/__proto__","value":"w"},{"op":"add","path":"/metadata/__proto__/x","value":"1"}]',
      ],
    ]) {
      const response = await cluster.request("PATCH", `${namespaced}/configmaps/proto`, patch, {
        "Content-Type": type!,
      });
      expect(response.status).toBeLessThan(500);
    }
    expect((await cluster.request("GET", `${namespaced}/configmaps/proto`)).text).toContain('"__proto__":"y"');
    expect((await post('{"metadata":{"name":"clean"}}')).json.data).toBeUndefined();
  });

  test("ten thousand labels and annotations are stored and selected", async () => {
    const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`l${index}`, String(index)]));
    expect((await post(JSON.stringify({ metadata: { name: "labelled", labels } }))).status).toBe(201);
    const { items } = (await cluster.request("GET", `${namespaced}/configmaps?labelSelector=l9999%3D9999`)).json;
    expect(items).toHaveLength(1);
    const annotations = { big: "x".repeat(256 * 1024 + 1) };
    expect((await post(JSON.stringify({ metadata: { name: "annotated", annotations } }))).status).toBe(422);
  });

  test("a selector with thousands of requirements", async () => {
    const selector = Array.from({ length: 1_000 }, (_, index) => `!k${index}`).join(",");
    const response = await cluster.request(
      "GET",
      `${namespaced}/configmaps?labelSelector=${encodeURIComponent(selector)}`,
    );
    expect(response.status).toBe(200);
  });

  test("a JSON patch of too many operations, copies that double, indexes that are none", async () => {
    const patch = (operations: object[]) =>
      cluster.request("PATCH", `${namespaced}/configmaps/anchor`, operations, {
        "Content-Type": "application/json-patch+json",
      });
    expect(
      (await patch(Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/a", value: "b" })))).status,
    ).toBe(413);
    const doubling = [{ op: "add", path: "/metadata/annotations", value: { a: "x".repeat(1_000) } }];
    for (let index = 0; index < 40; index++)
      doubling.push({ op: "copy", from: "/metadata", path: `/metadata/annotations/a${index}` } as never);
    expect((await patch(doubling)).status).toBeLessThan(500);
    for (const path of [
      "/metadata/finalizers/-1",
      "/metadata/finalizers/99999999999",
      "/metadata/finalizers/01",
      "/a/b/c",
      "a",
      "",
      "/~2",
    ]) {
      expect((await patch([{ op: "add", path, value: "x" }])).status, path).toBeLessThan(500);
    }
  });

  test("headers made to confuse", async () => {
    const confusing: Record<string, string>[] = [
      { Accept: ",;q=x,;;=,application/json;as==;g" },
      { Accept: "application/json;q=NaN" },
      { Accept: "constructor/constructor;as=constructor;g=meta.k8s.io;v=v1" },
      { "Content-Type": "application/json; charset=latin-9; x" },
      { "Audit-ID": "a".repeat(5_000) },
      { Authorization: `Bearer ${"x".repeat(10_000)}` },
      { "Impersonate-User": "system:serviceaccount:" },
    ];
    for (const headers of confusing) {
      const response = await cluster.request(
        "POST",
        `${namespaced}/configmaps?dryRun=All`,
        '{"metadata":{"name":"headers"}}',
        headers,
      );
      expect(response.status, JSON.stringify(headers).slice(0, 60)).toBeLessThan(500);
    }
  });
});

/** Runs many cases, some at a time; a failure names the case. */
async function every<T>(cases: T[], run: (value: T) => Promise<void>): Promise<void> {
  const width = 32;
  for (let start = 0; start < cases.length; start += width)
    await Promise.all(cases.slice(start, start + width).map(run));
}

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "",
    "a",
    "1",
    "-1",
    "1Gi",
    "100m",
    "true",
    "null",
    "2026-01-02T03:04:05Z",
    "__proto__",
    "$patch",
    "replace",
    "delete",
    "\0",
    "a/b",
    "é",
    "Always",
    "10.0.0.1",
    "50%",
  ),
);
const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(0, -1, 2 ** 31, 2 ** 53, Number.POSITIVE_INFINITY),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    leaf,
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(text, tie("any"), { maxKeys: 4 }),
  ),
})).any;

interface Mutation {
  /** Which of the object's places, as a share of all. */
  place: number;
  how: "replace" | "remove" | "add";
  key: string;
  value: unknown;
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  how: fc.constantFrom("replace", "remove", "add"),
  key: text,
  value,
});

/** A copy of an object in which some places hold something else. */
function mutated(object: object, mutations: Mutation[]): unknown {
  const copy = structuredClone(object) as any;
  for (const { place, how, key, value: put } of mutations) {
    const places: [any, string | number][] = [];
    const walk = (node: any) => {
      if (typeof node !== "object" || node === null) return;
      for (const name of Object.keys(node)) {
        places.push([node, name]);
        walk(node[name]);
      }
    };
    walk(copy);
    const found = places[Math.floor(place * places.length)];
    if (found === undefined) continue;
    const [node, name] = found;
    if (how === "remove") delete node[name];
    else if (how === "add" && typeof node[name] === "object" && node[name] !== null && !Array.isArray(node[name])) {
      Object.defineProperty(node[name], key, { value: put, enumerable: true, configurable: true, writable: true });
    } else node[name] = put;
  }
  return copy;
}

const persisted = catalog
  .groups()
  .flatMap(({ group, versions }) =>
    versions.flatMap((version) =>
      catalog
        .resources(group, version)
        .filter((resource) => resource.verbs.includes("create") && resource.kind !== "Binding"),
    ),
  );
const collection = (group: string, version: string, resource: string, isNamespaced: boolean) =>
  `${group === "" ? "/api" : `/apis/${group}`}/${version}${isNamespaced ? "/namespaces/default" : ""}/${resource}`;

describe("seeded fuzz through HTTP", () => {
  test("mutated objects of every kind", async () => {
    const statuses = new Map<number, number>();
    const cases = fc.sample(
      fc.record({
        resource: fc.constantFrom(...persisted),
        mutations: fc.array(mutation, { minLength: 1, maxLength: 4 }),
        strict: fc.constantFrom("Strict", "Warn", "Ignore"),
      }),
      { seed: 20_261, numRuns: 1_500 },
    );
    await every(cases, async ({ resource, mutations, strict }) => {
      const body = JSON.stringify(mutated(minimalObject(resource), mutations));
      const path = collection(resource.group, resource.version, resource.resource, resource.namespaced);
      const response = await cluster.request("POST", `${path}?dryRun=All&fieldValidation=${strict}`, body);
      expect(response.status, `${path} ${body}\n${response.text}`).toBeLessThan(500);
      expect(typeof response.json).toBe("object");
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    });
    // The cases reach past decoding: some are good, some are refused by each layer.
    for (const status of [201, 400, 422]) expect(statuses.get(status), `answers of ${status}`).toBeGreaterThan(20);
  });

  test("protobuf with bytes changed", async () => {
    const cases = fc.sample(
      fc.record({
        resource: fc.constantFrom(...persisted),
        edits: fc.array(
          fc.tuple(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), fc.integer({ min: 0, max: 255 })),
          { minLength: 1, maxLength: 6 },
        ),
        cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      }),
      { seed: 20_262, numRuns: 1_000 },
    );
    await every(cases, async ({ resource, edits, cut }) => {
      const struct = schemaTable.structOfKind(resource.group, resource.version, resource.kind)!;
      const object = minimalObject(resource);
      const bytes = encodeProtobufObject(struct, {
        ...normalizeObject(object, struct).object,
        kind: object.kind!,
        apiVersion: object.apiVersion!,
      });
      for (const [place, byte] of edits) bytes[4 + Math.floor(place * (bytes.length - 4))] = byte;
      const body = cut === null ? bytes : bytes.subarray(0, Math.floor(cut * bytes.length));
      const path = collection(resource.group, resource.version, resource.resource, resource.namespaced);
      const response = await cluster.request("POST", `${path}?dryRun=All`, body, {
        "Content-Type": "application/vnd.kubernetes.protobuf",
      });
      expect(response.status, `${path} ${Buffer.from(body).toString("base64")}\n${response.text}`).toBeLessThan(500);
    });
  });

  test("bytes that are nothing, under every media type", async () => {
    const cases = fc.sample(
      fc.record({
        body: fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.string({ unit: "binary" }).map((string) => new Uint8Array(Buffer.from(string))),
          value.map((any) => new Uint8Array(Buffer.from(JSON.stringify(any) ?? ""))),
        ),
        type: fc.constantFrom("application/json", "application/yaml", "application/vnd.kubernetes.protobuf"),
      }),
      { seed: 20_263, numRuns: 800 },
    );
    await every(cases, async ({ body, type }) => {
      const response = await post(body, type, "?dryRun=All");
      expect(response.status, `${type} ${Buffer.from(body).toString("base64")}\n${response.text}`).toBeLessThan(500);
    });
  });

  test("patches of every type against a deployment that stays", async () => {
    const pointer = fc
      .array(
        fc.oneof(
          fc.constantFrom(
            "metadata",
            "labels",
            "spec",
            "template",
            "containers",
            "0",
            "1",
            "-",
            "name",
            "env",
            "replicas",
            "status",
            "finalizers",
          ),
          text,
        ),
        { maxLength: 6 },
      )
      .map((parts) => parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""));
    const operation = fc.record(
      { op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"), path: pointer, from: pointer, value },
      { requiredKeys: ["op", "path"] },
    );
    const directive = fc.oneof(
      fc.record({ $patch: fc.constantFrom("replace", "delete", "merge", "what") }),
      fc.record({ "$setElementOrder/containers": value }),
      fc.record({ "$deleteFromPrimitiveList/finalizers": value }),
      fc.record({ $retainKeys: value }),
      fc.record({
        containers: fc.array(
          fc.oneof(
            fc.record({ name: text, env: value, $patch: fc.constantFrom("delete", "replace") }, { requiredKeys: [] }),
            value,
          ),
          { maxLength: 3 },
        ),
      }),
    );
    const shape = fc.oneof(
      value,
      fc.record(
        {
          metadata: fc.oneof(value, directive),
          spec: fc.oneof(value, directive, fc.record({ template: fc.record({ spec: fc.oneof(directive, value) }) })),
          status: value,
        },
        { requiredKeys: [] },
      ),
    );
    const cases = fc.sample(
      fc.oneof(
        fc.record({
          type: fc.constant("application/json-patch+json"),
          patch: fc.oneof(fc.array(operation, { maxLength: 4 }), value),
        }),
        fc.record({
          type: fc.constantFrom("application/merge-patch+json", "application/strategic-merge-patch+json"),
          patch: shape,
        }),
      ),
      { seed: 20_264, numRuns: 1_500 },
    );
    const statuses = new Map<number, number>();
    await every(cases, async ({ type, patch }) => {
      const body = JSON.stringify(patch) ?? "null";
      const subresource = body.length % 3 === 0 ? "/status" : body.length % 7 === 0 ? "/scale" : "";
      // Every other one is for real, where it cannot ask for pods.
      const dry = body.length % 2 === 0 || body.includes("replicas") ? "?dryRun=All" : "";
      const response = await cluster.request("PATCH", `${anchorPath}${subresource}${dry}`, body, {
        "Content-Type": type,
      });
      expect(response.status, `${subresource} ${type} ${body}\n${response.text}`).toBeLessThan(500);
      expect(response.status, `${type} ${body}`).not.toBe(404);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    });
    for (const status of [200, 400, 422]) expect(statuses.get(status), `answers of ${status}`).toBeGreaterThan(20);
  });

  test("paths and queries", async () => {
    const segment = fc.oneof(
      fc.constantFrom(
        "api",
        "apis",
        "v1",
        "apps",
        "namespaces",
        "default",
        "pods",
        "deployments",
        "status",
        "scale",
        "watch",
        "clusters",
        "a",
        "..",
        "anchor",
        "healthz",
        "openapi",
        "v3",
      ),
      text.map(encodeURIComponent),
    );
    const parameter = fc.tuple(
      fc.constantFrom(
        "labelSelector",
        "fieldSelector",
        "limit",
        "continue",
        "resourceVersionMatch",
        "includeObject",
        "timeoutSeconds",
        "dryRun",
        "pretty",
        "x",
      ),
      text,
    );
    const cases = fc
      .sample(
        fc.record({
          method: fc.constantFrom("GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
          path: fc.array(segment, { maxLength: 8 }).map((parts) => `/${parts.join("/")}`),
          query: fc.array(parameter, { maxLength: 4 }).map((pairs) => new URLSearchParams(pairs).toString()),
          accept: fc.constantFrom(
            "application/json",
            "application/yaml",
            "application/vnd.kubernetes.protobuf",
            "application/json;as=Table;g=meta.k8s.io;v=v1",
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            "*/*",
          ),
        }),
        { seed: 20_265, numRuns: 1_500 },
      )
      .filter(({ method, path }) => !(method === "DELETE" && path.includes("anchor")) && !path.includes("/watch"));
    await every(cases, async ({ method, path, query, accept }) => {
      const response = await cluster.request(
        method,
        `${path}?${query}`,
        ["POST", "PUT", "PATCH"].includes(method) ? "{}" : undefined,
        { Accept: accept },
      );
      expect(response.status, `${method} ${path}?${query} ${accept}\n${response.text}`).toBeLessThan(500);
    });
  });
});
