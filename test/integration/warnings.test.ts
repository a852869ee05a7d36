import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestCluster } from "../support/cluster.ts";

/** `Warning` headers; the texts of each kind are tested beside workers/apis/warnings. */
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0 });
});
afterAll(() => cluster?.stop());

const negativeGrace = "must be >= 0; negative values are invalid and will be treated as 1";

async function warningsOf(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await cluster.request(method, path, body, headers);
  expect([response.status, response.status < 300 ? "" : response.text]).toEqual([response.status, ""]);
  const header = response.headers["warning"] ?? [];
  const text = Array.isArray(header) ? header.join(", ") : header;
  return [...text.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted]) => quoted!.replaceAll(/\\(.)/g, "$1"));
}

const template = (spec: object = {}) => ({
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

describe("deprecated API versions", () => {
  const endpoints = "/api/v1/namespaces/default/endpoints";
  const warning = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";

  test("warn on every verb", async () => {
    expect(await warningsOf("POST", endpoints, { metadata: { name: "e" } })).toEqual([warning]);
    expect(await warningsOf("GET", endpoints)).toEqual([warning]);
    expect(await warningsOf("GET", `${endpoints}/e`)).toEqual([warning]);
    expect(await warningsOf("PUT", `${endpoints}/e`, { metadata: { name: "e" } })).toEqual([warning]);
    expect(await warningsOf("DELETE", `${endpoints}/e`)).toEqual([warning]);
    expect(await warningsOf("GET", "/api/v1/componentstatuses")).toEqual([
      "v1 ComponentStatus is deprecated in v1.19+",
    ]);
    expect(await warningsOf("GET", "/api/v1/namespaces/default/services")).toEqual([]);
  });

  test("and kubectl shows it", async () => {
    expect((await cluster.run(["get", "endpoints"])).stderr).toContain(`Warning: ${warning}\n`);
  });
});

describe("on creation", () => {
  const pods = "/api/v1/namespaces/default/pods";
  const body = (name: string, rest: object = {}) => ({
    metadata: { name, ...rest },
    spec: template({ terminationGracePeriodSeconds: -1 }).spec,
  });
  const expected = [`spec.terminationGracePeriodSeconds: ${negativeGrace}`];

  test("of a pod, whichever way it is made, also as a dry run", async () => {
    expect(await warningsOf("POST", pods, body("a"))).toEqual(expected);
    expect(await warningsOf("POST", `${pods}?dryRun=All`, body("b"))).toEqual(expected);
    expect(await warningsOf("POST", pods, body("", { generateName: "c-" }))).toEqual(expected);
    const apply = { "Content-Type": "application/apply-patch+yaml" };
    const applied = { apiVersion: "v1", kind: "Pod", ...body("d") };
    expect(await warningsOf("PATCH", `${pods}/d?fieldManager=x`, applied, apply)).toEqual(expected);
  });

  test("not of one that is refused", async () => {
    const response = await cluster.request("POST", pods, { ...body("UPPER") });
    expect(response.status).toBe(422);
    expect(response.headers["warning"]).toBeUndefined();
  });
});

describe("on an update", () => {
  test("of a workload's template, but not of its status or labels", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const spec = { replicas: 0, selector: { matchLabels: { app: "a" } }, template: template() };
    const merge = { "Content-Type": "application/merge-patch+json" };
    const patch = (body: object, suffix = "") => warningsOf("PATCH", `${path}/d${suffix}`, body, merge);
    expect(await warningsOf("POST", path, { metadata: { name: "d" }, spec })).toEqual([]);
    const changed = { spec: { template: { spec: { terminationGracePeriodSeconds: -1 } } } };
    const warning = `spec.template.spec.terminationGracePeriodSeconds: ${negativeGrace}`;
    expect(await patch(changed)).toEqual([warning]);
    expect(await patch({ metadata: { labels: { a: "b" } } })).toEqual([]);
    expect(await patch({ status: { observedGeneration: 1 } }, "/status")).toEqual([]);
    expect(await patch({ spec: { replicas: 1 } })).toEqual([warning]);
  });

  test("of a service, each time", async () => {
    const path = "/api/v1/namespaces/default/services";
    const spec = { clusterIP: "None", sessionAffinity: "ClientIP", ports: [{ port: 80 }] };
    const warning = "spec.SessionAffinity is ignored for headless services";
    expect(await warningsOf("POST", path, { metadata: { name: "s" }, spec })).toEqual([warning]);
    const merge = { "Content-Type": "application/merge-patch+json" };
    expect(await warningsOf("PATCH", `${path}/s`, { metadata: { labels: { a: "b" } } }, merge)).toEqual([warning]);
  });
});

test("custom objects are warned of finalizers without a path, once", async () => {
  await cluster.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  });
  await cluster.kubectl("wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=30s");
  const path = "/apis/example.com/v1/namespaces/default/widgets";
  const object = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", finalizers: ["cleanup"] } };
  expect(await warningsOf("POST", path, object)).toEqual([
    'metadata.finalizers: "cleanup": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
  ]);
  const merge = { "Content-Type": "application/merge-patch+json" };
  expect(await warningsOf("PATCH", `${path}/w`, { spec: { a: 1 } }, merge)).toEqual([]);
});
