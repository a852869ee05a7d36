import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestCluster } from "../support/cluster.ts";

/** What upstream's conformance tests for API machinery look at and no other suite here does. */
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0 });
});
afterAll(() => cluster?.stop());

const group = "conformance.example.com";
const apiVersion = `${group}/v1`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

async function define(plural: string, kind: string, schema: object, version: object = {}): Promise<void> {
  const names = { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }];
  const body = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Cluster", names, versions },
  };
  expect((await cluster.request("POST", definitions, body)).status).toBe(201);
  const wait = ["wait", `crd/${plural}.${group}`, "--for=condition=Established", "--timeout=30s"];
  await cluster.kubectl(...wait);
}

describe("health handlers", () => {
  test("name every check, and answer each by its path; what is not checked is not there", async () => {
    for (const [path, names] of [
      ["/healthz", ["ping", "etcd"]],
      ["/livez", ["ping", "etcd"]],
      ["/readyz", ["ping", "etcd", "etcd-readiness"]],
    ] as const) {
      const { text } = await cluster.request("GET", `${path}?verbose=1`);
      expect(text).toBe([...names.map((name) => `[+]${name} ok`), `${path.slice(1)} check passed`, ""].join("\n"));
      for (const name of names) expect((await cluster.request("GET", `${path}/${name}`)).text).toBe("ok");
      expect((await cluster.request("GET", `${path}/poststarthook/rbac/bootstrap-roles`)).status).toBe(404);
    }
    const { paths } = (await cluster.request("GET", "/")).json;
    expect(paths).toEqual(expect.arrayContaining(["/apis/apps", "/apis/apps/v1", "/livez/ping", "/openapi/v2"]));
  });
});

describe("pretty", () => {
  test("indents for who asks, and for people's clients", async () => {
    const path = "/api/v1/namespaces";
    const read = async (query: string, agent = "client/1") =>
      cluster.request("GET", path + query, undefined, { "User-Agent": agent });
    for (const { json, text } of [await read("?pretty=true"), await read("", "curl/8.5.0")]) {
      expect(text).toBe(JSON.stringify(json, null, 2));
    }
    expect((await read("?pretty=false", "curl/8.5.0")).text.split("\n")).toHaveLength(2);
    expect((await read("")).text.split("\n")).toHaveLength(2);
    const { text } = await cluster.request("GET", `${path}/nope?pretty=1`);
    expect(text).toContain('\n  "kind": "Status",\n');
  });
});

describe("custom objects", () => {
  beforeAll(() =>
    define("strictones", "StrictOne", {
      type: "object",
      properties: { spec: { type: "object", properties: { foo: { type: "string" } } } },
    }),
  );
  const path = `/apis/${apiVersion}/strictones`;
  const create = (body: string, query = "") => cluster.request("POST", path + query, body);

  test("strict validation names what decoding and what the schema found, in upstream's order", async () => {
    const body = `{"apiVersion":"${apiVersion}","kind":"StrictOne","metadata":{"name":"a","unknownMeta":"x"},
      "zzz":1,"spec":{"foo":"a","foo":"b","bar":1}}`;
    const problems = [
      ...['duplicate field "spec.foo"', 'unknown field "metadata.unknownMeta"'],
      ...['unknown field "spec.bar"', 'unknown field "zzz"'],
    ];
    const strict = await create(body, "?fieldValidation=Strict");
    expect(strict.status).toBe(400);
    expect(strict.json.message).toBe(
      `StrictOne in version "v1" cannot be handled as a StrictOne: strict decoding error: ${problems.join(", ")}`,
    );
    expect((await create(body, "?fieldValidation=Warn")).status).toBe(201);
  });

  test("have to say what they are", async () => {
    const other = await create(JSON.stringify({ apiVersion, kind: "Other", metadata: { name: "b" } }));
    expect([other.status, other.json.message]).toEqual([
      422,
      `StrictOne.${group} "b" is invalid: kind: Invalid value: "Other": must be StrictOne`,
    ]);
    const none = await create(JSON.stringify({ apiVersion, metadata: { name: "b" } }));
    expect([none.status, none.json.message]).toEqual([400, expect.stringContaining("Object 'Kind' is missing in '{")]);
    const versionless = await create(JSON.stringify({ kind: "StrictOne", metadata: { name: "b" } }));
    expect([versionless.status, versionless.json.message]).toEqual([
      400,
      `the API version in the data () does not match the expected API version (${apiVersion})`,
    ]);
  });
});

describe("published schemas of custom kinds", () => {
  test("describe what every object has, for kubectl explain", async () => {
    const spec = { type: "object", description: "Specification of Foo", properties: { x: { type: "string" } } };
    const template = {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { spec: { type: "object" } },
    };
    await define(
      "explained",
      "Explained",
      { type: "object", description: "Foo CRD for Testing", properties: { spec, template } },
      { selectableFields: [{ jsonPath: ".spec.x" }] },
    );
    const document = (await cluster.request("GET", `/openapi/v3/apis/${apiVersion}`)).json;
    for (const kind of ["Explained", "ExplainedList"]) {
      const schema = document.components.schemas[`com.example.conformance.v1.${kind}`];
      expect(schema["x-kubernetes-selectable-fields"]).toEqual([{ fieldPath: "spec.x" }]);
      expect(schema.properties.apiVersion.description).toMatch(/^APIVersion defines/);
    }
    const { template: embedded } = document.components.schemas["com.example.conformance.v1.Explained"].properties;
    expect(Object.keys(embedded.properties)).toEqual(["spec", "apiVersion", "kind", "metadata"]);
    expect(embedded.required).toEqual(["kind", "apiVersion"]);
    const whole = await cluster.kubectl("explain", "explained");
    expect(whole).toMatch(
      /DESCRIPTION:.*Foo CRD for Testing.*FIELDS:.*apiVersion.*<string>.*APIVersion defines.*spec.*<Object>.*Specification of Foo/s,
    );
    const meta = await cluster.kubectl("explain", "explained.metadata");
    expect(meta).toMatch(
      /DESCRIPTION:.*Standard object's metadata.*FIELDS:.*creationTimestamp.*<string>.*CreationTimestamp is a timestamp/s,
    );
  });

  test("have nothing in OpenAPI v2 where unknown fields are kept", async () => {
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    await define("opens", "Open", { ...open, description: "open", properties: { spec: { type: "object" } } });
    await define("nesteds", "Nested", { type: "object", properties: { spec: { ...open, description: "nested" } } });
    const { definitions: published } = (await cluster.request("GET", "/openapi/v2")).json;
    expect(published["com.example.conformance.v1.Open"]).toEqual({
      type: "object",
      "x-kubernetes-group-version-kind": [{ group, kind: "Open", version: "v1" }],
    });
    expect(published["com.example.conformance.v1.Nested"].properties.spec).toEqual({
      description: "nested",
      "x-kubernetes-preserve-unknown-fields": true,
    });
  });
});

describe("chunked lists", () => {
  test("a token expires, and the list goes on at a revision of its own that no list or watch shows", async () => {
    const path = "/api/v1/namespaces/default/podtemplates";
    const template = { spec: { containers: [{ name: "c", image: "i" }] } };
    for (const name of ["a", "b", "c", "d", "e"])
      expect((await cluster.request("POST", path, { metadata: { name }, template })).status).toBe(201);
    const get = async (query: string) => (await cluster.request("GET", path + query)).json;
    const first = await get("?limit=2");
    const token = JSON.parse(Buffer.from(first.metadata.continue, "base64url").toString());
    token.began -= 6 * 60_000;
    const expired = await get(`?limit=2&continue=${Buffer.from(JSON.stringify(token)).toString("base64url")}`);
    expect(expired).toMatchObject({ code: 410, reason: "Expired" });
    const second = await get(`?limit=2&continue=${expired.metadata.continue}`);
    expect(second.items.map((item: any) => item.metadata.name)).toEqual(["c", "d"]);
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
    const third = await get(`?limit=2&continue=${second.metadata.continue}`);
    expect(third.items.map((item: any) => item.metadata.name)).toEqual(["e"]);
    expect(third.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    for (const query of ["", "?resourceVersion=0"]) expect((await get(query)).items).toHaveLength(5);
    const since = `?watch=1&timeoutSeconds=1&resourceVersion=${first.metadata.resourceVersion}`;
    expect((await cluster.request("GET", path + since)).text).toBe("");
  });
});

describe("owner references", () => {
  test("are refused with upstream's paths, and Events own nothing", async () => {
    const ownerReferences = [
      { apiVersion: "v1", kind: "Event", name: "e", uid: "u" },
      { apiVersion: "v1", kind: "Pod", name: "", uid: "u" },
    ];
    const { status, json } = await cluster.request("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "owned", ownerReferences },
    });
    expect(status).toBe(422);
    expect(json.details.causes.map((cause: any) => [cause.field, cause.message])).toEqual([
      [
        "metadata.ownerReferences",
        `Invalid value: ${JSON.stringify(ownerReferences[0])}: /v1, Kind=Event is disallowed from being an owner`,
      ],
      ["metadata.ownerReferences.name", 'Invalid value: "": must not be empty'],
    ]);
  });
});
