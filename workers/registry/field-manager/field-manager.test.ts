import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../apimachinery/clock.ts";
import { parseApiVersion } from "../../apimachinery/gvk.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../apimachinery/meta.ts";
import { StatusError } from "../../apimachinery/status-errors.ts";
import type { Status } from "../../apimachinery/status-errors.ts";
import { pathsOf } from "../../apimachinery/structured-merge/field-set.ts";
import { catalog } from "../../apis/catalog.ts";
import { decodeObject } from "../../apis/codec/decode.ts";
import { applyDefaults } from "../../apis/defaulting/defaulting.ts";
import type { FieldManager } from "./field-manager.ts";
import { ignoreManagedFieldsTimestamps } from "./ignore-timestamps.ts";
import { lastAppliedAnnotation } from "./last-applied.ts";
import { typeOfOpenApi } from "./open-api-types.ts";
import { customFieldManager, fieldManagerFor } from "./resource-field-manager.ts";

let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});

const managerOf = (group: string, version: string, resource: string, subresource = "") =>
  fieldManagerFor(catalog.find(group, version, resource)!, subresource, clock);

/** As a client's body arrives at the handler: decoded, with defaults. */
function decoded(object: object): KubeObject {
  const { apiVersion, kind } = object as KubeObject;
  const gvk = { ...parseApiVersion(apiVersion!), kind: kind! };
  const result = decodeObject(new TextEncoder().encode(JSON.stringify(object)), "application/json", gvk, {
    fieldValidation: "Ignore",
  }).object;
  applyDefaults(gvk, result);
  return result;
}

const configMap = (data: object, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "default", ...metadata },
  data,
});
const deployment = (spec: object, metadata: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", ...metadata },
  spec,
});
const web = {
  selector: { matchLabels: { app: "web" } },
  template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "nginx" }] } },
};
const born = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, uid: "u" } });

const entryOf = (object: KubeObject, manager: string, operation = "Apply") =>
  object.metadata.managedFields?.find((entry) => entry.manager === manager && entry.operation === operation);
const owned = (object: KubeObject, manager: string, operation = "Apply") => {
  const entry = entryOf(object, manager, operation);
  return entry === undefined
    ? undefined
    : pathsOf(entry.fieldsV1 as never).map((path) => path.map((step) => step.replace(/^f:/, "")).join("."));
};
function statusOf(action: () => unknown): Status {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("writes other than apply", () => {
  test("a deployment made by kubectl create is owned as upstream has it", () => {
    const created = managerOf("apps", "v1", "deployments").update(
      undefined,
      decoded(deployment({ replicas: 1, ...web })),
      "kubectl-create",
    );
    expect(created.metadata.managedFields).toEqual([
      {
        manager: "kubectl-create",
        operation: "Update",
        apiVersion: "apps/v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:spec": {
            "f:progressDeadlineSeconds": {},
            "f:replicas": {},
            "f:revisionHistoryLimit": {},
            "f:selector": {},
            "f:strategy": { "f:rollingUpdate": { ".": {}, "f:maxSurge": {}, "f:maxUnavailable": {} }, "f:type": {} },
            "f:template": {
              "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
              "f:spec": {
                "f:containers": {
                  'k:{"name":"c"}': {
                    ".": {},
                    "f:image": {},
                    "f:imagePullPolicy": {},
                    "f:name": {},
                    "f:resources": {},
                    "f:terminationMessagePath": {},
                    "f:terminationMessagePolicy": {},
                  },
                },
                "f:dnsPolicy": {},
                "f:restartPolicy": {},
                "f:schedulerName": {},
                "f:securityContext": {},
                "f:terminationGracePeriodSeconds": {},
              },
            },
          },
        },
      },
    ]);
  });

  test("a change takes the field over; what is left stays with its owner, at its time", async () => {
    const manager = managerOf("", "v1", "configmaps");
    const created = born(manager.update(undefined, configMap({ a: "1", b: "1" }), "alice"));
    await clock.advance(60_000);
    const changed = manager.update(created, { ...created, data: { a: "2", b: "1" } }, "bob");
    expect(owned(changed, "alice", "Update")).toEqual(["data", "data.b"]);
    expect(owned(changed, "bob", "Update")).toEqual(["data.a"]);
    expect(changed.metadata.managedFields!.map(({ time }) => time)).toEqual([
      "2026-01-01T00:00:00Z",
      "2026-01-01T00:01:00Z",
    ]);
    const removed = manager.update(changed, { ...changed, data: { b: "1" } }, "carol");
    expect(removed.metadata.managedFields!.map((entry) => entry.manager)).toEqual(["alice"]);
  });

  test("a write that changes nothing keeps the entries", async () => {
    const manager = managerOf("", "v1", "configmaps");
    const created = born(manager.update(undefined, configMap({ a: "1" }), "alice"));
    await clock.advance(60_000);
    expect(manager.update(created, structuredClone(created), "bob").metadata.managedFields).toEqual(
      created.metadata.managedFields,
    );
  });

  test("status belongs to the status endpoint, everything else to the main one", () => {
    const pod = decoded({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i" }] },
      status: { phase: "Failed" },
    });
    const created = born(managerOf("", "v1", "pods").update(undefined, pod, "creator"));
    expect(owned(created, "creator", "Update")!.some((path) => path.startsWith("status"))).toBe(false);
    const next = {
      ...created,
      metadata: { ...created.metadata, labels: { a: "b" } },
      spec: { ...created.spec, nodeName: "n" },
      status: { phase: "Running" },
    };
    const written = managerOf("", "v1", "pods", "status").update(created, next, "kubelet");
    expect(entryOf(written, "kubelet", "Update")).toMatchObject({
      subresource: "status",
      fieldsV1: { "f:status": { "f:phase": {} } },
    });
    expect(owned(written, "kubelet", "Update")).toEqual(["status.phase"]);
  });

  test("[{}] and [] empty the entries for good; nonsense and null keep them", () => {
    const manager = managerOf("", "v1", "configmaps");
    const created = born(manager.update(undefined, configMap({ a: "1" }), "alice"));
    const given = (managedFields: unknown) =>
      manager.update(
        created,
        { ...created, metadata: { ...created.metadata, managedFields: managedFields as ManagedFieldsEntry[] } },
        "bob",
      ).metadata.managedFields;
    expect(given([{}])).toBeUndefined();
    expect(given([])).toBeUndefined();
    expect(given(undefined)).toEqual(created.metadata.managedFields);
    expect(given([{ manager: "x", operation: "Odd" }])).toEqual(created.metadata.managedFields);
    expect(
      given([{ manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { bad: {} } }]),
    ).toEqual(created.metadata.managedFields);
    const untracked = born(configMap({ a: "1" }));
    expect(manager.update(untracked, { ...untracked, data: { a: "2" } }, "bob").metadata.managedFields).toBeUndefined();
  });

  test("above ten Update entries the oldest are merged into ancient-changes", async () => {
    const manager = managerOf("", "v1", "configmaps");
    let object = born(manager.update(undefined, configMap({ k0: "" }), "m0"));
    for (let index = 1; index <= 12; index++) {
      await clock.advance(1_000);
      object = manager.update(object, { ...object, data: { ...object.data, [`k${index}`]: "" } }, `m${index}`);
    }
    const entries = object.metadata.managedFields!;
    expect(entries).toHaveLength(10);
    expect(entries[0]).toMatchObject({
      manager: "ancient-changes",
      operation: "Update",
      apiVersion: "v1",
      time: "2026-01-01T00:00:03Z",
    });
    expect(owned(object, "ancient-changes", "Update")).toEqual(["data", "data.k0", "data.k1", "data.k2", "data.k3"]);
  });

  test("entries of a version in the same form follow changes made in another; those of a version that is gone go", () => {
    const manager = managerOf("autoscaling", "v2", "horizontalpodautoscalers");
    const hpa = (maxReplicas: number) =>
      decoded({
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "h", namespace: "d" },
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "w" },
          maxReplicas,
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
          ],
        },
      });
    const entry = (name: string, apiVersion: string, fieldsV1: object): ManagedFieldsEntry => ({
      manager: name,
      operation: "Update",
      apiVersion,
      fieldsType: "FieldsV1",
      fieldsV1: fieldsV1 as Record<string, unknown>,
    });
    const live = born(hpa(5));
    live.metadata.managedFields = [
      entry("old", "autoscaling/v1", { "f:spec": { "f:maxReplicas": {}, "f:targetCPUUtilizationPercentage": {} } }),
      entry("gone", "autoscaling/v2beta1", { "f:spec": { "f:minReplicas": {} } }),
    ];
    const changed = manager.update(live, { ...hpa(6), metadata: live.metadata }, "me");
    expect(owned(changed, "old", "Update")).toEqual(["spec.targetCPUUtilizationPercentage"]);
    expect(owned(changed, "gone", "Update")).toBeUndefined();
    expect(owned(changed, "me", "Update")).toEqual(["spec.maxReplicas"]);
  });
});

describe("apply", () => {
  test("creates, owns what it names, and removes what it names no longer", () => {
    const manager = managerOf("", "v1", "configmaps");
    const created = born(manager.apply(undefined, configMap({ a: "1", b: "2" }, { labels: { x: "y" } }), "me", false));
    expect(created.data).toEqual({ a: "1", b: "2" });
    expect(owned(created, "me")).toEqual(["data.a", "data.b", "metadata.labels.x"]);
    const other = manager.apply(created, configMap({ b: "2", c: "3" }), "other", false);
    expect(owned(other, "other")).toEqual(["data.b", "data.c"]);
    const again = manager.apply(other, configMap({ a: "1" }), "me", false);
    expect(again.data).toEqual({ a: "1", b: "2", c: "3" });
    expect(again.metadata.labels).toBeUndefined();
    expect(owned(manager.apply(again, configMap({}), "other", false), "me")).toEqual(["data.a"]);
    expect(manager.apply(again, configMap({}), "other", false).data).toEqual({ a: "1" });
  });

  test("one conflict, in upstream's words", () => {
    const manager = managerOf("apps", "v1", "deployments");
    const live = born(
      manager.update(undefined, decoded(deployment({ replicas: 3, ...web })), "kubectl-client-side-apply"),
    );
    expect(statusOf(() => manager.apply(live, deployment({ replicas: 5 }), "me", false))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas',
      reason: "Conflict",
      details: {
        causes: [
          {
            reason: "FieldManagerConflict",
            message: 'conflict with "kubectl-client-side-apply" using apps/v1',
            field: ".spec.replicas",
          },
        ],
      },
      code: 409,
    });
    const forced = manager.apply(live, deployment({ replicas: 5 }), "me", true);
    expect(forced.spec.replicas).toBe(5);
    expect(owned(forced, "me")).toEqual(["spec.replicas"]);
    expect(owned(forced, "kubectl-client-side-apply", "Update")).not.toContain("spec.replicas");
  });

  test("several conflicts are grouped by manager", () => {
    const manager = managerOf("", "v1", "configmaps");
    let live = born(manager.apply(undefined, configMap({ a: "1", b: "1" }), "one", false));
    live = manager.update(live, { ...live, data: { ...live.data, c: "1" } }, "two");
    expect(statusOf(() => manager.apply(live, configMap({ a: "2", b: "2", c: "2" }), "me", false)).message).toBe(
      'Apply failed with 3 conflicts: conflicts with "one":\n- .data.a\n- .data.b\nconflicts with "two" using v1:\n- .data.c',
    );
  });

  test("a field whose value is the same is shared; giving it up leaves it to the other", () => {
    const manager = managerOf("apps", "v1", "deployments");
    const live = born(manager.apply(undefined, deployment({ replicas: 3, ...web }), "one", false));
    const shared = manager.apply(live, deployment({ replicas: 3 }), "two", false);
    expect([owned(shared, "one")!.includes("spec.replicas"), owned(shared, "two")]).toEqual([true, ["spec.replicas"]]);
    expect(statusOf(() => manager.apply(shared, deployment({ replicas: 4 }), "two", false)).code).toBe(409);
    const left = manager.apply(shared, deployment(web), "one", false);
    expect(left.spec.replicas).toBe(3);
    expect(statusOf(() => manager.apply(left, deployment({ replicas: 9, ...web }), "one", false)).message).toBe(
      'Apply failed with 1 conflict: conflict with "two": .spec.replicas',
    );
  });

  test("what was there before the first apply belongs to before-first-apply", () => {
    const manager = managerOf("", "v1", "configmaps");
    const live = born(configMap({ a: "1" }));
    expect(statusOf(() => manager.apply(live, configMap({ a: "2" }), "me", false)).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    );
    const applied = manager.apply(live, configMap({ b: "2" }), "me", false);
    expect(owned(applied, "before-first-apply", "Update")).toEqual(["data", "data.a"]);
  });

  test("refuses other kinds, managedFields, and what does not fit the schema", () => {
    const manager = managerOf("apps", "v1", "deployments");
    const status = (object: object) => {
      const { code, message } = statusOf(() => manager.apply(undefined, object as KubeObject, "me", false));
      return [code, message];
    };
    expect(status({ metadata: {} })).toEqual([400, "invalid object type: /, Kind="]);
    expect(status(configMap({}))).toEqual([400, "invalid object type: /v1, Kind=ConfigMap"]);
    expect(status(deployment({}, { managedFields: [] }))).toEqual([400, "metadata.managedFields must be nil"]);
    expect(status(deployment({ foo: 1 }))).toEqual([
      500,
      "failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema",
    ]);
    const env = [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
    ];
    expect(status(deployment({ template: { spec: { containers: [{ name: "c", env }] } } }))).toEqual([
      500,
      'failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.template.spec.containers[name="c"].env: duplicate entries for key [name="A"]',
    ]);
  });

  test("objects that hold the same key twice can be applied to", () => {
    const manager = managerOf("apps", "v1", "deployments");
    const env = [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
    ];
    const template = { ...web.template, spec: { containers: [{ name: "c", image: "nginx", env }] } };
    const live = born(manager.update(undefined, decoded(deployment({ ...web, template })), "client"));
    const applied = manager.apply(
      live,
      deployment({ template: { spec: { containers: [{ name: "c", env: [{ name: "B", value: "3" }] }] } } }),
      "me",
      false,
    );
    expect(applied.spec.template.spec.containers[0].env).toEqual([...env, { name: "B", value: "3" }]);
  });

  test("a port without protocol is the one with TCP", () => {
    const manager = managerOf("", "v1", "services");
    const service = (ports: object[]) =>
      ({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "s", namespace: "d" },
        spec: { ports },
      }) as unknown as KubeObject;
    const live = born(manager.apply(undefined, service([{ port: 80, name: "http" }]), "me", false));
    const next = manager.apply(live, service([{ port: 80, protocol: "TCP", name: "web" }]), "me", false);
    expect(next.spec.ports).toEqual([{ port: 80, protocol: "TCP", name: "web", targetPort: 80 }]);
    expect(owned(next, "me")).toContain('spec.ports.k:{"port":80,"protocol":"TCP"}.name');
  });
});

describe("kubectl takes over from client-side apply", () => {
  const bare = deployment({ replicas: 3, ...web });
  const annotated = (object: KubeObject) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { [lastAppliedAnnotation]: JSON.stringify(object) } },
  });

  test("without conflicts on what it had set, keeping the annotation in step", () => {
    const manager = managerOf("apps", "v1", "deployments");
    const live = born(manager.update(undefined, decoded(annotated(bare)), "kubectl-client-side-apply"));
    const next = deployment({ replicas: 4, ...web });
    expect(statusOf(() => manager.apply(live, next, "someone", false)).code).toBe(409);
    const applied = manager.apply(live, next, "kubectl", false);
    expect(applied.spec.replicas).toBe(4);
    expect(JSON.parse(applied.metadata.annotations![lastAppliedAnnotation]!)).toEqual(next);
    expect(applied.metadata.annotations![lastAppliedAnnotation]!.endsWith("}\n")).toBe(true);
  });

  test("what somebody has changed since stays in conflict", () => {
    const manager = managerOf("apps", "v1", "deployments");
    const live = born(manager.update(undefined, decoded(annotated(bare)), "kubectl-client-side-apply"));
    const scaled = manager.update(live, { ...live, spec: { ...live.spec, replicas: 7 } }, "kubectl-scale");
    expect(statusOf(() => manager.apply(scaled, deployment({ replicas: 4, ...web }), "kubectl", false)).message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-scale" using apps/v1: .spec.replicas',
    );
  });
});

describe("custom resources follow their markers", () => {
  const type = typeOfOpenApi({
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          keyed: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["id"],
            items: {
              type: "object",
              properties: { id: { type: "string" }, size: { "x-kubernetes-int-or-string": true } },
            },
          },
          set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
          plain: { type: "array", items: { type: "string" } },
          whole: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: { type: "string" } },
          open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    },
  });
  const widget = (spec: object): KubeObject => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w" },
    spec,
  });
  const manager = (): FieldManager =>
    customFieldManager(
      {
        gvk: { group: "example.com", version: "v1", kind: "Widget" },
        hasStatus: true,
        typeOf: (version) => (version === "v1" ? type : undefined),
        convert: (object) => object,
        restore: structuredClone,
      },
      "",
      clock,
    );

  test("keyed lists, sets, atomic lists and maps, free fields", () => {
    const created = born(
      manager().apply(
        undefined,
        widget({
          keyed: [{ id: "a", size: 1 }],
          set: ["x"],
          plain: ["p"],
          whole: { a: "b" },
          open: { deep: { er: 1 } },
        }),
        "me",
        false,
      ),
    );
    expect(owned(created, "me")).toEqual([
      "spec.plain",
      "spec.whole",
      'spec.keyed.k:{"id":"a"}',
      'spec.keyed.k:{"id":"a"}.id',
      'spec.keyed.k:{"id":"a"}.size',
      "spec.open.deep",
      "spec.open.deep.er",
      'spec.set.v:"x"',
    ]);
    const other = manager().apply(created, widget({ keyed: [{ id: "b" }], set: ["y"] }), "other", false);
    expect(other.spec).toMatchObject({ keyed: [{ id: "a", size: 1 }, { id: "b" }], set: ["x", "y"] });
    expect(statusOf(() => manager().apply(other, widget({ plain: ["q"] }), "other", false)).message).toBe(
      'Apply failed with 1 conflict: conflict with "me": .spec.plain',
    );
    expect(statusOf(() => manager().apply(other, widget({ nope: 1 }), "other", false)).message).toContain(
      ".spec.nope: field not declared in schema",
    );
  });

  test("a map that became atomic is owned as a whole by who owned a part", () => {
    const live = born(widget({ whole: { a: "b" } }));
    live.metadata.managedFields = [
      {
        manager: "old",
        operation: "Apply",
        apiVersion: "example.com/v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:whole": { "f:a": {} } } },
      },
    ];
    expect(statusOf(() => manager().apply(live, widget({ whole: { c: "d" } }), "me", false)).message).toBe(
      'Apply failed with 1 conflict: conflict with "old": .spec.whole',
    );
  });
});

test("times alone do not make a change", async () => {
  const manager = managerOf("", "v1", "configmaps");
  const created = born(manager.update(undefined, configMap({ a: "1" }), "alice"));
  const later = structuredClone(created);
  later.metadata.managedFields![0]!.time = "2030-01-01T00:00:00Z";
  expect(ignoreManagedFieldsTimestamps(later, created)).toEqual(created);
  later.data.a = "2";
  expect(ignoreManagedFieldsTimestamps(later, created).metadata.managedFields![0]!.time).toBe("2030-01-01T00:00:00Z");
});

describe("apply, whatever the configuration", () => {
  const data = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("1", "2"));
  // An empty map is a field like any other, but does not outlive its first write.
  const named = (values: Record<string, string>, metadata: object = {}) => {
    const { data: _data, ...bare } = configMap({}, metadata);
    return Object.keys(values).length === 0 ? bare : { ...bare, data: values };
  };
  const finalizers = fc.uniqueArray(fc.constantFrom("x/1", "x/2", "x/3"));
  const config = fc.tuple(data, finalizers).map(([values, list]) => named(values, { finalizers: list }));
  const seeded = { seed: 36, numRuns: 150 };
  const state = (object: KubeObject) => ({
    data: object.data ?? {},
    finalizers: object.metadata.finalizers ?? [],
    managed: object.metadata.managedFields,
  });

  test("a second time changes nothing", () => {
    fc.assert(
      fc.property(config, config, (first, second) => {
        const manager = managerOf("", "v1", "configmaps");
        const live = born(manager.apply(undefined, first, "one", false));
        const once = manager.apply(live, second, "two", true);
        expect(state(manager.apply(once, second, "two", false))).toEqual(state(once));
      }),
      seeded,
    );
  });

  test("two managers with different fields come to the same in either order", () => {
    fc.assert(
      fc.property(data, data, (first, second) => {
        const manager = managerOf("", "v1", "configmaps");
        const [left, right] = [named(prefixed("l", first)), named(prefixed("r", second))];
        const base = born(manager.apply(undefined, named({ base: "0" }), "base", false));
        const one = manager.apply(manager.apply(base, left, "left", false), right, "right", false);
        const two = manager.apply(manager.apply(base, right, "right", false), left, "left", false);
        expect(state(one)).toEqual(state(two));
      }),
      seeded,
    );
  });

  test("what is left out goes exactly if nobody else owns it", () => {
    fc.assert(
      fc.property(data, data, data, (mine, others, next) => {
        const manager = managerOf("", "v1", "configmaps");
        const both = { ...mine, ...pick(others, (key) => !(key in mine)), ...pick(mine, (key) => key in others) };
        let live = born(manager.apply(undefined, named(mine), "me", false));
        live = manager.apply(live, named(pick(both, (key) => key in others)), "other", false);
        const after = manager.apply(live, named(next), "me", true);
        expect(after.data ?? {}).toEqual({ ...pick(both, (key) => key in others), ...next });
      }),
      seeded,
    );
  });

  const prefixed = (prefix: string, values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [prefix + key, value]));
  const pick = (values: Record<string, string>, test: (key: string) => boolean) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => test(key)));
});
