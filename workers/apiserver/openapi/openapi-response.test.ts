import { beforeAll, describe, expect, it } from "vitest";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { catalog, newCatalog } from "../../apis/catalog.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import type { ExtraResources } from "../discovery/groups.ts";
import { documentV2, schemaV2 } from "./document-v2.ts";
import { documentV3 } from "./document-v3.ts";
import { DocumentCache } from "./document-cache.ts";
import { docsOf, emptyDocs } from "./docs.ts";
import { encodeGnosticV2 } from "./gnostic.ts";
import { openApiResponse } from "./openapi-response.ts";
import type { JsonObject } from "./schemas.ts";
import { definitionName } from "./schemas.ts";

const docs = docsOf({
  hash: "h",
  structs: { "core/v1.Container": ["A container.", { livenessProbe: "When to restart." }] },
  parameters: { dryRun: "No change." },
});
const builtIn = (group: string, version: string) => ({ group, version, resources: catalog.resources(group, version) });
const everyVersion = catalog
  .groups()
  .flatMap(({ group, versions }) => versions.map((version) => builtIn(group, version)));

const widgets: ResourceInfo = {
  group: "example.com",
  version: "v1",
  resource: "widgets",
  singular: "widget",
  kind: "Widget",
  listKind: "WidgetList",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
  storageVersion: "v1",
  persisted: true,
};
const widgetSchema = {
  type: "object",
  properties: { spec: { type: "object", properties: { port: { "x-kubernetes-int-or-string": true } } } },
};
const extra: ExtraResources = {
  versions: [{ group: "example.com", version: "v1", resources: [widgets], schemas: { Widget: widgetSchema } }],
};

function refsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) refsIn(item, found);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) {
      if (key === "$ref" && typeof item === "string") found.add(item);
      else refsIn(item, found);
    }
  return found;
}

const get = (path: string, headers: Record<string, string> = {}, from?: ExtraResources) => {
  const url = new URL(path, "https://cluster.test");
  return openApiResponse(new Request(url, { headers }), url.pathname, from);
};

const json = async (response: Response | undefined | Promise<Response | undefined>): Promise<any> => {
  const answer = await response;
  if (!answer) throw new Error("no answer");
  return answer.json();
};

describe("OpenAPI v3 documents", () => {
  it("resolve all references, in every version", () => {
    for (const version of everyVersion) {
      const document = documentV3(version, emptyDocs);
      for (const ref of refsIn(document))
        expect(document.components.schemas[ref.slice("#/components/schemas/".length)], ref).toBeDefined();
      expect(Object.keys(document.paths).length).toBeGreaterThan(0);
    }
  });

  it("have operations with unique ids", () => {
    const ids = everyVersion.flatMap((version) =>
      Object.values<JsonObject>(documentV3(version, emptyDocs).paths).flatMap((item) =>
        Object.values<JsonObject>(item).flatMap((operation) => operation.operationId ?? []),
      ),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of [
      "listCoreV1PodForAllNamespaces",
      "createCoreV1NamespacedPodEviction",
      "readAppsV1NamespacedDeploymentScale",
      "deleteRbacAuthorizationV1CollectionClusterRole",
      "connectCoreV1GetNodeProxyWithPath",
      "replaceCoreV1NamespaceFinalize",
    ])
      expect(ids).toContain(id);
  });

  it("tell kubectl that a kind can be validated by the server", () => {
    const { patch } = documentV3(builtIn("apps", "v1"), docs).paths[
      "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
    ];
    expect(patch["x-kubernetes-group-version-kind"]).toEqual({ group: "apps", kind: "Deployment", version: "v1" });
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toEqual([
      "dryRun",
      "fieldManager",
      "fieldValidation",
      "force",
    ]);
    expect(patch.parameters[0].description).toBe("No change.");
    expect(Object.keys(patch.requestBody.content)).toContain("application/strategic-merge-patch+json");
  });

  it("describe fields as upstream does", () => {
    const { schemas } = documentV3(builtIn("", "v1"), docs).components;
    const container = schemas["io.k8s.api.core.v1.Container"];
    expect(container.required).toEqual(["name"]);
    expect(container.description).toBe("A container.");
    expect(container.properties.livenessProbe).toEqual({
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.Probe" }],
      description: "When to restart.",
    });
    expect(container.properties.name).toEqual({ type: "string", default: "" });
    expect(container.properties.ports).toEqual({
      type: "array",
      items: { allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.ContainerPort" }], default: {} },
      "x-kubernetes-patch-merge-key": "containerPort",
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
    });
    expect(schemas["io.k8s.api.core.v1.Pod"]["x-kubernetes-group-version-kind"]).toEqual([
      { group: "", kind: "Pod", version: "v1" },
    ]);
    expect(
      schemas["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"]["x-kubernetes-group-version-kind"],
    ).toContainEqual({ group: "apps", kind: "DeleteOptions", version: "v1" });
    expect(schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({ format: "int-or-string" });
  });

  it("name definitions after Go packages", () => {
    expect(definitionName("k8s.io/api/core/v1.Pod")).toBe("io.k8s.api.core.v1.Pod");
    expect(definitionName("k8s.io/kube-aggregator/pkg/apis/apiregistration/v1.APIService")).toBe(
      "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService",
    );
  });
});

describe("OpenAPI v2 document", () => {
  const document = documentV2(everyVersion, docs);

  it("resolves all references and has no keyword of v3", () => {
    for (const ref of refsIn(document))
      expect(document.definitions[ref.slice("#/definitions/".length)], ref).toBeDefined();
    // The schema of schemas has fields of these names.
    const { "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps": _, ...definitions } =
      document.definitions;
    const text = JSON.stringify({ ...document, definitions });
    const found = ['"oneOf":', '"allOf":', '"requestBody":', '"content":', "#/components"].filter((keyword) =>
      text.includes(keyword),
    );
    expect(found).toEqual([]);
    expect(document.definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"]).toEqual({ type: "string" });
    expect(document.definitions["io.k8s.api.core.v1.Container"].properties.livenessProbe).toEqual({
      $ref: "#/definitions/io.k8s.api.core.v1.Probe",
      description: "When to restart.",
    });
  });

  it("drops from custom schemas what old clients cannot read", () => {
    expect(schemaV2({ "x-kubernetes-int-or-string": true, anyOf: [{}], type: "integer" })).toEqual({
      "x-kubernetes-int-or-string": true,
    });
    expect(schemaV2({ type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: {} } })).toEqual({
      "x-kubernetes-preserve-unknown-fields": true,
    });
    const nullable = { type: "array", nullable: true, items: { type: "string" } };
    expect(schemaV2({ type: "object", required: ["a", "b"], properties: { a: nullable, b: {} } })).toEqual({
      type: "object",
      required: ["b"],
      properties: { a: {}, b: {} },
    });
  });

  it("is encoded as gnostic's message", () => {
    const reader = new BinaryReader(encodeGnosticV2(document));
    const fields = new Map<number, Uint8Array>();
    while (reader.pos < reader.len) {
      const [field] = reader.tag();
      fields.set(field, reader.bytes());
    }
    expect([...fields.keys()]).toEqual([1, 2, 8, 9, 12, 13]);
    const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
    expect(text(fields.get(1))).toBe("2.0");
    const definitions = new BinaryReader(fields.get(9) ?? new Uint8Array());
    const names: string[] = [];
    while (definitions.pos < definitions.len) {
      definitions.tag();
      const entry = new BinaryReader(definitions.bytes());
      entry.tag();
      names.push(entry.string());
    }
    expect(names).toEqual(Object.keys(document.definitions));
  });
});

describe("openApiResponse", () => {
  let index: Record<string, { serverRelativeURL: string }>;
  beforeAll(async () => {
    index = (await json(get("/openapi/v3"))).paths;
  });

  it("indexes every version by a URL with the hash of its document", async () => {
    expect(Object.keys(index)).toHaveLength(everyVersion.length);
    const url = index["apis/apps/v1"]?.serverRelativeURL ?? "";
    expect(url).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    const response = await get(url);
    expect(response?.headers.get("Cache-Control")).toContain("immutable");
    expect(response?.headers.get("ETag")).toBe(`"${url.split("=")[1]}"`);
    expect((await json(response)).openapi).toBe("3.0.0");
    const moved = await get("/openapi/v3/apis/apps/v1?hash=old");
    expect([moved?.status, moved?.headers.get("Location")]).toEqual([301, url]);
  });

  it("puts the cluster's root before URLs", async () => {
    const request = new Request("https://cluster.test/clusters/blue/openapi/v3");
    const { paths } = await json(openApiResponse(request, "/openapi/v3"));
    expect(paths["api/v1"]?.serverRelativeURL).toMatch(/^\/clusters\/blue\/openapi\/v3\/api\/v1\?hash=/);
  });

  it("answers 304, 406 and nothing where they belong", async () => {
    const etag = (await get("/openapi/v3"))?.headers.get("ETag") ?? "";
    expect((await get("/openapi/v3", { "If-None-Match": etag }))?.status).toBe(304);
    expect((await get("/openapi/v3", { "If-None-Match": etag }, extra))?.status).toBe(200);
    expect((await get("/openapi/v3/api/v1", { Accept: "text/html" }))?.status).toBe(406);
    for (const path of ["/openapi", "/openapi/v1", "/openapi/v3/apis/nope/v1", "/openapi/v2/api"])
      expect(await get(path)).toBeUndefined();
  });

  it("chooses the form of v2 by Accept", async () => {
    const protobuf = await get("/openapi/v2", { Accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" });
    expect(protobuf?.headers.get("Content-Type")).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    expect((await json(get("/openapi/v2", { Accept: "application/json" }))).swagger).toBe("2.0");
  });

  it("documents custom kinds, and changes their hash with their schema", async () => {
    const document = await json(get("/openapi/v3/apis/example.com/v1", {}, extra));
    const schema = document.components.schemas["com.example.v1.Widget"];
    expect(schema.properties.spec).toEqual(widgetSchema.properties.spec);
    expect(schema["x-kubernetes-group-version-kind"]).toEqual([
      { group: "example.com", kind: "Widget", version: "v1" },
    ]);
    const { patch } = document.paths["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"];
    expect(Object.keys(patch.requestBody.content)).not.toContain("application/strategic-merge-patch+json");
    for (const ref of refsIn(document))
      expect(document.components.schemas[ref.slice("#/components/schemas/".length)], ref).toBeDefined();
    const urlOf = async (from: ExtraResources) =>
      (await json(get("/openapi/v3", {}, from))).paths["apis/example.com/v1"];
    const changed = { versions: [{ ...extra.versions[0]!, schemas: { Widget: { type: "object" } } }] };
    expect(await urlOf(changed)).not.toEqual(await urlOf(extra));
  });

  it("follows the catalog", async () => {
    const request = new Request("https://cluster.test/openapi/v3");
    const stable = newCatalog((_, version) => version === "v1");
    const { paths } = await json(openApiResponse(request, "/openapi/v3", undefined, stable));
    expect(Object.keys(paths)).not.toContain("apis/autoscaling/v2");
  });
});

describe("DocumentCache", () => {
  it("drops the least recently used documents", () => {
    const cache = new DocumentCache(10);
    let built = 0;
    const want = (key: string, size: number) => cache.getOrBuild(key, () => (built++, new Uint8Array(size)));
    want("a", 4);
    want("b", 4);
    want("a", 4);
    expect(built).toBe(2);
    want("c", 4);
    want("a", 4);
    expect(built).toBe(3);
    want("b", 4);
    expect(built).toBe(4);
    want("huge", 100);
    want("huge", 100);
    expect(built).toBe(5);
  });
});
