import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ManagedFieldsEntry } from "../../workers/apimachinery/meta.ts";
import { eventually, TestCluster } from "../support/cluster.ts";

/** Server-side apply as users of kubectl meet it. */
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 1 });
});
afterAll(() => cluster?.stop());

const deployment = (name: string, replicas: number, image = "nginx:1") => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
      - { name: main, image: "${image}", ports: [{ containerPort: 80 }] }
`;
const configMap = (name: string, data: Record<string, string>) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const get = async (...args: string[]) =>
  JSON.parse(await cluster.kubectl("get", ...args, "-o", "json", "--show-managed-fields"));
const entries = async (...args: string[]) =>
  ((await get(...args)).metadata.managedFields ?? []) as ManagedFieldsEntry[];
const apply = (manifest: string, ...args: string[]) =>
  cluster.run(["apply", "--server-side", "-f", "-", ...args], manifest);
const patch = (path: string, body: unknown, query = "fieldManager=me") =>
  cluster.request("PATCH", `${path}?${query}`, body, { "Content-Type": "application/apply-patch+yaml" });

describe("kubectl apply --server-side", () => {
  test("creates, leaves alone what is the same, and changes", async () => {
    expect((await apply(deployment("web", 1))).stdout).toBe("deployment.apps/web serverside-applied\n");
    const created = await get("deployment", "web");
    expect(created.metadata.managedFields.find(({ operation }: ManagedFieldsEntry) => operation === "Apply")).toEqual({
      manager: "kubectl",
      operation: "Apply",
      apiVersion: "apps/v1",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": { "f:labels": { "f:app": {} } },
        "f:spec": {
          "f:replicas": {},
          "f:selector": {},
          "f:template": {
            "f:metadata": { "f:labels": { "f:app": {} } },
            "f:spec": {
              "f:containers": {
                'k:{"name":"main"}': {
                  ".": {},
                  "f:image": {},
                  "f:name": {},
                  "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
                },
              },
            },
          },
        },
      },
    });
    await apply(configMap("same", { a: "1" }));
    const before = await get("configmap", "same");
    expect((await apply(configMap("same", { a: "1" }))).code).toBe(0);
    expect(await get("configmap", "same")).toEqual(before);
    await apply(configMap("same", { b: "2" }));
    expect((await get("configmap", "same")).data).toEqual({ b: "2" });
  });

  test("conflicts are refused in upstream's words, and forced", async () => {
    await apply(deployment("contested", 2), "--field-manager", "first");
    const refused = await apply(deployment("contested", 3, "nginx:2"), "--field-manager", "second");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'error: Apply failed with 2 conflicts: conflicts with "first":\n- .spec.replicas\n- .spec.template.spec.containers[name="main"].image\n',
    );
    expect(
      (await apply(deployment("contested", 3, "nginx:2"), "--field-manager", "second", "--force-conflicts")).code,
    ).toBe(0);
    const owners = (await entries("deployment", "contested")).filter(({ operation }) => operation === "Apply");
    expect(owners.map(({ manager, fieldsV1 }) => [manager, "f:replicas" in (fieldsV1!["f:spec"] as object)])).toEqual([
      ["first", false],
      ["second", true],
    ]);
  });

  test("--dry-run=server and diff --server-side change nothing", async () => {
    await apply(configMap("dry", { a: "1" }));
    const before = await get("configmap", "dry");
    expect((await apply(configMap("dry", { a: "2" }), "--dry-run=server")).stdout).toBe(
      "configmap/dry serverside-applied (server dry run)\n",
    );
    const diff = await cluster.run(["diff", "--server-side", "-f", "-"], configMap("dry", { a: "2" }));
    expect(diff.stdout).toMatch(/^-  a: "1"\n\+  a: "2"$/m);
    expect(await get("configmap", "dry")).toEqual(before);
  });

  test("takes over what was applied client-side", async () => {
    await cluster.apply(deployment("moved", 1));
    expect((await entries("deployment", "moved")).map(({ manager }) => manager)).toContain("kubectl-client-side-apply");
    const taken = await apply(deployment("moved", 2));
    expect([taken.code, taken.stderr]).toEqual([0, ""]);
    const moved = await get("deployment", "moved");
    expect(moved.spec.replicas).toBe(2);
    // The annotation has followed, for a way back.
    const lastApplied = JSON.parse(moved.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]);
    expect([lastApplied.spec.replicas, lastApplied.metadata.annotations]).toEqual([2, undefined]);
    // kubectl has made the two managers one, so that what is left out from now on goes.
    const managers = moved.metadata.managedFields.map(
      ({ manager, operation }: ManagedFieldsEntry) => `${manager} ${operation}`,
    );
    expect(managers).toContain("kubectl Apply");
    expect(managers).not.toContain("kubectl-client-side-apply Update");
    await apply(deployment("moved", 2).replace("labels: { app: moved } }\nspec", "annotations: {} }\nspec"));
    expect((await get("deployment", "moved")).metadata.labels).toBeUndefined();
  });
});

describe("who wrote what", () => {
  test("create, label, scale and the loops each have an entry of their own", async () => {
    await cluster.kubectl("create", "deployment", "tracked", "--image=nginx", "--replicas=0");
    await cluster.kubectl("label", "deployment", "tracked", "tier=front");
    await cluster.kubectl("scale", "deployment", "tracked", "--replicas=1");
    const found = (await entries("deployment", "tracked")).map(({ manager, operation, subresource }) =>
      [manager, operation, subresource].filter(Boolean).join(" "),
    );
    expect(found).toContain("kubectl-create Update");
    expect(found).toContain("kubectl-label Update");
    expect(found).toContain("kubectl Update scale");
    const shown = await cluster.kubectl("get", "deployment", "tracked", "-o", "yaml");
    expect(shown).not.toContain("managedFields");
  });

  test("apply and scale dispute the replicas", async () => {
    await apply(deployment("disputed", 1));
    await cluster.kubectl("scale", "deployment", "disputed", "--replicas=2");
    const refused = await apply(deployment("disputed", 3));
    expect(refused.stderr).toContain(
      'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
    );
  });

  test("managedFields can be emptied", async () => {
    await apply(configMap("emptied", { a: "1" }));
    await cluster.kubectl("patch", "configmap", "emptied", "--type=merge", "-p", '{"metadata":{"managedFields":[{}]}}');
    expect(await entries("configmap", "emptied")).toEqual([]);
  });
});

test("custom resources merge as their schema's markers say", async () => {
  const part = { type: "object", properties: { id: { type: "string" }, size: { type: "integer", default: 1 } } };
  const parts = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["id"],
    items: { ...part, required: ["id"] },
  };
  const schema = {
    type: "object",
    properties: {
      spec: { type: "object", properties: { parts, plain: { type: "array", items: { type: "string" } } } },
    },
  };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.ssa.example.com" },
    spec: {
      group: "ssa.example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  const widget = (spec: object) =>
    JSON.stringify({ apiVersion: "ssa.example.com/v1", kind: "Widget", metadata: { name: "w" }, spec });
  expect((await apply(JSON.stringify(definition))).code).toBe(0);
  await eventually(
    "the kind is served",
    async () => (await apply(widget({ parts: [{ id: "a", size: 2 }], plain: ["x"] }))).code === 0,
  );
  expect((await apply(widget({ parts: [{ id: "b" }] }), "--field-manager", "other")).code).toBe(0);
  expect((await get("widget", "w")).spec).toEqual({
    parts: [
      { id: "a", size: 2 },
      { id: "b", size: 1 },
    ],
    plain: ["x"],
  });
  const refused = await apply(
    widget({ parts: [{ id: "b" }, { id: "a", size: 3 }], plain: ["y"] }),
    "--field-manager",
    "other",
  );
  expect(refused.stderr).toContain(
    'Apply failed with 2 conflicts: conflicts with "kubectl":\n- .spec.plain\n- .spec.parts[id="a"].size\n',
  );
});

describe("requests", () => {
  const path = "/api/v1/namespaces/default/configmaps/raw";
  const body = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "raw", namespace: "default" },
    data: { a: "1" },
  };

  test("an apply creates with 201 and goes on with 200", async () => {
    expect((await patch(path, body)).status).toBe(201);
    expect(
      (await patch(path, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: raw}\ndata: {b: '2'}\n")).json.data,
    ).toEqual({ b: "2" });
  });

  test.each([
    [
      "no field manager",
      "",
      body,
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    ["another kind", "fieldManager=me", { ...body, kind: "Secret" }, 400, "invalid object type: /v1, Kind=Secret"],
    [
      "managedFields",
      "fieldManager=me",
      { ...body, metadata: { ...body.metadata, managedFields: [] } },
      400,
      "metadata.managedFields must be nil",
    ],
    [
      "another name",
      "fieldManager=me",
      { ...body, metadata: { name: "other" } },
      400,
      "the name of the object (other) does not match the name on the URL (raw)",
    ],
    [
      "an unknown field",
      "fieldManager=me",
      { ...body, foo: 1 },
      500,
      "failed to create typed patch object (default/raw; /v1, Kind=ConfigMap): .foo: field not declared in schema",
    ],
  ])("%s is refused", async (_name, query, given, code, message) => {
    const { status, json } = await patch(path, given, query);
    expect([status, json.message]).toEqual([code, message]);
  });

  test("the status has managers of its own; what else is applied there has no effect", async () => {
    await cluster.request("POST", "/api/v1/namespaces/default/services", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: { ports: [{ port: 80 }] },
    });
    const given = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: { ports: [{ port: 81 }] },
      status: {
        conditions: [
          { type: "Fine", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" },
        ],
      },
    };
    const { status, json } = await patch(
      "/api/v1/namespaces/default/services/s/status",
      given,
      "fieldManager=me&force=true",
    );
    expect([status, json.spec.ports.map(({ port }: { port: number }) => port), json.status.conditions[0].type]).toEqual(
      [200, [80], "Fine"],
    );
    const mine = json.metadata.managedFields.find(({ manager }: ManagedFieldsEntry) => manager === "me");
    expect([mine.subresource, Object.keys(mine.fieldsV1)]).toEqual(["status", ["f:status"]]);
    expect(
      (await patch("/api/v1/namespaces/default/services/missing/status", { ...given, metadata: { name: "missing" } }))
        .status,
    ).toBe(404);
  });

  test("a uid asks for an object that is there", async () => {
    const given = {
      ...body,
      metadata: { name: "missing", namespace: "default", uid: "00000000-0000-0000-0000-000000000001" },
    };
    const { status, json } = await patch("/api/v1/namespaces/default/configmaps/missing", given);
    expect([status, json.message]).toEqual([
      409,
      'Operation cannot be fulfilled on configmaps "missing": uid mismatch: the provided object specified uid 00000000-0000-0000-0000-000000000001, and no existing object was found',
    ]);
  });

  test("force is for apply only", async () => {
    const { status, json } = await cluster.request(
      "PATCH",
      `${path}?force=true`,
      { data: { c: "3" } },
      { "Content-Type": "application/merge-patch+json" },
    );
    expect([status, json.message]).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ]);
  });
});
