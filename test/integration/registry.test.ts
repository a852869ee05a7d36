import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";

/** The life of objects as k8s.io/apiserver's generic registry has it, over HTTP. No nodes: nothing else writes to these. */
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0 });
  await ok(cluster.request("POST", "/api/v1/namespaces", { metadata: { name: "work" } }), 201);
});
afterAll(() => cluster?.stop());

const core = "/api/v1/namespaces/work";
const apps = "/apis/apps/v1/namespaces/work";
const patchTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
} as const;

async function ok(request: Promise<{ status: number; json: any; text: string }>, status = 200): Promise<any> {
  const response = await request;
  expect(response.status, response.text).toBe(status);
  return response.json;
}
const get = (path: string) => ok(cluster.request("GET", path));
const post = (path: string, object: object) => ok(cluster.request("POST", path, object), 201);
const put = (path: string, object: object, status = 200) => ok(cluster.request("PUT", path, object), status);
const patch = (path: string, body: object, type: keyof typeof patchTypes = "merge", status = 200) =>
  ok(cluster.request("PATCH", path, body, { "Content-Type": patchTypes[type] }), status);
const remove = (path: string, options?: object, status = 200) => ok(cluster.request("DELETE", path, options), status);
const gone = async (path: string) => expect((await cluster.request("GET", path)).status).toBe(404);

const configMap = (name: string, rest: object = {}) => ({ metadata: { name }, ...rest });
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "a", image: "b" }], ...spec },
});
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "a", image: "b" }] } },
  },
});
const bind = (name: string, node: string) =>
  post(`${core}/pods/${name}/binding`, { metadata: { name }, target: { apiVersion: "v1", kind: "Node", name: node } });

describe("creation", () => {
  test("the server sets uid, creationTimestamp and resourceVersion, and drops what is its own", async () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    const created = await post(`${core}/configmaps`, {
      metadata: {
        name: "stamped",
        uid: "mine",
        creationTimestamp: "2001-01-01T00:00:00Z",
        deletionTimestamp: "2001-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
        generation: 7,
        selfLink: "/x",
      },
    });
    const { uid, creationTimestamp, resourceVersion, managedFields: _managedFields, ...rest } = created.metadata;
    expect(created.kind).toBe("ConfigMap");
    expect(created.apiVersion).toBe("v1");
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Date.parse(creationTimestamp)).toBeGreaterThanOrEqual(before);
    expect(creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Number(resourceVersion)).toBeGreaterThan(0);
    expect(rest).toEqual({ name: "stamped", namespace: "work" });
    expect(await get(`${core}/configmaps/stamped`)).toEqual(created);
  });

  test("AlreadyExists", async () => {
    await post(`${core}/configmaps`, configMap("twice"));
    const status = await ok(cluster.request("POST", `${core}/configmaps`, configMap("twice")), 409);
    expect(status).toMatchObject({
      reason: "AlreadyExists",
      message: 'configmaps "twice" already exists',
      details: { name: "twice", kind: "configmaps" },
    });
  });

  test("generateName: a suffix of five, a base cut to 58, many at once without collision", async () => {
    const made = await Promise.all(
      Array.from({ length: 60 }, () => post(`${core}/configmaps`, { metadata: { generateName: "made-" } })),
    );
    const names = made.map(({ metadata }) => metadata.name as string);
    expect(new Set(names).size).toBe(60);
    for (const name of names) expect(name).toMatch(/^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    const long = await post(`${core}/configmaps`, { metadata: { generateName: `${"x".repeat(70)}-` } });
    expect(long.metadata.name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    const named = await post(`${core}/configmaps`, { metadata: { name: "given", generateName: "made-" } });
    expect(named.metadata).toMatchObject({ name: "given", generateName: "made-" });
  });

  test("status starts empty whatever is sent, but for nodes", async () => {
    const sent = await post(`${apps}/deployments`, {
      ...deployment("fresh"),
      status: { replicas: 9, observedGeneration: 9 },
    });
    expect(sent.status).toEqual({});
    const budget = await post("/apis/policy/v1/namespaces/work/poddisruptionbudgets", {
      metadata: { name: "fresh" },
      spec: { minAvailable: 1, selector: { matchLabels: { a: "nothing" } } },
      status: { currentHealthy: 7, desiredHealthy: 7, disruptionsAllowed: 7, expectedPods: 7 },
    });
    expect(budget.status.currentHealthy).toBe(0);
    const node = await post("/api/v1/nodes", { metadata: { name: "bare" }, status: { capacity: { cpu: "4" } } });
    expect(node.status.capacity).toEqual({ cpu: "4" });
    expect(node.spec.taints).toEqual([{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]);
    const created = await post(`${core}/pods`, { ...pod("fresh"), status: { phase: "Running", podIP: "1.2.3.4" } });
    expect(created.status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
    await remove("/api/v1/nodes/bare");
    await remove(`${core}/pods/fresh`);
  });

  test("PUT creates only the kinds that allow it", async () => {
    const lease = { metadata: { name: "made" }, spec: { holderIdentity: "a" } };
    const leases = "/apis/coordination.k8s.io/v1/namespaces/work/leases";
    expect((await put(`${leases}/made`, lease, 201)).metadata.uid).toBeDefined();
    await put(`${core}/endpoints/made`, { metadata: { name: "made" } }, 201);
    await put(
      "/apis/rbac.authorization.k8s.io/v1/namespaces/work/roles/made",
      { metadata: { name: "made" }, rules: [] },
      201,
    );
    await put(`${core}/configmaps/made`, configMap("made"), 404);
    // An object with a uid is not created: it must have been another one.
    const status = await put(`${leases}/again`, { ...lease, metadata: { name: "again", uid: "old" } }, 409);
    expect(status.message).toContain("Precondition failed: UID in precondition: old, UID in object meta: ");
  });
});

describe("updates", () => {
  test("generation counts changes of spec, and of nothing else", async () => {
    const path = `${apps}/deployments/counted`;
    expect((await post(`${apps}/deployments`, deployment("counted"))).metadata.generation).toBe(1);
    expect((await patch(path, { metadata: { labels: { a: "b" } } })).metadata.generation).toBe(1);
    expect((await patch(`${path}/status`, { status: { replicas: 1 } })).metadata.generation).toBe(1);
    expect((await patch(path, { spec: { paused: true } })).metadata.generation).toBe(2);
    expect((await patch(path, { metadata: { generation: 40 } })).metadata.generation).toBe(2);
    expect((await patch(`${path}/scale`, { spec: { replicas: 0 } })).spec).toEqual({});
    expect((await get(path)).metadata.generation).toBe(2);
    await post(`${core}/configmaps`, configMap("uncounted", { data: { a: "b" } }));
    expect((await patch(`${core}/configmaps/uncounted`, { data: { a: "c" } })).metadata.generation).toBeUndefined();
    const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    await post(classes, { metadata: { name: "counted" }, value: 5 });
    expect((await patch(`${classes}/counted`, { description: "d" })).metadata.generation).toBe(2);
  });

  test("status and the rest are apart, in both directions", async () => {
    const ingresses = "/apis/networking.k8s.io/v1/namespaces/work/ingresses";
    const path = `${ingresses}/split`;
    const backend = (name: string) => ({ defaultBackend: { service: { name, port: { number: 80 } } } });
    const status = (ip: string) => ({ loadBalancer: { ingress: [{ ip }] } });
    const made = await post(ingresses, { metadata: { name: "split" }, spec: backend("a"), status: status("10.0.0.1") });
    expect(made.status).toEqual({ loadBalancer: {} });
    const main = await patch(path, { spec: backend("b"), status: status("10.0.0.1") });
    expect(main.spec).toMatchObject(backend("b"));
    expect(main.status).toEqual({ loadBalancer: {} });
    const side = await patch(`${path}/status`, {
      metadata: { annotations: { yes: "yes" } },
      spec: backend("c"),
      status: status("10.0.0.2"),
    });
    expect(side.spec).toMatchObject(backend("b"));
    expect(side.status).toEqual(status("10.0.0.2"));
    expect(side.metadata.annotations).toEqual({ yes: "yes" });
    expect(side.metadata.generation).toBe(2);
    const whole = await put(`${path}/status`, { ...side, spec: backend("d"), status: status("10.0.0.3") });
    expect(whole.spec).toMatchObject(backend("b"));
    expect(whole.status).toEqual(status("10.0.0.3"));
    expect(await get(`${path}/status`)).toMatchObject({ kind: "Ingress", status: status("10.0.0.3") });
    expect((await put(path, { ...whole, spec: backend("e"), status: {} })).status).toEqual(status("10.0.0.3"));
    // Deployments keep their labels, pods their owners, whatever comes with a status.
    await post(`${apps}/deployments`, deployment("split"));
    expect(
      (await patch(`${apps}/deployments/split/status`, { metadata: { labels: { no: "no" } } })).metadata.labels,
    ).toBeUndefined();
  });

  test("nothing changed is nothing written: PUT, its members in another order, each patch, apply", async () => {
    const path = `${core}/configmaps/still`;
    const created = await post(`${core}/configmaps`, configMap("still", { data: { b: "1", a: "2" } }));
    const version = created.metadata.resourceVersion;
    expect((await put(path, created)).metadata.resourceVersion).toBe(version);
    const shuffled = {
      data: { a: "2", b: "1" },
      metadata: Object.fromEntries(Object.entries(created.metadata).reverse()),
    };
    expect((await put(path, shuffled)).metadata.resourceVersion).toBe(version);
    expect((await patch(path, {})).metadata.resourceVersion).toBe(version);
    expect((await patch(path, { data: { a: "2" } }, "strategic")).metadata.resourceVersion).toBe(version);
    expect((await patch(path, [{ op: "replace", path: "/data/a", value: "2" }], "json")).metadata.resourceVersion).toBe(
      version,
    );
    expect((await put(path, configMap("still", { data: { a: "2", b: "1" } }))).metadata.resourceVersion).toBe(version);
    const manifest = `apiVersion: apps/v1
kind: Deployment
metadata: {name: applied, namespace: work}
spec:
  replicas: 0
  selector: {matchLabels: {app: applied}}
  template:
    metadata: {labels: {app: applied}}
    spec: {containers: [{name: a, image: b, ports: [{containerPort: 80}], resources: {limits: {cpu: 100m, memory: 1Gi}}}]}
`;
    expect(await cluster.apply(manifest)).toBe("deployment.apps/applied created\n");
    const first = (await get(`${apps}/deployments/applied`)).metadata;
    expect(await cluster.apply(manifest)).toBe("deployment.apps/applied unchanged\n");
    expect((await get(`${apps}/deployments/applied`)).metadata.generation).toBe(first.generation);
  });

  test("with a resourceVersion it is a compare-and-swap, without one it is not", async () => {
    const path = `${core}/configmaps/swap`;
    const first = await post(`${core}/configmaps`, configMap("swap"));
    const second = await put(path, { ...first, data: { a: "1" } });
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
    expect((await put(path, { ...first, data: { a: "2" } }, 409)).reason).toBe("Conflict");
    expect((await put(path, configMap("swap", { data: { a: "3" } }))).data).toEqual({ a: "3" });
    expect(
      (
        await patch(
          path,
          { metadata: { resourceVersion: first.metadata.resourceVersion }, data: { a: "4" } },
          "merge",
          409,
        )
      ).reason,
    ).toBe("Conflict");
    // Of a hundred increments by compare-and-swap none is lost.
    await put(path, configMap("swap", { data: { n: "0" } }));
    let conflicts = 0;
    const increment = async (): Promise<void> => {
      const current = await get(path);
      const response = await cluster.request("PUT", path, {
        ...current,
        data: { n: String(Number(current.data.n) + 1) },
      });
      if (response.status === 409) {
        conflicts++;
        return increment();
      }
      expect(response.status).toBe(200);
    };
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let round = 0; round < 5; round++) await increment();
      }),
    );
    expect((await get(path)).data.n).toBe("100");
    expect(conflicts).toBeGreaterThan(0);
    // Patches without one never conflict.
    await Promise.all(Array.from({ length: 50 }, (_, index) => patch(path, { data: { [`k${index}`]: "v" } })));
    expect(Object.keys((await get(path)).data)).toHaveLength(51);
  });

  test("kinds without unconditional update ask for a resourceVersion", async () => {
    const leases = "/apis/coordination.k8s.io/v1/namespaces/work/leases";
    const lease = await post(leases, { metadata: { name: "asked" }, spec: { holderIdentity: "a" } });
    const refused = await put(`${leases}/asked`, { metadata: { name: "asked" }, spec: { holderIdentity: "b" } }, 422);
    expect(refused.message).toBe(
      'leases.coordination.k8s.io "asked" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
    await put(`${leases}/asked`, { ...lease, spec: { holderIdentity: "b" } });
    expect((await patch(`${leases}/asked`, { spec: { holderIdentity: "c" } })).spec.holderIdentity).toBe("c");
  });

  test("immutable metadata and fields", async () => {
    const path = `${core}/configmaps/fixed`;
    const created = await post(`${core}/configmaps`, configMap("fixed"));
    const uid = await put(path, { ...created, metadata: { ...created.metadata, uid: "other" } }, 409);
    expect(uid.message).toBe(
      `Operation cannot be fulfilled on configmaps "fixed": StorageError: invalid object, Code: 4, Key: /registry/configmaps/work/fixed, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${created.metadata.uid}`,
    );
    const time = await put(
      path,
      { ...created, metadata: { ...created.metadata, creationTimestamp: "2001-01-01T00:00:00Z" } },
      422,
    );
    expect(time.details.causes[0]).toMatchObject({ field: "metadata.creationTimestamp", reason: "FieldValueInvalid" });

    await post(`${apps}/deployments`, deployment("fixed"));
    const selector = await patch(
      `${apps}/deployments/fixed`,
      { spec: { selector: { matchLabels: { app: "x" } }, template: { metadata: { labels: { app: "x" } } } } },
      "merge",
      422,
    );
    expect(selector.message).toMatch(
      /^Deployment.apps "fixed" is invalid: spec.selector: Invalid value: .*: field is immutable$/,
    );

    await post(`${core}/pods`, pod("fixed"));
    const command = await patch(
      `${core}/pods/fixed`,
      { spec: { containers: [{ name: "a", command: ["x"] }] } },
      "strategic",
      422,
    );
    expect(command.details.causes[0]).toMatchObject({ field: "spec", reason: "FieldValueForbidden" });
    expect(command.message).toContain("pod updates may not change fields other than `spec.containers[*].image`");
    expect(
      (await patch(`${core}/pods/fixed`, { spec: { containers: [{ name: "a", image: "c" }] } }, "strategic")).metadata
        .generation,
    ).toBe(2);
    await patch(`${core}/pods/fixed`, { spec: { nodeName: "x" } }, "merge", 422);
    await remove(`${core}/pods/fixed`);

    await post(`${core}/secrets`, {
      metadata: { name: "fixed" },
      type: "Opaque",
      stringData: { a: "b" },
      immutable: true,
    });
    expect((await patch(`${core}/secrets/fixed`, { data: { a: "Yw==" } }, "merge", 422)).details.causes).toEqual([
      {
        reason: "FieldValueForbidden",
        message: "Forbidden: field is immutable when `immutable` is set",
        field: "data",
      },
    ]);
    expect((await patch(`${core}/secrets/fixed`, { type: "other" }, "merge", 422)).message).toContain(
      'type: Invalid value: "other": field is immutable',
    );
    expect((await get(`${core}/secrets/fixed`)).data).toEqual({ a: "Yg==" });

    const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/work/rolebindings";
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "a" };
    await post(bindings, { metadata: { name: "fixed" }, roleRef });
    expect((await patch(`${bindings}/fixed`, { roleRef: { name: "b" } }, "merge", 422)).message).toContain(
      "cannot change roleRef",
    );
  });
});

describe("patches", () => {
  test("merge: null removes, lists are replaced", async () => {
    const path = `${core}/configmaps/merged`;
    await post(`${core}/configmaps`, configMap("merged", { data: { a: "1", b: "2" } }));
    const merged = await patch(path, { data: { a: null, c: "3" }, metadata: { finalizers: null } });
    expect(merged.data).toEqual({ b: "2", c: "3" });
    expect((await patch(path, { data: { a: 5 } }, "merge", 422)).reason).toBe("Invalid");
    await ok(cluster.request("PATCH", path, "[1]", { "Content-Type": patchTypes.merge }), 400);
    await ok(cluster.request("PATCH", path, "{", { "Content-Type": patchTypes.merge }), 400);
  });

  test("JSON: every operation, a failing test changes nothing", async () => {
    const path = `${core}/configmaps/operated`;
    await post(`${core}/configmaps`, {
      metadata: { name: "operated", annotations: { "example.com/x": "2" } },
      data: { a: "1" },
    });
    const operated = await patch(
      path,
      [
        { op: "test", path: "/data/a", value: "1" },
        { op: "add", path: "/data/b", value: "2" },
        { op: "replace", path: "/data/a", value: "9" },
        { op: "copy", from: "/data/a", path: "/data/c" },
        { op: "move", from: "/data/b", path: "/data/d" },
        { op: "remove", path: "/metadata/annotations/example.com~1x" },
      ],
      "json",
    );
    expect(operated.data).toEqual({ a: "9", c: "9", d: "2" });
    expect(operated.metadata.annotations ?? {}).toEqual({});
    const refused = await patch(
      path,
      [
        { op: "replace", path: "/data/a", value: "0" },
        { op: "test", path: "/data/c", value: "no" },
      ],
      "json",
      422,
    );
    expect(refused).toMatchObject({
      reason: "Invalid",
      message: "the server rejected our request due to an error in our request",
    });
    expect((await get(path)).data.a).toBe("9");
    await patch(path, [{ op: "remove", path: "/data/absent" }], "json", 422);
    await patch(path, [{ op: "fly", path: "/data" }], "json", 422);
    await ok(cluster.request("PATCH", path, "{}", { "Content-Type": patchTypes.json }), 400);
  });

  test("strategic: lists by key, and every directive", async () => {
    const path = `${apps}/deployments/strategic`;
    const object = deployment("strategic") as any;
    object.spec.template.spec.containers = [
      {
        name: "a",
        image: "a:1",
        env: [
          { name: "X", value: "1" },
          { name: "Y", value: "2" },
        ],
        args: ["one"],
      },
      { name: "b", image: "b:1" },
    ];
    object.metadata.finalizers = ["example.com/a", "example.com/b"];
    await post(`${apps}/deployments`, object);
    const spec = async (body: object) =>
      (await patch(path, { spec: { template: { spec: body } } }, "strategic")).spec.template.spec;
    const names = (list: { name: string }[]) => list.map(({ name }) => name);

    const merged = await spec({
      containers: [
        {
          name: "a",
          image: "a:2",
          env: [
            { name: "Y", value: "3" },
            { name: "Z", value: "4" },
          ],
        },
      ],
    });
    expect(merged.containers[0].image).toBe("a:2");
    expect(Object.fromEntries(merged.containers[0].env.map(({ name, value }: any) => [name, value]))).toEqual({
      X: "1",
      Y: "3",
      Z: "4",
    });
    expect(names(merged.containers)).toEqual(["a", "b"]);
    expect(
      names(
        (
          await spec({
            "$setElementOrder/containers": [{ name: "b" }, { name: "c" }, { name: "a" }],
            containers: [{ name: "c", image: "c:1" }],
          })
        ).containers,
      ),
    ).toEqual(["b", "c", "a"]);
    expect(names((await spec({ containers: [{ name: "b", $patch: "delete" }] })).containers)).not.toContain("b");
    const replaced = await spec({ containers: [{ name: "a", image: "a:3" }, { $patch: "replace" }] });
    expect(names(replaced.containers)).toEqual(["a"]);
    expect(replaced.containers[0].env).toBeUndefined();
    const strategy = await patch(
      path,
      { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
      "strategic",
    );
    expect(strategy.spec.strategy).toEqual({ type: "Recreate" });
    const primitives = await patch(
      path,
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"], finalizers: ["example.com/c"] } },
      "strategic",
    );
    expect(new Set(primitives.metadata.finalizers)).toEqual(new Set(["example.com/b", "example.com/c"]));
    const cleared = await patch(path, { metadata: { finalizers: null } }, "strategic");
    expect(cleared.metadata.finalizers).toBeUndefined();
    await patch(path, { spec: { $patch: "what" } }, "strategic", 400);
    expect((await patch(path, { spec: { replicas: "many" } }, "strategic", 422)).details.causes[0].field).toBe("patch");
  });

  test("a patch of something that is not there", async () => {
    await patch(`${core}/configmaps/absent`, { data: { a: "b" } }, "merge", 404);
  });
});

describe("deletion", () => {
  test("the answer: a Status with details, or the object where upstream returns it", async () => {
    const created = await post(`${core}/configmaps`, configMap("answered"));
    expect(await remove(`${core}/configmaps/answered`)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "answered", kind: "configmaps", uid: created.metadata.uid },
    });
    await post(`${apps}/deployments`, deployment("answered"));
    expect((await remove(`${apps}/deployments/answered`)).details).toMatchObject({
      name: "answered",
      group: "apps",
      kind: "deployments",
    });
    await post(`${core}/serviceaccounts`, { metadata: { name: "answered" } });
    expect(await remove(`${core}/serviceaccounts/answered`)).toMatchObject({
      kind: "ServiceAccount",
      metadata: { name: "answered" },
    });
  });

  test("finalizers hold an object; only they can still change; the last one lets go", async () => {
    const path = `${core}/configmaps/held`;
    await post(`${core}/configmaps`, { metadata: { name: "held", finalizers: ["example.com/a", "example.com/b"] } });
    const marked = await remove(path);
    expect(marked.metadata.deletionTimestamp).toBeDefined();
    expect(marked.metadata.deletionGracePeriodSeconds).toBe(0);
    const again = await remove(path);
    expect(again.metadata.resourceVersion).toBe(marked.metadata.resourceVersion);
    expect(
      (await patch(path, { metadata: { finalizers: ["example.com/a", "example.com/new"] } }, "merge", 422)).message,
    ).toContain(
      'no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/new"}',
    );
    await patch(path, { metadata: { deletionTimestamp: null } });
    expect((await get(path)).metadata.deletionTimestamp).toBe(marked.metadata.deletionTimestamp);
    await patch(path, { metadata: { finalizers: ["example.com/a"] } });
    const last = await patch(path, { metadata: { finalizers: null } });
    expect(last.metadata.name).toBe("held");
    await gone(path);
  });

  test("preconditions", async () => {
    const path = `${core}/configmaps/guarded`;
    const created = await post(`${core}/configmaps`, configMap("guarded"));
    const uid = await remove(path, { preconditions: { uid: "other" } }, 409);
    expect(uid.message).toBe(
      `Operation cannot be fulfilled on ConfigMap "guarded": the UID in the precondition (other) does not match the UID in record (${created.metadata.uid}). The object might have been deleted and then recreated`,
    );
    await remove(path, { preconditions: { resourceVersion: "1" } }, 409);
    await remove(path, {
      preconditions: { uid: created.metadata.uid, resourceVersion: created.metadata.resourceVersion },
    });
    await gone(path);
  });

  test("propagationPolicy sets the collector's finalizers", async () => {
    await eventually("finalizers appear", async () => true);
    const marks = async (name: string, options: object) => {
      // A finalizer of our own keeps the collector from finishing.
      await post(`${core}/configmaps`, { metadata: { name, finalizers: ["example.com/hold"] } });
      return (await remove(`${core}/configmaps/${name}`, options)).metadata.finalizers;
    };
    expect(await marks("orphan", { propagationPolicy: "Orphan" })).toEqual(["example.com/hold", "orphan"]);
    expect(await marks("foreground", { propagationPolicy: "Foreground" })).toEqual([
      "example.com/hold",
      "foregroundDeletion",
    ]);
    expect(await marks("background", { propagationPolicy: "Background" })).toEqual(["example.com/hold"]);
    expect(await marks("deprecated", { orphanDependents: true })).toEqual(["example.com/hold", "orphan"]);
    // Jobs orphan their pods unless told otherwise.
    await post("/apis/batch/v1/namespaces/work/jobs", {
      metadata: { name: "kept", finalizers: ["example.com/hold"] },
      spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] } } },
    });
    expect((await remove("/apis/batch/v1/namespaces/work/jobs/kept")).metadata.finalizers).toContain("orphan");
  });

  test("an unscheduled pod goes at once, a finished one too", async () => {
    await post(`${core}/pods`, pod("pending"));
    expect(await remove(`${core}/pods/pending`)).toMatchObject({
      kind: "Pod",
      metadata: { deletionGracePeriodSeconds: 0 },
    });
    await gone(`${core}/pods/pending`);
    await post(`${core}/pods`, pod("finished", { nodeName: "nowhere" }));
    await patch(`${core}/pods/finished/status`, { status: { phase: "Succeeded" } });
    await remove(`${core}/pods/finished`);
    await gone(`${core}/pods/finished`);
  });

  test("a bound pod gets its grace period, which can only be shortened", async () => {
    const path = `${core}/pods/graceful`;
    await post(`${core}/pods`, pod("graceful", { terminationGracePeriodSeconds: 1_000 }));
    expect((await bind("graceful", "nowhere")).status).toBe("Success");
    const marked = await remove(path);
    expect(marked.metadata.deletionGracePeriodSeconds).toBe(1_000);
    expect(marked.metadata.generation).toBe(2);
    expect(Math.abs(Date.parse(marked.metadata.deletionTimestamp) - Date.now() - 1_000_000)).toBeLessThan(20_000);
    const longer = await remove(path, { gracePeriodSeconds: 2_000 });
    expect(longer.metadata.deletionTimestamp).toBe(marked.metadata.deletionTimestamp);
    expect(longer.metadata.deletionGracePeriodSeconds).toBe(1_000);
    const shorter = await remove(path, { gracePeriodSeconds: 500 });
    expect(shorter.metadata.deletionGracePeriodSeconds).toBe(500);
    expect(Date.parse(marked.metadata.deletionTimestamp) - Date.parse(shorter.metadata.deletionTimestamp)).toBe(
      500_000,
    );
    expect((await remove(`${path}?gracePeriodSeconds=400`)).metadata.deletionGracePeriodSeconds).toBe(400);
    await remove(path, { gracePeriodSeconds: 0 });
    await gone(path);
  });

  test("a pod with finalizers stays after grace 0, until they are off", async () => {
    const path = `${core}/pods/clung`;
    await post(`${core}/pods`, pod("clung", { nodeName: "nowhere" }, { finalizers: ["example.com/a"] }));
    await remove(path, { gracePeriodSeconds: 0 });
    expect((await get(path)).metadata.deletionGracePeriodSeconds).toBe(0);
    await remove(path);
    await patch(path, { metadata: { finalizers: null } });
    await gone(path);
  });

  test("deletecollection by labels and fields, held ones stay", async () => {
    for (const [name, color, finalizers] of [
      ["red-0", "red", []],
      ["red-1", "red", ["example.com/a"]],
      ["blue-0", "blue", []],
    ] as const) {
      await post(`${core}/configmaps`, { metadata: { name, labels: { color }, finalizers } });
    }
    const list = await remove(`${core}/configmaps?labelSelector=color%3Dred`);
    expect(list).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
    expect(list.items.map(({ metadata }: any) => metadata.name)).toEqual(["red-0", "red-1"]);
    await gone(`${core}/configmaps/red-0`);
    expect((await get(`${core}/configmaps/red-1`)).metadata.deletionTimestamp).toBeDefined();
    await get(`${core}/configmaps/blue-0`);
    await remove(`${core}/configmaps?fieldSelector=metadata.name%3Dblue-0`);
    await gone(`${core}/configmaps/blue-0`);
    await patch(`${core}/configmaps/red-1`, { metadata: { finalizers: null } });
  });
});

describe("dry run stores nothing and answers as if it did", () => {
  test("create, update, patch, status, scale, delete, deletecollection, binding, eviction", async () => {
    const dry = "?dryRun=All";
    const version = async () => (await get(`${core}/configmaps?limit=1`)).metadata.resourceVersion;
    const before = await version();
    const made = await post(`${core}/configmaps${dry}`, configMap("phantom", { data: { a: "b" } }));
    expect(made.metadata.uid).toBeDefined();
    expect(made.metadata.resourceVersion).toBeUndefined();
    await gone(`${core}/configmaps/phantom`);
    expect((await post(`${core}/configmaps${dry}`, { metadata: { generateName: "phantom-" } })).metadata.name).toMatch(
      /^phantom-.{5}$/,
    );
    expect(await version()).toBe(before);
    await post(`${core}/configmaps`, configMap("solid", { data: { a: "b" } }));
    await ok(cluster.request("POST", `${core}/configmaps${dry}`, configMap("solid")), 409);
    const stored = await get(`${core}/configmaps/solid`);
    expect((await put(`${core}/configmaps/solid${dry}`, configMap("solid", { data: { a: "c" } }))).data).toEqual({
      a: "c",
    });
    expect((await patch(`${core}/configmaps/solid${dry}`, { data: { a: "d" } })).data).toEqual({ a: "d" });
    expect((await remove(`${core}/configmaps/solid${dry}`)).status).toBe("Success");
    expect((await remove(`${core}/configmaps/solid`, { dryRun: ["All"] })).status).toBe("Success");
    expect((await remove(`${core}/configmaps${dry}`)).items.length).toBeGreaterThan(0);
    expect(await get(`${core}/configmaps/solid`)).toEqual(stored);

    await post(`${apps}/deployments`, deployment("solid"));
    expect((await patch(`${apps}/deployments/solid/scale${dry}`, { spec: { replicas: 3 } })).spec.replicas).toBe(3);
    await patch(`${apps}/deployments/solid/status${dry}`, { status: { replicas: 3 } });
    expect((await get(`${apps}/deployments/solid`)).spec.replicas).toBe(0);

    await post(`${core}/pods`, pod("solid"));
    await ok(cluster.request("POST", `${core}/pods/solid/binding${dry}`, { target: { kind: "Node", name: "x" } }), 201);
    await ok(
      cluster.request("POST", `${core}/pods/solid/eviction${dry}`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "solid" },
      }),
      201,
    );
    expect((await get(`${core}/pods/solid`)).spec.nodeName).toBeUndefined();
    await remove(`${core}/pods/solid`);

    const service = await post(`${core}/services${dry}`, {
      metadata: { name: "phantom" },
      spec: { ports: [{ port: 80 }] },
    });
    expect(service.spec.clusterIP).toMatch(/^10\.96\./);
    await gone(`/apis/networking.k8s.io/v1/ipaddresses/${service.spec.clusterIP}`);
    await put(
      `/apis/coordination.k8s.io/v1/namespaces/work/leases/phantom${dry}`,
      { metadata: { name: "phantom" } },
      201,
    );
    await gone("/apis/coordination.k8s.io/v1/namespaces/work/leases/phantom");
  });
});

describe("subresources", () => {
  test("scale: get, update, patch, conflicts, wrong counts", async () => {
    const path = `${apps}/deployments/scaled/scale`;
    await post(`${apps}/deployments`, deployment("scaled"));
    const scale = await get(path);
    expect(scale).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "scaled", namespace: "work" },
      spec: {},
      status: { replicas: 0, selector: "app=scaled" },
    });
    const put1 = await put(path, { ...scale, spec: { replicas: 1 } });
    expect(put1.spec).toEqual({ replicas: 1 });
    await put(path, { ...scale, spec: { replicas: 2 } }, 409);
    expect((await put(path, { metadata: { name: "scaled" }, spec: { replicas: 2 } })).spec).toEqual({ replicas: 2 });
    for (const type of ["merge", "strategic"] as const)
      expect((await patch(path, { spec: { replicas: 0 } }, type)).spec).toEqual({});
    expect((await patch(path, [{ op: "add", path: "/spec/replicas", value: 0 }], "json")).spec).toEqual({});
    expect((await patch(path, { spec: { replicas: -1 } }, "merge", 422)).message).toContain(
      "must be greater than or equal to 0",
    );
    await put(path, { metadata: { name: "other" }, spec: { replicas: 2 } }, 400);
    await put(`${apps}/deployments/absent/scale`, { metadata: { name: "absent" } }, 404);
    await post(`${core}/replicationcontrollers`, {
      metadata: { name: "rc" },
      spec: {
        replicas: 0,
        selector: { a: "rc" },
        template: { metadata: { labels: { a: "rc" } }, spec: { containers: [{ name: "a", image: "b" }] } },
      },
    });
    expect((await get(`${core}/replicationcontrollers/rc/scale`)).status.selector).toBe("a=rc");
  });

  test("binding: once, to a node, not while going", async () => {
    await post(`${core}/pods`, pod("bound"));
    expect(await bind("bound", "somewhere")).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      code: 201,
    });
    const now = await get(`${core}/pods/bound`);
    expect(now.spec.nodeName).toBe("somewhere");
    expect(now.status.conditions).toContainEqual(expect.objectContaining({ type: "PodScheduled", status: "True" }));
    const twice = await ok(
      cluster.request("POST", `${core}/pods/bound/binding`, { target: { kind: "Node", name: "elsewhere" } }),
      409,
    );
    expect(twice.message).toBe(
      'Operation cannot be fulfilled on pods/binding "bound": pod bound is already assigned to node "somewhere"',
    );
    await ok(
      cluster.request("POST", `${core}/pods/bound/binding`, {
        metadata: { name: "bound" },
        target: { kind: "Moon", name: "x" },
      }),
      422,
    );
    await ok(
      cluster.request("POST", `${core}/pods/bound/binding`, { metadata: { name: "bound" }, target: { kind: "Node" } }),
      422,
    );
    await ok(cluster.request("POST", `${core}/pods/absent/binding`, { target: { kind: "Node", name: "x" } }), 404);
    await post(`${core}/pods`, pod("collected"));
    await post(`${core}/bindings`, { metadata: { name: "collected" }, target: { kind: "Node", name: "somewhere" } });
    expect((await get(`${core}/pods/collected`)).spec.nodeName).toBe("somewhere");
    for (const name of ["bound", "collected"]) await remove(`${core}/pods/${name}`, { gracePeriodSeconds: 0 });
  });

  test("eviction deletes, with the options inside", async () => {
    await post(`${core}/pods`, pod("evicted", { nodeName: "nowhere" }));
    const evict = (body: object, status = 201) =>
      ok(cluster.request("POST", `${core}/pods/evicted/eviction`, body), status);
    await evict({ metadata: { name: "other" } }, 400);
    expect(
      await evict({
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "evicted" },
        deleteOptions: { gracePeriodSeconds: 77 },
      }),
    ).toMatchObject({ status: "Success" });
    expect((await get(`${core}/pods/evicted`)).metadata.deletionGracePeriodSeconds).toBe(77);
    await remove(`${core}/pods/evicted`, { gracePeriodSeconds: 0 });
    await evict({ metadata: { name: "evicted" } }, 404);
  });

  test("namespaces: finalize takes spec.finalizers, and the last one ends it", async () => {
    const path = "/api/v1/namespaces/ended";
    const created = await post("/api/v1/namespaces", { metadata: { name: "ended", finalizers: ["example.com/hold"] } });
    expect(created.spec.finalizers).toEqual(["kubernetes"]);
    expect(created.status).toEqual({ phase: "Active" });
    expect(created.metadata.labels).toEqual({ "kubernetes.io/metadata.name": "ended" });
    const unchanged = await patch(path, { spec: { finalizers: null }, metadata: { labels: { a: "b" } } });
    expect(unchanged.spec.finalizers).toEqual(["kubernetes"]);
    expect((await remove(path)).status.phase).toBe("Terminating");
    await put(`${path}/finalize`, { metadata: { name: "ended" }, spec: {} });
    expect((await get(path)).spec.finalizers).toBeUndefined();
    await patch(path, { metadata: { finalizers: null } });
    await gone(path);
  });

  test("reviews answer, and are not stored", async () => {
    expect(await cluster.kubectl("auth", "can-i", "create", "pods")).toBe("yes\n");
    const no = await cluster.run(["auth", "can-i", "create", "pods", "--as=jane"]);
    expect(no).toMatchObject({ code: 1, stdout: "no\n" });
    expect(await cluster.kubectl("auth", "whoami")).toMatch(
      /Username +kubernetes-admin\nGroups +\[system:masters system:authenticated\]/,
    );
    expect(await cluster.kubectl("auth", "can-i", "--list")).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
    const authorization = "/apis/authorization.k8s.io/v1";
    const resourceAttributes = { verb: "get", resource: "pods", namespace: "work" };
    expect(
      (await post(`${authorization}/subjectaccessreviews`, { spec: { user: "jane", resourceAttributes } })).status,
    ).toEqual({ allowed: false });
    expect(
      (
        await post(`${authorization}/subjectaccessreviews`, {
          spec: { user: "jane", groups: ["system:masters"], resourceAttributes },
        })
      ).status,
    ).toEqual({ allowed: true });
    expect(
      (
        await post(`${authorization}/subjectaccessreviews`, {
          spec: { user: "jane", nonResourceAttributes: { verb: "get", path: "/healthz" } },
        })
      ).status.allowed,
    ).toBe(true);
    await ok(cluster.request("POST", `${authorization}/subjectaccessreviews`, { spec: { resourceAttributes } }), 422);
    await ok(cluster.request("POST", `${authorization}/selfsubjectaccessreviews`, { spec: {} }), 422);
    const local = (namespace: string) =>
      cluster.request("POST", `${authorization}/namespaces/work/localsubjectaccessreviews`, {
        spec: { user: "jane", resourceAttributes: { ...resourceAttributes, namespace } },
      });
    expect((await ok(local("work"), 201)).status.allowed).toBe(false);
    await ok(local("other"), 422);
    const tokens = "/apis/authentication.k8s.io/v1/tokenreviews";
    expect((await post(tokens, { spec: { token: cluster.token } })).status).toMatchObject({
      authenticated: true,
      user: { username: "kubernetes-admin" },
    });
    expect((await post(tokens, { spec: { token: "nonsense" } })).status.authenticated).not.toBe(true);
    await ok(cluster.request("POST", tokens, { spec: {} }), 400);
  });

  test("component statuses are healthy", async () => {
    const shown = await cluster.kubectl("get", "componentstatuses", "--no-headers");
    for (const name of ["scheduler", "controller-manager", "etcd-0"])
      expect(shown).toMatch(new RegExp(`^${name} +Healthy +ok`, "m"));
    expect(await get("/api/v1/componentstatuses/etcd-0")).toMatchObject({
      kind: "ComponentStatus",
      conditions: [{ type: "Healthy", status: "True" }],
    });
    await ok(cluster.request("GET", "/api/v1/componentstatuses/etcd-1"), 404);
  });
});

describe("many operations in one", () => {
  const batch = (requests: unknown[]) => ok(cluster.request("POST", "/apis/edgeplane.dev/v1/batch", { requests }));

  test("each has its own result", async () => {
    const { responses } = await batch([
      { method: "POST", path: `${core}/configmaps`, body: configMap("batched-0") },
      { method: "POST", path: `${core}/configmaps`, body: configMap("batched-1") },
      { method: "POST", path: `${core}/configmaps`, body: configMap("Not A Name") },
      { method: "GET", path: `${core}/configmaps/absent` },
      { method: "DELETE", path: `${core}/configmaps/absent` },
      { method: "GET", path: "/apis/nobody.example.com/v1/things" },
    ]);
    expect(responses.map(({ code }: { code: number }) => code)).toEqual([201, 201, 422, 404, 404, 404]);
  });

  test("nothing in it reaches another cluster, streams, or nests", async () => {
    const { responses } = await batch([
      { method: "GET", path: "/clusters/other/api/v1/pods" },
      { method: "GET", path: `${core}/pods?%77atch=1` },
      { method: "GET", path: "/api/v1/watch/pods" },
      { method: "POST", path: "/apis/edgeplane.dev/v1/%62atch", body: { requests: [] } },
      { method: "GET", path: "/metrics" },
      { method: "BREW", path: `${core}/pods` },
      { path: 5 },
      null,
      { method: "GET", path: "/x", contentType: "a\nb" },
    ]);
    for (const { code } of responses) expect([400, 404]).toContain(code);
    await ok(cluster.request("POST", "/apis/edgeplane.dev/v1/batch", {}), 400);
    await ok(cluster.request("POST", "/apis/edgeplane.dev/v1/batch", "null"), 400);
    await ok(
      cluster.request("POST", "/apis/edgeplane.dev/v1/batch", {
        requests: Array.from({ length: 501 }, () => ({ method: "GET", path: "/" })),
      }),
      400,
    );
    await ok(
      cluster.request("POST", "/apis/edgeplane.dev/v1/batch", { requests: [] }, { "Impersonate-User": "jane" }),
      403,
    );
  });
});
