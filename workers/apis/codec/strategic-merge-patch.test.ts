import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { schemaTable } from "../schema-table.ts";
import type { StructInfo } from "../schema.ts";
import { StatusError } from "../../apimachinery/status-errors.ts";
import { applyStrategicMergePatch } from "../../apimachinery/patch/strategic-merge-patch.ts";

const deployment = schemaTable.structOfKind("apps", "v1", "Deployment") as StructInfo;
const pod = schemaTable.structOfKind("", "v1", "Pod") as StructInfo;
const service = schemaTable.structOfKind("", "v1", "Service") as StructInfo;
const node = schemaTable.structOfKind("", "v1", "Node") as StructInfo;
const serviceAccount = schemaTable.structOfKind("", "v1", "ServiceAccount") as StructInfo;

const apply = (original: object, patch: object, struct = pod): any =>
  applyStrategicMergePatch(original, patch, struct, schemaTable);

function failure(run: () => unknown): { code: number; message: string | undefined } {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.status.code, message: error.status.message };
    throw error;
  }
  throw new Error("no error");
}

const containers = (...names: string[]) => names.map((name) => ({ name, image: `${name}:1` }));
const spec = (value: object) => ({ spec: value });

describe("directives", () => {
  const vectors: [string, StructInfo, object, object, object][] = [
    ["empty patch", pod, spec({ containers: containers("a") }), {}, spec({ containers: containers("a") })],
    [
      "map members merge, null deletes",
      pod,
      { metadata: { labels: { a: "1", b: "2" } } },
      { metadata: { labels: { a: null, c: "3" } } },
      { metadata: { labels: { b: "2", c: "3" } } },
    ],
    [
      "unmatched nulls vanish",
      pod,
      {},
      { metadata: { labels: { a: null, b: "1" } } },
      { metadata: { labels: { b: "1" } } },
    ],
    [
      "list entries merge by key",
      pod,
      spec({ containers: containers("a", "b") }),
      spec({ containers: [{ name: "b", image: "b:2" }] }),
      spec({
        containers: [
          { name: "a", image: "a:1" },
          { name: "b", image: "b:2" },
        ],
      }),
    ],
    [
      "new list entries come first",
      pod,
      spec({ containers: containers("a", "b") }),
      spec({ containers: containers("c") }),
      spec({ containers: containers("c", "a", "b") }),
    ],
    [
      "list without strategy is replaced",
      pod,
      spec({ tolerations: [{ key: "a" }, { key: "b" }] }),
      spec({ tolerations: [{ key: "c" }] }),
      spec({ tolerations: [{ key: "c" }] }),
    ],
    [
      "$patch: delete of a list entry",
      pod,
      spec({ containers: containers("a", "b") }),
      spec({ containers: [{ name: "a", $patch: "delete" }] }),
      spec({ containers: containers("b") }),
    ],
    [
      "$patch: replace of a whole list",
      pod,
      spec({ containers: containers("a", "b") }),
      spec({ containers: [{ $patch: "replace" }, { name: "c", image: "c:1" }] }),
      spec({ containers: containers("c") }),
    ],
    [
      "$patch: replace of a map",
      deployment,
      spec({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } }),
      spec({ strategy: { $patch: "replace", type: "Recreate" } }),
      spec({ strategy: { type: "Recreate" } }),
    ],
    [
      "$patch: delete of a map",
      pod,
      spec({ nodeSelector: { a: "1" } }),
      spec({ nodeSelector: { $patch: "delete" } }),
      spec({ nodeSelector: {} }),
    ],
    [
      "$patch: replace inside a list entry",
      pod,
      spec({ containers: [{ name: "a", resources: { limits: { cpu: "1" } } }] }),
      spec({ containers: [{ name: "a", resources: { $patch: "replace", requests: { cpu: "1" } } }] }),
      spec({ containers: [{ name: "a", resources: { requests: { cpu: "1" } } }] }),
    ],
    [
      "directives do not stay where nothing was",
      pod,
      spec({}),
      spec({
        containers: [{ name: "a", $patch: "delete" }, { name: "b" }],
        nodeSelector: { $patch: "replace", x: "1" },
      }),
      spec({ containers: [{ name: "b" }] }),
    ],
    [
      "$retainKeys",
      deployment,
      spec({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } }),
      spec({ strategy: { $retainKeys: ["type"], type: "Recreate" } }),
      spec({ strategy: { type: "Recreate" } }),
    ],
    [
      "$retainKeys in list entries",
      pod,
      spec({ volumes: [{ name: "v", emptyDir: {} }] }),
      spec({ volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" } }] }),
      spec({ volumes: [{ name: "v", hostPath: { path: "/x" } }] }),
    ],
    [
      "primitive lists merge",
      pod,
      { metadata: { finalizers: ["a", "b"] } },
      { metadata: { finalizers: ["c", "a"] } },
      { metadata: { finalizers: ["c", "a", "b"] } },
    ],
    [
      "$deleteFromPrimitiveList",
      pod,
      { metadata: { finalizers: ["a", "b", "c"] } },
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["b", "x"] } },
      { metadata: { finalizers: ["a", "c"] } },
    ],
    [
      "$setElementOrder of primitives with deletion",
      pod,
      { metadata: { finalizers: ["a", "b", "c"] } },
      { metadata: { "$setElementOrder/finalizers": ["c", "a"], "$deleteFromPrimitiveList/finalizers": ["b"] } },
      { metadata: { finalizers: ["c", "a"] } },
    ],
    [
      "$setElementOrder alone reorders",
      pod,
      spec({ containers: containers("a", "b", "c") }),
      spec({ "$setElementOrder/containers": [{ name: "c" }, { name: "a" }] }),
      spec({ containers: containers("b", "c", "a") }),
    ],
    [
      "server-only entries keep their place",
      pod,
      spec({ containers: containers("a", "server", "b") }),
      spec({
        "$setElementOrder/containers": [{ name: "a" }, { name: "new" }, { name: "b" }],
        containers: containers("new"),
      }),
      spec({ containers: containers("a", "new", "server", "b") }),
    ],
    [
      "$setElementOrder with a deletion",
      pod,
      spec({ containers: containers("a", "b") }),
      spec({
        "$setElementOrder/containers": [{ name: "b" }, { name: "c" }],
        containers: [...containers("c"), { name: "a", $patch: "delete" }],
      }),
      spec({ containers: containers("b", "c") }),
    ],
    [
      "ports of a service merge by port",
      service,
      spec({ ports: [{ port: 80, name: "x" }] }),
      spec({ ports: [{ port: 80, targetPort: 8080 }, { port: 443 }] }),
      spec({ ports: [{ port: 80, name: "x", targetPort: 8080 }, { port: 443 }] }),
    ],
    [
      "conditions of a node merge by type",
      node,
      {
        status: {
          conditions: [
            { type: "Ready", status: "False" },
            { type: "X", status: "True" },
          ],
        },
      },
      { status: { conditions: [{ type: "Ready", status: "True" }] } },
      {
        status: {
          conditions: [
            { type: "Ready", status: "True" },
            { type: "X", status: "True" },
          ],
        },
      },
    ],
    [
      "a value of another type is replaced",
      service,
      spec({ ports: [{ port: 80, targetPort: "web" }] }),
      spec({ ports: [{ port: 80, targetPort: 8080 }] }),
      spec({ ports: [{ port: 80, targetPort: 8080 }] }),
    ],
    [
      "secrets of a service account merge, imagePullSecrets do not",
      serviceAccount,
      { secrets: [{ name: "a" }], imagePullSecrets: [{ name: "a" }] },
      { secrets: [{ name: "b" }], imagePullSecrets: [{ name: "b" }] },
      { secrets: [{ name: "b" }, { name: "a" }], imagePullSecrets: [{ name: "b" }] },
    ],
  ];
  test.each(vectors)("%s", (_name, struct, original, patch, expected) => {
    const before = JSON.stringify([original, patch]);
    expect(apply(original, patch, struct)).toEqual(expected);
    expect(JSON.stringify([original, patch])).toBe(before);
  });

  test("a key named __proto__ is data", () => {
    const configMap = schemaTable.structOfKind("", "v1", "ConfigMap") as StructInfo;
    const patched = apply({ data: { a: "1" } }, JSON.parse('{"data":{"__proto__":"x"}}'), configMap);
    expect(JSON.stringify(patched)).toBe('{"data":{"a":"1","__proto__":"x"}}');
  });
});

describe("errors", () => {
  const live = spec({ containers: containers("a"), nodeSelector: { a: "1" } });
  test.each<[string, object, number, string]>([
    [
      "no merge key",
      spec({ containers: [{ image: "x" }] }),
      500,
      "map: map[image:x] does not contain declared merge key: name",
    ],
    [
      "unknown directive",
      spec({ nodeSelector: { $patch: "frob" } }),
      500,
      "unknown patch type: frob in map: map[$patch:frob]",
    ],
    [
      "merge directive in a list",
      spec({ containers: [{ name: "a", $patch: "merge" }] }),
      500,
      "merging lists cannot yet be specified in the patch",
    ],
    [
      "$retainKeys that misses a member",
      spec({ nodeSelector: { $retainKeys: ["b"], c: "1" } }),
      400,
      "invalid patch format of retainKeys",
    ],
    [
      "$setElementOrder without a list name",
      spec({ $setElementOrder: ["b"] }),
      400,
      "invalid patch format of setElementOrder list",
    ],
    [
      "$deleteFromPrimitiveList without a list name",
      spec({ $deleteFromPrimitiveList: ["b"] }),
      400,
      "invalid patch format of primitive list",
    ],
    [
      "mixed elements",
      spec({ containers: ["x"] }),
      500,
      "list element types are not identical: [map[image:a:1 name:a]] [x]",
    ],
  ])("%s", (_name, patch, code, message) => {
    expect(failure(() => apply(live, patch))).toEqual({ code, message });
  });

  test("an entry missing from the order list", () => {
    const patch = spec({ "$setElementOrder/containers": [{ name: "a" }], containers: containers("b") });
    expect(failure(() => apply(live, patch)).message).toMatch(/^The order in patch list:\n/);
  });
});

/** The two-way diff of a client, for a map of containers (order aside) with one scalar and one map each. */
type Model = Record<string, { image: string; env: Record<string, string> }>;

function toPod(model: Model) {
  return spec({
    containers: Object.entries(model).map(([name, { image, env }]) => ({
      name,
      image,
      env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    })),
  });
}

function fromPod(object: any): Model {
  return Object.fromEntries(
    object.spec.containers.map((container: any) => [
      container.name,
      {
        image: container.image,
        env: Object.fromEntries((container.env ?? []).map((entry: any) => [entry.name, entry.value])),
      },
    ]),
  );
}

function diff(from: Model, to: Model): object {
  const changes: object[] = [];
  for (const name of Object.keys(from)) if (!(name in to)) changes.push({ name, $patch: "delete" });
  for (const [name, { image, env }] of Object.entries(to)) {
    const old = from[name]?.env ?? {};
    const envChanges = [
      ...Object.keys(old)
        .filter((key) => !(key in env))
        .map((key) => ({ name: key, $patch: "delete" })),
      ...Object.entries(env)
        .filter(([key, value]) => old[key] !== value)
        .map(([key, value]) => ({ name: key, value })),
    ];
    changes.push({ name, image, ...(envChanges.length > 0 ? { env: envChanges } : {}) });
  }
  return spec({ containers: changes });
}

const names = fc.constantFrom("a", "b", "c", "d", "e");
const models: fc.Arbitrary<Model> = fc.dictionary(
  names,
  fc.record({ image: fc.constantFrom("i1", "i2"), env: fc.dictionary(names, fc.constantFrom("1", "2")) }),
);

test("a diff brings the original to the modified object, and applying it twice changes nothing more", () => {
  fc.assert(
    fc.property(models, models, (from, to) => {
      const patch = diff(from, to);
      const once = apply(toPod(from), patch);
      expect(fromPod(once)).toEqual(to);
      expect(apply(once, patch)).toEqual(once);
      expect(apply(once, {})).toEqual(once);
    }),
    { seed: 20261, numRuns: 300 },
  );
});

test("the order of $setElementOrder wins, and nothing is lost or doubled", () => {
  const lists = fc.uniqueArray(fc.constantFrom<string>("a", "b", "c", "d", "e", "f"));
  fc.assert(
    fc.property(lists, lists, (live, order) => {
      const wanted = order.filter((name) => !live.includes(name));
      const patched = apply(
        spec({ containers: containers(...live) }),
        spec({ "$setElementOrder/containers": order.map((name) => ({ name })), containers: containers(...wanted) }),
      );
      const result = (patched.spec.containers ?? []).map((container: any) => container.name) as string[];
      expect([...result].sort()).toEqual([...new Set([...live, ...order])].sort());
      expect(result.filter((name) => order.includes(name))).toEqual(order);
      expect(result.filter((name) => !order.includes(name))).toEqual(live.filter((name) => !order.includes(name)));
    }),
    { seed: 20262, numRuns: 300 },
  );
});
