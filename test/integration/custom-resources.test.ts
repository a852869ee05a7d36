import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";

/** CustomResourceDefinitions over HTTP: what a definition has to be, and what is served because of it. */
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0 });
});
afterAll(() => cluster?.stop());

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const mergePatch = { "Content-Type": "application/merge-patch+json" };

interface DefinitionOptions {
  kind?: string;
  group?: string;
  spec?: Record<string, unknown>;
  version?: Record<string, unknown>;
  names?: Record<string, unknown>;
  schema?: Record<string, unknown>;
}

/** A definition of `<plural>.example.com` with one version, v1, whose spec has the given properties. */
function definition(plural: string, properties: Record<string, unknown> = {}, options: DefinitionOptions = {}) {
  const kind = options.kind ?? plural[0]!.toUpperCase() + plural.slice(1, -1);
  const group = options.group ?? "example.com";
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: plural.slice(0, -1), kind, ...options.names },
      versions: [version("v1", properties, { storage: true, ...options.version }, options.schema)],
      ...options.spec,
    },
  };
}

function version(
  name: string,
  properties: Record<string, unknown>,
  rest: Record<string, unknown> = {},
  schema: Record<string, unknown> = {},
) {
  return {
    name,
    served: true,
    storage: false,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: { type: "object", properties },
          status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
        ...schema,
      },
    },
    ...rest,
  };
}

async function define(body: ReturnType<typeof definition>) {
  const response = await cluster.request("POST", definitionsPath, body);
  expect(response.json).toMatchObject({ kind: "CustomResourceDefinition" });
  return response.json;
}

async function refused(body: unknown): Promise<string[]> {
  const response = await cluster.request("POST", definitionsPath, body);
  expect(response.status, response.text).toBe(422);
  return response.json.details.causes.map(
    ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
  );
}

const pathOf = (plural: string, name = "", v = "v1") =>
  `/apis/example.com/${v}/namespaces/default/${plural}${name === "" ? "" : `/${name}`}`;
const object = (kind: string, name: string, spec: unknown, v = "v1") => ({
  apiVersion: `example.com/${v}`,
  kind,
  metadata: { name },
  spec,
});
const create = (plural: string, kind: string, name: string, spec: unknown) =>
  cluster.request("POST", pathOf(plural), object(kind, name, spec));
const causesOf = (response: { json: any }): string[] =>
  (response.json.details?.causes ?? []).map((cause: any) => `${cause.field}: ${cause.message}`);
const conditionsOf = (definition: any): string[] =>
  (definition.status.conditions ?? []).map(({ type, status, reason }: any) => `${type}=${status} ${reason}`);

describe("a definition's status", () => {
  test("is settled in the answer to its creation, and its objects can be created at once", async () => {
    const created = await define(
      definition("widgets", { size: { type: "integer" } }, { names: { shortNames: ["wd"], categories: ["all"] } }),
    );
    expect(created.status).toMatchObject({
      acceptedNames: {
        plural: "widgets",
        singular: "widget",
        kind: "Widget",
        listKind: "WidgetList",
        shortNames: ["wd"],
        categories: ["all"],
      },
      storedVersions: ["v1"],
      conditions: [
        { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
        {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        },
      ],
    });
    expect((await create("widgets", "Widget", "w", { size: 1 })).status).toBe(201);
  });

  test("names that another definition of the group has are not accepted until that one is gone", async () => {
    await define(definition("firsts", {}, { names: { shortNames: ["rival"] } }));
    const second = await define(definition("seconds", {}, { kind: "First" }));
    expect(conditionsOf(second)).toEqual(["NamesAccepted=False ListKindConflict", "Established=False NotAccepted"]);
    const third = await define(definition("thirds", {}, { names: { shortNames: ["rival"] } }));
    expect(third.status.conditions[0]).toMatchObject({
      reason: "ShortNamesConflict",
      message: '"rival" is already in use',
    });
    expect((await cluster.request("GET", pathOf("seconds"))).status).toBe(404);
    await cluster.request("DELETE", `${definitionsPath}/firsts.example.com`);
    await eventually("the names are free", async () => {
      const now = (await cluster.request("GET", `${definitionsPath}/thirds.example.com`)).json;
      return conditionsOf(now).includes("Established=True InitialNamesAccepted");
    });
  });

  test("a group of the community needs an approval, and says which", async () => {
    const body = definition("approvals", {}, { group: "sample.k8s.io" });
    expect(await refused(body)).toEqual([
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ]);
    const approved = {
      ...body,
      metadata: { ...body.metadata, annotations: { "api-approved.kubernetes.io": "https://example.com/pull/1" } },
    };
    expect(conditionsOf(await define(approved as typeof body))).toContain(
      "KubernetesAPIApprovalPolicyConformant=True ApprovedAnnotation",
    );
  });
});

describe("a definition is refused", () => {
  test("when its name is not plural and group", async () => {
    const body = definition("misnamed");
    body.metadata.name = "other.example.com";
    expect(await refused(body)).toEqual([
      'metadata.name: Invalid value: "other.example.com": must be spec.names.plural+"."+spec.group',
    ]);
  });

  test("when names, scope or group are wrong", async () => {
    const body = definition(
      "badnames",
      {},
      { names: { kind: "Bad_Name", shortNames: ["X"] }, spec: { scope: "Galaxy" } },
    );
    expect(await refused(body)).toEqual([
      expect.stringMatching(/^spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"$/),
      expect.stringMatching(
        /^spec.names.kind: Invalid value: "Bad_Name": may have mixed case, but should otherwise match: a DNS-1035 label/,
      ),
      expect.stringMatching(/^spec.names.listKind: Invalid value: "Bad_NameList": may have mixed case/),
      expect.stringMatching(/^spec.names.shortNames\[0\]: Invalid value: "X": a DNS-1035 label/),
    ]);
    expect(await refused(definition("nodots", {}, { group: "nodot" }))).toEqual([
      'spec.group: Invalid value: "nodot": should be a domain with at least one dot',
    ]);
  });

  test("without exactly one storage version, or with a version twice", async () => {
    const none = definition("storages", {}, { version: { storage: false } });
    expect(await refused(none)).toEqual([
      expect.stringMatching(/^spec.versions: .*must have exactly one version marked as storage version$/),
    ]);
    const twice = definition(
      "twices",
      {},
      { spec: { versions: [version("v1", {}, { storage: true }), version("v1", {})] } },
    );
    expect(await refused(twice)).toEqual([
      expect.stringMatching(/^spec.versions: .*must contain unique version names$/),
    ]);
  });

  test("without a schema, or when everything is to be preserved", async () => {
    const body = definition(
      "schemaless",
      {},
      { version: { schema: undefined }, spec: { preserveUnknownFields: true } },
    );
    expect(await refused(body)).toEqual([
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required",
    ]);
  });

  test("when its schema is not structural", async () => {
    const properties = {
      untyped: { description: "no type" },
      list: { type: "array" },
      nested: { type: "string", anyOf: [{ type: "string" }, { minLength: 1 }] },
      unique: { type: "array", uniqueItems: true, items: { type: "string" } },
      strange: { type: "strange" },
      both: { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
      pattern: { type: "string", pattern: "(" },
      referenced: { type: "object", $ref: "#/definitions/x" },
    };
    const spec = "spec.versions[0].schema.openAPIV3Schema.properties[spec]";
    expect((await refused(definition("unstructureds", properties))).toSorted()).toEqual([
      `${spec}.properties[both].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
      `${spec}.properties[list].items: Required value: must be specified`,
      `${spec}.properties[nested].anyOf[0].type: Forbidden: must be empty to be structural`,
      `${spec}.properties[pattern].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
      `${spec}.properties[referenced].$ref: Forbidden: $ref is not supported`,
      `${spec}.properties[strange].type: Unsupported value: "strange": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      `${spec}.properties[unique].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      `${spec}.properties[untyped].type: Required value: must not be empty for specified object fields`,
    ]);
  });

  test("when a default does not fit its own schema", async () => {
    const properties = {
      count: { type: "integer", default: "many" },
      tuple: { type: "object", properties: { a: { type: "string" } }, default: { a: "x", b: "y" } },
    };
    const spec = "spec.versions[0].schema.openAPIV3Schema.properties[spec]";
    expect(await refused(definition("defaulteds", properties))).toEqual([
      `${spec}.properties[count].default: Invalid value: "string":  in body must be of type integer: "string"`,
      `${spec}.properties[tuple].default: Invalid value: {"a":"x","b":"y"}: must not have unknown fields`,
    ]);
  });

  test("when list types, columns, subresources or selectable fields make no sense", async () => {
    const body = definition(
      "nonsenses",
      {
        items: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: { type: "object", properties: { name: { type: "string" } } },
        },
        list: { type: "array", items: { type: "string" } },
      },
      {
        version: {
          additionalPrinterColumns: [{ name: "A", type: "text", jsonPath: "spec.a" }],
          subresources: { scale: { specReplicasPath: ".status.replicas", statusReplicasPath: ".status.replicas" } },
          selectableFields: [{ jsonPath: ".spec.list" }, { jsonPath: ".spec.missing" }],
        },
      },
    );
    const v = "spec.versions[0]";
    expect(await refused(body)).toEqual([
      `${v}.schema.openAPIV3Schema.properties[spec].properties[items].items.properties[name].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      `${v}.subresources.scale.specReplicasPath: Invalid value: ".status.replicas": should be a json path under .spec`,
      `${v}.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string`,
      `${v}.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.a": must be a simple json path starting with .`,
      `${v}.selectableFields[0].jsonPath: Invalid value: ".spec.list": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.`,
      expect.stringMatching(
        /^spec.versions\[0\].selectableFields\[1\].jsonPath: Invalid value: ".spec.missing": is an invalid path: /,
      ),
    ]);
  });

  test("when an update changes what cannot change, or drops a stored version", async () => {
    await define(definition("fixeds"));
    const path = `${definitionsPath}/fixeds.example.com`;
    const scope = await cluster.request(
      "PATCH",
      path,
      { spec: { scope: "Cluster", names: { kind: "Other" } } },
      mergePatch,
    );
    expect(causesOf(scope)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Other": field is immutable',
    ]);
    const versions = await cluster.request(
      "PATCH",
      path,
      { spec: { versions: [version("v2", {}, { storage: true })] } },
      mergePatch,
    );
    expect(causesOf(versions)).toEqual([
      expect.stringMatching(
        /^status.storedVersions\[0\]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version/,
      ),
    ]);
  });
});

describe("an object", () => {
  const properties = {
    text: { type: "string", minLength: 2, maxLength: 4, pattern: "^[a-z]+$" },
    number: { type: "number", minimum: 1, maximum: 10, exclusiveMaximum: true, multipleOf: 0.5 },
    color: { type: "string", enum: ["red", "blue"] },
    when: { type: "string", format: "date-time" },
    list: { type: "array", minItems: 1, maxItems: 2, items: { type: "string" } },
    map: { type: "object", minProperties: 1, maxProperties: 2, additionalProperties: { type: "integer" } },
    port: { "x-kubernetes-int-or-string": true },
    maybe: { type: "string", nullable: true },
    set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    named: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, value: { type: "integer", maximum: 5 } },
      },
    },
    either: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    some: { type: "integer", anyOf: [{ minimum: 10 }, { maximum: 1 }] },
    every: { type: "integer", allOf: [{ minimum: 2 }, { maximum: 4 }] },
    never: { type: "string", not: { enum: ["no"] } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { known: { type: "integer" } } },
    embedded: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    defaulted: { type: "object", default: {}, properties: { inner: { type: "string", default: "value" } } },
  };

  beforeAll(async () => {
    await define(definition("things", properties, { schema: { required: ["spec"] } }));
  });

  test.each([
    [{ text: "a" }, 'spec.text: Invalid value: "a": spec.text in body should be at least 2 chars long'],
    [{ text: "abcde" }, "spec.text: Too long: may not be more than 4 bytes"],
    [{ text: "A1" }, "spec.text: Invalid value: \"A1\": spec.text in body should match '^[a-z]+$'"],
    [{ text: 1 }, 'spec.text: Invalid value: "integer": spec.text in body must be of type string: "integer"'],
    [{ number: 0.5 }, "spec.number: Invalid value: 0.5: spec.number in body should be greater than or equal to 1"],
    [{ number: 10 }, "spec.number: Invalid value: 10: spec.number in body should be less than 10"],
    [{ number: 1.2 }, "spec.number: Invalid value: 1.2: spec.number in body should be a multiple of 0.5"],
    [{ color: "green" }, 'spec.color: Unsupported value: "green": supported values: "red", "blue"'],
    [{ when: "soon" }, 'spec.when: Invalid value: "soon": spec.when in body must be of type date-time: "soon"'],
    [{ list: [] }, "spec.list: Invalid value: 0: spec.list in body should have at least 1 items"],
    [{ list: ["a", "b", "c"] }, "spec.list: Too many: 3: must have at most 2 items"],
    [{ map: {} }, "spec.map: Invalid value: 0: spec.map in body should have at least 1 properties"],
    [{ map: { a: "x" } }, 'spec.map.a: Invalid value: "string": spec.map.a in body must be of type integer: "string"'],
    [
      { port: true },
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
    ],
    [{ set: ["a", "b", "a"] }, 'spec.set[2]: Duplicate value: "a"'],
    [{ named: [{ name: "x" }, { name: "x" }] }, 'spec.named[1]: Duplicate value: {"name":"x"}'],
    [{ named: [{ value: 1 }] }, "spec.named[0].name: Required value"],
    [
      { either: {} },
      '<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found none valid',
    ],
    [
      { either: { a: "1", b: "2" } },
      '<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [{ some: 5 }, '<nil>: Invalid value: "": "spec.some" must validate at least one schema (anyOf)'],
    [{ every: 9 }, '<nil>: Invalid value: "": "spec.every" must validate all the schemas (allOf)'],
    [{ never: "no" }, '<nil>: Invalid value: "": "spec.never" must not validate the schema (not)'],
    [{ embedded: { kind: "X" } }, "spec.embedded.apiVersion: Required value: must not be empty"],
  ])("%j is refused", async (spec, cause) => {
    const response = await create("things", "Thing", "bad", spec);
    expect(response.status, response.text).toBe(422);
    expect(causesOf(response)).toContain(cause);
  });

  test("that keeps to its schema is taken, with defaults, and without what is unknown", async () => {
    const spec = { text: "ab", maybe: null, port: "http", free: { anything: [1], known: 2 }, unknown: 1, list: ["a"] };
    const response = await create("things", "Thing", "good", spec);
    expect(response.status, response.text).toBe(201);
    expect(response.json.spec).toEqual({
      text: "ab",
      maybe: null,
      port: "http",
      free: { anything: [1], known: 2 },
      list: ["a"],
      defaulted: { inner: "value" },
    });
    expect(response.headers["warning"]).toBe('299 - "unknown field \\"spec.unknown\\""');
    const strict = await cluster.request(
      "POST",
      `${pathOf("things")}?fieldValidation=Strict`,
      object("Thing", "strict", spec),
    );
    expect(strict.status).toBe(400);
    expect(strict.json.message).toBe(
      'Thing in version "v1" cannot be handled as a Thing: strict decoding error: unknown field "spec.unknown"',
    );
    const missing = await cluster.request("POST", pathOf("things"), {
      ...object("Thing", "missing", {}),
      spec: undefined,
    });
    expect(causesOf(missing)).toEqual(["spec: Required value"]);
  });

  test("that became invalid with a new schema can still change elsewhere", async () => {
    await define(
      definition("ratchets", { old: { type: "string" }, other: { type: "string" }, list: properties.named }),
    );
    await create("ratchets", "Ratchet", "r", { old: "long enough", list: [{ name: "a", value: 5 }] });
    const stricter = definition("ratchets", {
      old: { type: "string", maxLength: 3 },
      other: { type: "string" },
      list: {
        ...properties.named,
        items: {
          ...properties.named.items,
          properties: { name: { type: "string" }, value: { type: "integer", maximum: 1 } },
        },
      },
    });
    expect(
      (await cluster.request("PATCH", `${definitionsPath}/ratchets.example.com`, { spec: stricter.spec }, mergePatch))
        .status,
    ).toBe(200);
    const patch = (spec: unknown) => cluster.request("PATCH", pathOf("ratchets", "r"), { spec }, mergePatch);
    expect(
      (
        await patch({
          other: "changed",
          list: [
            { name: "a", value: 5 },
            { name: "b", value: 1 },
          ],
        })
      ).status,
    ).toBe(200);
    expect(causesOf(await patch({ old: "too long" }))).toEqual(["spec.old: Too long: may not be more than 3 bytes"]);
    expect(causesOf(await patch({ list: [{ name: "a", value: 4 }] }))).toEqual([
      "spec.list[0].value: Invalid value: 4: spec.list[0].value in body should be less than or equal to 1",
    ]);
  });

  test("is shown with defaults that its definition got later, by get, list and watch", async () => {
    await define(definition("lates", { a: { type: "string" }, b: { type: "string" } }));
    await create("lates", "Late", "l", { a: "1", b: "2" });
    const changed = definition("lates", { a: { type: "string" }, c: { type: "string", default: "later" } });
    await cluster.request(
      "PATCH",
      `${definitionsPath}/lates.example.com`,
      { spec: { versions: changed.spec.versions } },
      mergePatch,
    );
    const expected = { a: "1", c: "later" };
    expect((await cluster.request("GET", pathOf("lates", "l"))).json.spec).toEqual(expected);
    expect((await cluster.request("GET", pathOf("lates"))).json.items[0].spec).toEqual(expected);
    const watched = await cluster.request("GET", `${pathOf("lates")}?watch=true&timeoutSeconds=1`);
    expect(JSON.parse(watched.text.split("\n")[0]!).object).toMatchObject({
      kind: "Late",
      apiVersion: "example.com/v1",
      spec: expected,
    });
  });

  test("needs its resourceVersion to be replaced, and counts a generation for what is not status", async () => {
    const created = (await create("things", "Thing", "versioned", { text: "ab" })).json;
    const without = await cluster.request(
      "PUT",
      pathOf("things", "versioned"),
      object("Thing", "versioned", { text: "abc" }),
    );
    expect(causesOf(without)).toEqual([expect.stringContaining("metadata.resourceVersion: Invalid value: ")]);
    const replaced = await cluster.request("PUT", pathOf("things", "versioned"), { ...created, spec: { text: "abc" } });
    expect(replaced.json.metadata.generation).toBe(2);
    const labeled = await cluster.request(
      "PATCH",
      pathOf("things", "versioned"),
      { metadata: { labels: { a: "b" } } },
      mergePatch,
    );
    expect(labeled.json.metadata.generation).toBe(2);
    expect((await cluster.request("PUT", pathOf("things", "nobody"), object("Thing", "nobody", {}))).status).toBe(404);
  });

  test("has no protobuf form, and is given in the next one that its client takes", async () => {
    await create("things", "Thing", "formed", {});
    const protobuf = "application/vnd.kubernetes.protobuf";
    const either = await cluster.request("GET", pathOf("things", "formed"), undefined, {
      Accept: `${protobuf},application/json`,
    });
    expect(either.json).toMatchObject({ kind: "Thing", apiVersion: "example.com/v1" });
    expect((await cluster.request("GET", pathOf("things"), undefined, { Accept: protobuf })).status).toBe(406);
    const partial = `as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    const metadata = await cluster.request("GET", pathOf("things"), undefined, {
      Accept: `${protobuf};${partial},application/json;${partial}`,
    });
    expect(metadata.headers["content-type"]).toContain(protobuf);
  });

  test("is deleted alone or with all others of its namespace", async () => {
    await create("things", "Thing", "gone", {});
    expect((await cluster.request("DELETE", pathOf("things", "gone"))).json).toMatchObject({
      kind: "Status",
      status: "Success",
      details: { group: "example.com", kind: "things" },
    });
    expect((await cluster.request("DELETE", pathOf("things"))).status).toBe(200);
    expect((await cluster.request("GET", pathOf("things"))).json).toMatchObject({ kind: "ThingList", items: [] });
  });
});

describe("what a definition adds", () => {
  beforeAll(async () => {
    await define(
      definition(
        "racks",
        { replicas: { type: "integer", default: 1 }, color: { type: "string" }, since: { type: "string" } },
        {
          names: { shortNames: ["rk"], categories: ["hardware"] },
          schema: { description: "A Rack stands somewhere." },
          version: {
            subresources: {
              status: {},
              scale: {
                specReplicasPath: ".spec.replicas",
                statusReplicasPath: ".status.replicas",
                labelSelectorPath: ".status.selector",
              },
            },
            selectableFields: [{ jsonPath: ".spec.color" }],
            additionalPrinterColumns: [
              { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", description: "How many" },
              { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
              { name: "Since", type: "date", jsonPath: ".spec.since", priority: 1 },
            ],
          },
        },
      ),
    );
    await create("racks", "Rack", "red", { color: "red", replicas: 2 });
    await create("racks", "Rack", "blue", { color: "blue", since: "2020-01-01T00:00:00Z" });
  });

  test("columns, in gets, lists and watches", async () => {
    const table = { Accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    await cluster.request(
      "PATCH",
      pathOf("racks", "red/status"),
      {
        status: {
          conditions: [
            { type: "Other", status: "False" },
            { type: "Ready", status: "True" },
          ],
        },
      },
      mergePatch,
    );
    const list = (await cluster.request("GET", pathOf("racks"), undefined, table)).json;
    expect(list.columnDefinitions).toEqual([
      { name: "Name", type: "string", format: "name", description: expect.any(String), priority: 0 },
      { name: "Replicas", type: "integer", format: "", description: "How many", priority: 0 },
      {
        name: "Ready",
        type: "string",
        format: "",
        description:
          'Custom resource definition column (in JSONPath format): .status.conditions[?(@.type=="Ready")].status',
        priority: 0,
      },
      { name: "Since", type: "date", format: "", description: expect.any(String), priority: 1 },
    ]);
    expect(list.rows.map((row: any) => row.cells)).toEqual([
      ["blue", 1, null, expect.stringMatching(/^\d+y/)],
      ["red", 2, "True", null],
    ]);
    const watched = await cluster.request(
      "GET",
      `${pathOf("racks")}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dred`,
      undefined,
      table,
    );
    expect(JSON.parse(watched.text.split("\n")[0]!).object.rows[0].cells).toEqual(["red", 2, "True", null]);
    expect((await cluster.request("GET", pathOf("racks", "red"), undefined, table)).json.rows[0].cells[1]).toBe(2);
  });

  test("a status that only its subresource changes", async () => {
    const main = await cluster.request(
      "PATCH",
      pathOf("racks", "red"),
      { status: { sneaky: true }, spec: { color: "red" } },
      mergePatch,
    );
    expect(main.json.status?.sneaky).toBeUndefined();
    const status = await cluster.request(
      "PATCH",
      pathOf("racks", "red/status"),
      { status: { replicas: 2, selector: "a=b" }, spec: { color: "green" } },
      mergePatch,
    );
    expect(status.json).toMatchObject({ spec: { color: "red" }, status: { replicas: 2, selector: "a=b" } });
    const withStatus = await cluster.request("POST", pathOf("racks"), {
      ...object("Rack", "fresh", {}),
      status: { replicas: 7 },
    });
    expect(withStatus.json.status).toBeUndefined();
    await cluster.request("DELETE", pathOf("racks", "fresh"));
  });

  test("a scale", async () => {
    const path = pathOf("racks", "red/scale");
    expect((await cluster.request("GET", path)).json).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      spec: { replicas: 2 },
      status: { replicas: 2, selector: "a=b" },
    });
    expect((await cluster.request("PATCH", path, { spec: { replicas: 5 } }, mergePatch)).json.spec).toEqual({
      replicas: 5,
    });
    expect((await cluster.request("GET", pathOf("racks", "red"))).json.spec.replicas).toBe(5);
    await cluster.request("PATCH", path, { spec: { replicas: 2 } }, mergePatch);
  });

  test("field selectors, for lists and watches", async () => {
    const names = async (selector: string) =>
      (
        await cluster.request("GET", `${pathOf("racks")}?fieldSelector=${encodeURIComponent(selector)}`)
      ).json.items?.map((item: any) => item.metadata.name);
    expect(await names("spec.color=red")).toEqual(["red"]);
    expect(await names("spec.color!=red")).toEqual(["blue"]);
    const unknown = await cluster.request("GET", `${pathOf("racks")}?fieldSelector=spec.size%3D1`);
    expect(unknown.json).toMatchObject({
      code: 400,
      message: expect.stringContaining("field label not supported: spec.size"),
    });
    const watched = await cluster.request(
      "GET",
      `${pathOf("racks")}?watch=1&timeoutSeconds=1&fieldSelector=spec.color%3Dblue`,
    );
    expect(
      watched.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).object.metadata.name),
    ).toEqual(["blue"]);
  });

  test("discovery, in both forms", async () => {
    const resources = (await cluster.request("GET", "/apis/example.com/v1")).json.resources.filter(({ name }: any) =>
      name.startsWith("racks"),
    );
    expect(resources).toMatchObject([
      {
        name: "racks",
        singularName: "rack",
        namespaced: true,
        kind: "Rack",
        shortNames: ["rk"],
        categories: ["hardware"],
      },
      { name: "racks/status", kind: "Rack", verbs: ["get", "patch", "update"] },
      { name: "racks/scale", group: "autoscaling", version: "v1", kind: "Scale" },
    ]);
    expect((await cluster.request("GET", "/apis/example.com")).json.preferredVersion.groupVersion).toBe(
      "example.com/v1",
    );
    const aggregated = await cluster.request("GET", "/apis", undefined, {
      Accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    });
    const group = aggregated.json.items.find((item: any) => item.metadata.name === "example.com");
    expect(group.versions[0].resources.map((each: any) => each.resource)).toContain("racks");
  });

  test("OpenAPI v2 and v3, which follow a change", async () => {
    const v3 = async () => {
      const index = (await cluster.request("GET", "/openapi/v3")).json;
      const url = new URL(index.paths["apis/example.com/v1"].serverRelativeURL as string, cluster.server);
      return (await cluster.requestUrl("GET", url.href, undefined, { Authorization: `Bearer ${cluster.token}` })).json
        .components.schemas["com.example.v1.Rack"];
    };
    expect(await v3()).toMatchObject({
      description: "A Rack stands somewhere.",
      properties: { spec: { properties: { color: { type: "string" } } } },
    });
    const v2 = (await cluster.request("GET", "/openapi/v2")).json;
    expect(v2.definitions["com.example.v1.Rack"].properties.spec.properties.replicas).toMatchObject({
      type: "integer",
    });
    const rack = (await cluster.request("GET", `${definitionsPath}/racks.example.com`)).json;
    rack.spec.versions[0].schema.openAPIV3Schema.description = "A Rack stands elsewhere.";
    expect((await cluster.request("PUT", `${definitionsPath}/racks.example.com`, rack)).status).toBe(200);
    expect((await v3()).description).toBe("A Rack stands elsewhere.");
  });
});

describe("several versions", () => {
  test("show the same object under each one's name, warn of deprecated ones and record what is stored", async () => {
    const v1 = version("v1", { a: { type: "string" } });
    const beta = version(
      "v1beta1",
      { a: { type: "string" }, old: { type: "string" } },
      { storage: true, deprecated: true },
    );
    await define(definition("multis", {}, { spec: { versions: [v1, beta] } }));
    const created = await cluster.request(
      "POST",
      pathOf("multis", "", "v1beta1"),
      object("Multi", "m", { a: "1", old: "2" }, "v1beta1"),
    );
    expect(created.headers["warning"]).toBe(
      '299 - "example.com/v1beta1 Multi is deprecated; use example.com/v1 Multi"',
    );
    expect((await cluster.request("GET", pathOf("multis", "m"))).json).toMatchObject({
      apiVersion: "example.com/v1",
      spec: { a: "1" },
    });
    expect((await cluster.request("GET", pathOf("multis", "m", "v1beta1"))).json).toMatchObject({
      apiVersion: "example.com/v1beta1",
      spec: { a: "1", old: "2" },
    });
    const migrated = await cluster.request(
      "PATCH",
      `${definitionsPath}/multis.example.com`,
      {
        spec: {
          versions: [
            { ...v1, storage: true },
            { ...beta, storage: false },
          ],
        },
      },
      mergePatch,
    );
    expect(migrated.json.status.storedVersions).toEqual(["v1beta1", "v1"]);
    const unserved = await cluster.request(
      "PATCH",
      `${definitionsPath}/multis.example.com`,
      {
        spec: {
          versions: [
            { ...v1, storage: true },
            { ...beta, storage: false, served: false },
          ],
        },
      },
      mergePatch,
    );
    expect(unserved.status).toBe(200);
    expect((await cluster.request("GET", pathOf("multis", "m", "v1beta1"))).status).toBe(404);
    expect((await cluster.request("GET", pathOf("multis", "m"))).status).toBe(200);
  });

  test("a conversion webhook that cannot be reached is the server's failure, and other objects are untouched by it", async () => {
    const conversion = {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { service: { namespace: "default", name: "converter" } },
      },
    };
    const versions = [
      version("v1", { a: { type: "string" } }, { storage: true }),
      version("v2", { b: { type: "string" } }),
    ];
    await define(definition("converteds", {}, { spec: { versions, conversion } }));
    expect((await create("converteds", "Converted", "c", { a: "1" })).status).toBe(201);
    expect((await cluster.request("GET", pathOf("converteds", "c"))).json.spec).toEqual({ a: "1" });
    const other = await cluster.request("GET", pathOf("converteds", "c", "v2"));
    expect(other.json).toMatchObject({
      code: 500,
      reason: "InternalError",
      message: expect.stringContaining("conversion webhook for example.com/v1, Kind=Converted failed: "),
    });
    const watched = await cluster.request("GET", `${pathOf("converteds", "", "v2")}?watch=1&timeoutSeconds=5`);
    expect(JSON.parse(watched.text.split("\n")[0]!)).toMatchObject({
      type: "ERROR",
      object: { kind: "Status", code: 500 },
    });
    expect(JSON.stringify((await cluster.request("GET", pathOf("converteds", "c"))).json)).not.toContain(
      "~storedVersion",
    );
    const half = definition(
      "halves",
      {},
      { spec: { versions, conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v9"] } } } },
    );
    expect(await refused(half)).toEqual([
      "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
      'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
    ]);
  });
});

describe("the deletion of a definition", () => {
  test("takes its objects along, waits for their finalizers, and frees the path", async () => {
    await define(definition("mortals"));
    await create("mortals", "Mortal", "plain", {});
    await cluster.request("POST", pathOf("mortals"), {
      ...object("Mortal", "held", {}),
      metadata: { name: "held", finalizers: ["example.com/hold"] },
    });
    const path = `${definitionsPath}/mortals.example.com`;
    const deleted = await cluster.request("DELETE", path);
    expect(deleted.json.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: ["customresourcecleanup.apiextensions.k8s.io"],
    });
    expect(conditionsOf(deleted.json)).toContain("Terminating=True InstanceDeletionPending");
    await eventually("only the held object is left", async () => {
      const names = (await cluster.request("GET", pathOf("mortals"))).json.items?.map(
        (item: any) => item.metadata.name,
      );
      return JSON.stringify(names) === '["held"]';
    });
    const late = await create("mortals", "Mortal", "late", {});
    expect(late.json).toMatchObject({
      code: 405,
      message: "create not allowed while custom resource definition is terminating",
    });
    expect(conditionsOf((await cluster.request("GET", path)).json)).toContain(
      "Terminating=True InstanceDeletionInProgress",
    );
    await cluster.request("PATCH", pathOf("mortals", "held"), { metadata: { finalizers: null } }, mergePatch);
    await eventually("the definition is gone", async () => (await cluster.request("GET", path)).status === 404);
    expect((await cluster.request("GET", pathOf("mortals"))).status).toBe(404);
    await define(definition("mortals"));
    expect((await cluster.request("GET", pathOf("mortals"))).json.items).toEqual([]);
  });
});

describe("another cluster", () => {
  test("has definitions of its own", async () => {
    const other = await TestCluster.start({ nodes: 0, cluster: "elsewhere" });
    try {
      expect((await other.request("POST", definitionsPath, definition("locals"))).status).toBe(201);
      expect((await other.request("GET", pathOf("locals"))).status).toBe(200);
      const { origin } = new URL(other.server);
      const elsewhere = await other.requestUrl("GET", `${origin}${pathOf("locals")}`, undefined, {
        Authorization: `Bearer ${other.token}`,
      });
      expect([401, 404]).toContain(elsewhere.status);
    } finally {
      await other.stop();
    }
  });
});
