import { expect, test } from "vitest";
import { compile } from "./environment.ts";
import { CelError } from "./errors.ts";
import type { PolicyInput, PolicyOptions } from "./policy-environment.ts";
import { policyActivation, policyEnvironment } from "./policy-environment.ts";
import { toJson } from "./to-json.ts";
import { intType } from "./types.ts";

const request = {
  kind: { group: "apps", version: "v1", kind: "Deployment" },
  operation: "CREATE",
  userInfo: { username: "u", groups: ["g"] },
  options: { dryRun: ["All"] },
};

function run(source: string, input: Partial<PolicyInput> = {}, options: PolicyOptions = {}): unknown {
  const { program, error } = compile(source, policyEnvironment(options));
  if (program === undefined) return error;
  const outcome = program.evaluate(policyActivation({ request, ...input }));
  return outcome.error === undefined ? toJson(outcome.value) : `error: ${outcome.error}`;
}

test("the object has no schema, the request has one", () => {
  const object = { spec: { replicas: 3 }, metadata: { labels: { a: "b" } } };
  expect(run("object.spec.replicas <= 5 && oldObject == null && !has(object.status)", { object })).toBe(true);
  expect(
    run("request.kind.group == 'apps' && 'g' in request.userInfo.groups && request.options.dryRun[0] == 'All'"),
  ).toBe(true);
  expect(run("request.nothing")).toContain("undefined field 'nothing'");
  expect(run("params.x")).toContain("undeclared reference to 'params'");
  expect(run("params.x == 1", { params: { x: 1 } }, { params: true })).toBe(true);
  expect(
    run("namespaceObject.metadata.creationTimestamp.getFullYear()", {
      namespaceObject: { metadata: { name: "n", creationTimestamp: "2026-05-01T00:00:00Z" } },
    }),
  ).toBe(2026);
});

test("a variable is evaluated at most once, and only when it is read", () => {
  const read: string[] = [];
  const variable = (name: string) => {
    read.push(name);
    if (name === "bad") throw new CelError("broken");
    return 2n;
  };
  const options = { variables: { two: intType, bad: intType } };
  expect(run("variables.two + variables.two == 4 || variables.bad == 1", { variable }, options)).toBe(true);
  expect(read).toEqual(["two"]);
  expect(run("variables.bad == 1", { variable }, options)).toBe("error: broken");
  expect(run("variables.other == 1", { variable }, options)).toContain("undefined field 'other'");
});

test("mutating policies make objects and patches", () => {
  const mutation = { mutation: true };
  expect(
    run(
      "Object{spec: Object.spec{replicas: object.spec.replicas + 1, ?paused: optional.none()}}",
      { object: { spec: { replicas: 1 } } },
      mutation,
    ),
  ).toEqual({
    spec: { replicas: 2 },
  });
  expect(
    run("[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b~c'), value: 'x'}]", {}, mutation),
  ).toEqual([{ op: "add", path: "/metadata/labels/a~1b~0c", value: "x" }]);
  expect(run("JSONPatch{op: 1}", {}, mutation)).toContain(
    "expected type of field 'op' is 'string' but provided type is 'int'",
  );
  expect(run("Object{}")).toContain("undeclared reference to 'Object'");
});

test("authorizer.requestResource", () => {
  const authorize = (attributes: unknown) => ({
    allowed: JSON.stringify(attributes).includes('"pods"'),
    reason: "",
    error: "",
  });
  const input = { authorize, requestResource: { group: "", resource: "pods" } };
  expect(run("authorizer.requestResource.check('get').allowed()", input, { authorizer: true })).toBe(true);
  expect(run("authorizer.group('').resource('nodes').check('get').allowed()", input, { authorizer: true })).toBe(false);
});
