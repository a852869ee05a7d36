import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StatusError } from "../../apimachinery/status-errors.ts";
import { schemaTable } from "../schema-table.ts";
import type { FieldInfo, StructInfo, TypeRef } from "../schema.ts";
import { decodeObject } from "./decode.ts";
import bodies from "./kubectl-bodies.json" with { type: "json" };
import { normalizeObject } from "./normalize.ts";
import { decodeProtobuf, encodeProtobuf, encodeProtobufObject, encodeWatchEvent } from "./protobuf.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));
const decodeBytes = (bytes: Uint8Array) =>
  decodeObject(bytes, protobuf, undefined, { fieldValidation: "Strict" }).object;
const container = (name: string, image: string, more: object = {}) => ({ name, image, ...more, resources: {} });

/** What kubectl 1.35 sent for `create deployment`, `create configmap` and so on, in the order of the file. */
const expected = [
  {
    kind: "Deployment",
    apiVersion: "apps/v1",
    metadata: { name: "web", labels: { app: "web" } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      strategy: {},
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [container("nginx", "nginx:1.27", { ports: [{ containerPort: 80 }] })] },
      },
    },
    status: {},
  },
  {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "conf" },
    data: { a: "1" },
    binaryData: { "bin.dat": "//4=" },
  },
  { kind: "Namespace", apiVersion: "v1", metadata: { name: "team" }, spec: {}, status: {} },
  {
    kind: "Job",
    apiVersion: "batch/v1",
    metadata: { name: "once" },
    spec: {
      template: {
        metadata: {},
        spec: { containers: [container("once", "busybox:1", { command: ["echo", "hi"] })], restartPolicy: "Never" },
      },
    },
    status: {},
  },
  {
    kind: "ResourceQuota",
    apiVersion: "v1",
    metadata: { name: "q" },
    spec: { hard: { cpu: "1500m", pods: "5" }, scopes: ["BestEffort"] },
    status: {},
  },
  {
    kind: "Service",
    apiVersion: "v1",
    metadata: { name: "svc", labels: { app: "svc" } },
    spec: {
      ports: [
        { name: "80-web", protocol: "TCP", port: 80, targetPort: "web" },
        { name: "443-8443", protocol: "TCP", port: 443, targetPort: 8443 },
      ],
      selector: { app: "svc" },
      type: "ClusterIP",
    },
    status: { loadBalancer: {} },
  },
  {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {},
    spec: {
      audiences: [],
      boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid: "u" },
      expirationSeconds: 600,
    },
    status: { token: "", expirationTimestamp: null },
  },
  { kind: "Secret", apiVersion: "v1", metadata: { name: "s" }, data: { x: "eQ==" } },
  {
    kind: "SelfSubjectAccessReview",
    apiVersion: "authorization.k8s.io/v1",
    metadata: {},
    spec: { resourceAttributes: { namespace: "default", verb: "list", resource: "pods.v1.apps", subresource: "log" } },
    status: { allowed: false },
  },
  {
    kind: "CronJob",
    apiVersion: "batch/v1",
    metadata: { name: "c" },
    spec: {
      schedule: "*/5 * * * *",
      jobTemplate: {
        metadata: { name: "c" },
        spec: {
          template: { metadata: {}, spec: { containers: [container("c", "busybox:1")], restartPolicy: "OnFailure" } },
        },
      },
    },
    status: {},
  },
  {
    kind: "PodDisruptionBudget",
    apiVersion: "policy/v1",
    metadata: { name: "p" },
    spec: { minAvailable: "50%", selector: { matchLabels: { app: "a" } } },
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  },
];

describe("bodies of kubectl", () => {
  test.each(bodies.map((body, index) => [expected[index]?.kind ?? "?", body, expected[index]] as const))(
    "%s",
    (_kind, body, object) => {
      expect(decodeBytes(bytesOf(body))).toEqual(object);
    },
  );
});

/** Any value of a type, in the form that normalizeObject leaves. */
function valueOf(type: TypeRef, depth: number): fc.Arbitrary<unknown> {
  const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom("a", "ü", "__proto__", ""));
  const seconds = fc.integer({ min: 1, max: 4_000_000_000 });
  const rfc3339 = seconds.map((value) => new Date(value * 1000).toISOString().slice(0, 19));
  switch (type.kind) {
    case "string":
      return text;
    case "bool":
      return fc.boolean();
    case "int32":
      return fc.integer();
    case "int64":
      return fc.maxSafeInteger();
    case "float64":
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    case "bytes":
      return fc.uint8Array({ maxLength: 6 }).map((value) => Buffer.from(value).toString("base64"));
    case "quantity":
      return fc.constantFrom("0", "1", "250m", "1Gi", "1500Mi", "1e3");
    case "intOrString":
      return fc.oneof(fc.integer(), text);
    case "time":
      return rfc3339.map((value) => `${value}Z`);
    case "microTime":
      return fc
        .tuple(rfc3339, fc.integer({ min: 0, max: 999_999 }))
        .map(([value, micros]) => `${value}.${String(micros).padStart(6, "0")}Z`);
    case "duration":
      return fc.constantFrom("0s", "1m30s", "100ms");
    case "rawExtension":
    case "fieldsV1":
      return fc.dictionary(fc.constantFrom("f:a", "b"), fc.oneof(fc.integer(), fc.constant({})));
    case "json":
      switch (type.union) {
        case "JSONSchemaPropsOrBool":
          return fc.constantFrom(true, false, { type: "string" });
        case "JSONSchemaPropsOrArray":
          return fc.constantFrom({ type: "string" }, [{ type: "string" }, {}]);
        case "JSONSchemaPropsOrStringArray":
          return fc.constantFrom({ type: "string" }, ["a", "b"]);
        default:
          return fc.constantFrom(1, "x", [1, "y"], { a: true });
      }
    case "array":
      return fc.array(valueOf(type.items, depth), { maxLength: 2 });
    case "map":
      return fc.dictionary(fc.constantFrom("a", "b/c", "constructor"), valueOf(type.values, depth), { maxKeys: 2 });
    case "struct":
      return objectOf(schemaTable.struct(type.name) as StructInfo, depth - 1);
  }
}

function objectOf(struct: StructInfo, depth: number): fc.Arbitrary<object> {
  const recursive = (field: FieldInfo) => JSON.stringify(field.type).includes('"struct"');
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const field of struct.fields.values()) {
    if (field.protobuf === 0 || (depth <= 0 && recursive(field))) continue;
    members[field.name] = valueOf(field.type, depth);
  }
  return fc.record(members, { requiredKeys: [] });
}

describe("round trips", () => {
  test.each<[string, string, string]>([
    ["", "v1", "Pod"],
    ["", "v1", "Service"],
    ["", "v1", "Event"],
    ["", "v1", "Secret"],
    ["", "v1", "PodList"],
    ["apps", "v1", "StatefulSet"],
    ["apps", "v1", "ControllerRevision"],
    ["coordination.k8s.io", "v1", "Lease"],
    ["authorization.k8s.io", "v1", "SubjectAccessReview"],
    ["admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy"],
    ["apiextensions.k8s.io", "v1", "CustomResourceDefinition"],
    ["", "v1", "Status"],
    ["", "v1", "DeleteOptions"],
  ])("%s/%s %s", (group, version, kind) => {
    const struct = schemaTable.structOfKind(group, version, kind) as StructInfo;
    fc.assert(
      fc.property(objectOf(struct, 4), (value) => {
        const object = normalizeObject(value, struct).object;
        expect(decodeProtobuf(struct, encodeProtobuf(struct, object))).toEqual(object);
      }),
      { seed: 77, numRuns: 60 },
    );
  });

  test("the object of a watch event is one in an envelope", () => {
    const struct = schemaTable.structOfKind("", "v1", "ConfigMap") as StructInfo;
    const watchEvent = schemaTable.structOfKind("", "v1", "WatchEvent") as StructInfo;
    const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { k: "v" } };
    const frame = encodeWatchEvent("ADDED", encodeProtobufObject(struct, object));
    expect(decodeProtobuf(watchEvent, frame)).toEqual({ type: "ADDED", object });
  });

  test("unknown numbers are skipped", () => {
    const struct = schemaTable.structOfKind("", "v1", "ConfigMap") as StructInfo;
    const known = encodeProtobuf(struct, { metadata: { name: "a" } });
    const unknown = [0xf8, 0x06, 0x96, 0x01, 0xfa, 0x06, 0x02, 1, 2];
    expect(decodeProtobuf(struct, new Uint8Array([...unknown, ...known]))).toEqual({ metadata: { name: "a" } });
  });
});

describe("hostile bytes", () => {
  const codeOf = (bytes: Uint8Array): number => {
    try {
      decodeBytes(bytes);
      return 200;
    } catch (error) {
      if (error instanceof StatusError) return error.status.code;
      throw error;
    }
  };
  const envelope = (...message: number[]) => {
    const typeMeta = [0x0a, 9, 0x0a, 2, 0x76, 0x31, 0x12, 3, 0x50, 0x6f, 0x64];
    return new Uint8Array([0x6b, 0x38, 0x73, 0, ...typeMeta, 0x12, message.length, ...message]);
  };

  test.each<[string, Uint8Array]>([
    ["nothing", new Uint8Array()],
    ["no magic", new Uint8Array([1, 2, 3, 4, 5])],
    ["a length beyond the end", envelope(0x0a, 0x7f, 0x01)],
    ["a huge length", envelope(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f)],
    ["a varint without end", envelope(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)],
    ["a group", envelope(0x0b, 0x0c)],
    ["a wrong wire type", envelope(0x08, 0x01)],
    ["field number zero", envelope(0x02, 0x00)],
  ])("%s is a 400", (_name, bytes) => {
    expect(codeOf(bytes)).toBe(400);
  });

  test("messages nested without end", () => {
    const crd = schemaTable.structOfKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition") as StructInfo;
    let schema: object = {};
    for (let level = 0; level < 60; level++) schema = { not: schema };
    const nested = (value: object) =>
      encodeProtobufObject(crd, {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        ...{ spec: { versions: [{ schema: { openAPIV3Schema: value } }] } },
      });
    expect(codeOf(nested(schema))).toBe(200);
    for (let level = 0; level < 60; level++) schema = { not: schema };
    expect(codeOf(nested(schema))).toBe(400);
  });

  test("damaged bodies decode or are refused, nothing else", () => {
    const damaged = fc
      .tuple(
        fc.constantFrom(...bodies.map(bytesOf)),
        fc.nat(),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
      )
      .map(([body, length, changes]) => {
        const copy = body.slice(0, length % 3 === 0 ? length % body.length : body.length);
        for (const [at, byte] of changes) if (copy.length > 0) copy[at % copy.length] = byte;
        return copy;
      });
    fc.assert(
      fc.property(damaged, (bytes) => {
        expect([200, 400]).toContain(codeOf(bytes));
      }),
      { seed: 78, numRuns: 2000 },
    );
  });
});
