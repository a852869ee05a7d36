import { expect, test } from "vitest";
import type { StatusError } from "../../apimachinery/status-errors.ts";
import { decodePatched } from "./decode-patched.ts";

const gvk = { group: "apps", version: "v1", kind: "Deployment" };
const patched = (spec: object) => ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec });

function statusOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    return (error as StatusError).status;
  }
  throw new Error("no error");
}

test("a strategic merge patch of a wrong type quotes the patch", () => {
  const patch = { spec: { replicas: "x" } };
  expect(
    statusOf(() => decodePatched(patched({ replicas: "x" }), gvk, patch, "Strict", { strategic: true })),
  ).toMatchObject({
    code: 422,
    reason: "Invalid",
    message: ' "" is invalid: patch: Invalid value: "map[spec:map[replicas:x]]": unrecognized type: int32',
  });
});

test("another patch of a wrong type quotes the object", () => {
  const object = patched({ replicas: "x" });
  expect(statusOf(() => decodePatched(object, gvk, [], "Strict", { strategic: false })).message).toBe(
    ` "" is invalid: patch: Invalid value: ${JSON.stringify(JSON.stringify(object))}: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`,
  );
});

test("unknown fields are refused, warned about or dropped", () => {
  const patch = { spec: { foo: 1 } };
  expect(statusOf(() => decodePatched(patched({ foo: 1 }), gvk, patch, "Strict")).message).toBe(
    ' "" is invalid: patch: Invalid value: "map[spec:map[foo:1]]": strict decoding error: unknown field "spec.foo"',
  );
  expect(decodePatched(patched({ foo: 1 }), gvk, patch, "Warn").warnings).toEqual(['unknown field "spec.foo"']);
  expect(decodePatched(patched({ foo: 1 }), gvk, patch, "Ignore").object.spec.foo).toBeUndefined();
});

test("of a custom object the metadata is checked", () => {
  const custom = { group: "example.com", version: "v1", kind: "Wire" };
  const object = {
    kind: "Wire",
    apiVersion: "example.com/v1",
    metadata: { name: "a", labels: { n: 1 } },
    spec: { x: 1 },
  };
  const decode = (metadata: object) =>
    decodePatched({ ...object, metadata }, custom, {}, "Strict", { strategic: false });
  expect(statusOf(() => decode(object.metadata))).toMatchObject({ code: 422, reason: "Invalid" });
  expect(statusOf(() => decode({ finalizers: "x" })).code).toBe(422);
  expect(decode({ name: "a" }).object).toEqual({ ...object, metadata: { name: "a" } });
});
