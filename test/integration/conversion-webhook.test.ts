import { createServer } from "node:https";
import type { Server } from "node:https";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPki } from "../../scripts/lib/pki.ts";
import { eventually, TestCluster } from "../support/cluster.ts";

/** A kind whose v1 calls `spec.host` and `spec.port` what its v2 calls `spec.address`, converted by a webhook over HTTPS. */
let cluster: TestCluster;
let webhook: Server;
const reviews: any[] = [];
let broken = false;
const directory = mkdtempSync(join(tmpdir(), "edgeplane-webhook-"));
const path = (version: string) => `/apis/hooks.example.com/${version}/namespaces/default/targets`;

function convert(object: any, desired: string): any {
  const { host, port, address } = object.spec;
  const spec = desired.endsWith("/v2")
    ? { address: address ?? `${host}:${port}` }
    : { host: host ?? address.split(":")[0], port: port ?? Number(address.split(":")[1]) };
  return { ...object, apiVersion: desired, spec };
}

beforeAll(async () => {
  const pki = await readPki(join(directory, "pki"));
  webhook = createServer({ key: pki.key, cert: pki.certificate }, (request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const review = JSON.parse(body);
      reviews.push(review);
      const { uid, desiredAPIVersion, objects } = review.request;
      const answer = broken
        ? { uid, result: { status: "Failure", message: "the converter is out of order" } }
        : {
            uid,
            result: { status: "Success" },
            convertedObjects: objects.map((object: any) => convert(object, desiredAPIVersion)),
          };
      response.setHeader("Content-Type", "application/json");
      response.end(
        JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", response: answer }),
      );
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  cluster = await TestCluster.start({
    nodes: 0,
    variables: { NODE_EXTRA_CA_CERTS: join(directory, "pki", "ca.crt") },
  });
  const schema = (properties: object) => ({
    openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
  });
  const { status, text } = await cluster.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "targets.hooks.example.com" },
    spec: {
      group: "hooks.example.com",
      scope: "Namespaced",
      names: { plural: "targets", kind: "Target" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: schema({ host: { type: "string" }, port: { type: "integer" } }),
        },
        { name: "v2", served: true, storage: false, schema: schema({ address: { type: "string" } }) },
      ],
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { url: `https://localhost:${(webhook.address() as AddressInfo).port}/convert` },
        },
      },
    },
  });
  expect(status, text).toBe(201);
  await eventually("the kind is served", async () => (await cluster.request("GET", path("v2"))).status === 200);
});
afterAll(async () => {
  await cluster?.stop();
  webhook?.closeAllConnections();
  await new Promise((resolve) => webhook.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

test("an object created in one version is stored in the other, and read in both", async () => {
  const created = await cluster.request("POST", path("v2"), {
    apiVersion: "hooks.example.com/v2",
    kind: "Target",
    metadata: { name: "one" },
    spec: { address: "db:5432" },
  });
  expect(created.status, created.text).toBe(201);
  expect(created.json).toMatchObject({ apiVersion: "hooks.example.com/v2", spec: { address: "db:5432" } });
  expect((await cluster.request("GET", `${path("v1")}/one`)).json).toMatchObject({
    apiVersion: "hooks.example.com/v1",
    spec: { host: "db", port: 5432 },
  });
  expect(reviews.some(({ request }) => request.desiredAPIVersion === "hooks.example.com/v1")).toBe(true);
});

test("lists, watches and patches go through the webhook as well", async () => {
  const list = (await cluster.request("GET", path("v2"))).json;
  expect(list.items).toMatchObject([{ apiVersion: "hooks.example.com/v2", spec: { address: "db:5432" } }]);
  const patched = await cluster.request(
    "PATCH",
    `${path("v2")}/one`,
    { spec: { address: "db:6000" } },
    { "Content-Type": "application/merge-patch+json" },
  );
  expect(patched.json).toMatchObject({ spec: { address: "db:6000" } });
  expect((await cluster.request("GET", `${path("v1")}/one`)).json.spec).toEqual({ host: "db", port: 6000 });
  const watch = await cluster.request(
    "GET",
    `${path("v2")}?watch=1&timeoutSeconds=1&resourceVersion=${list.metadata.resourceVersion}`,
  );
  const [event] = watch.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(event).toMatchObject({
    type: "MODIFIED",
    object: { apiVersion: "hooks.example.com/v2", spec: { address: "db:6000" } },
  });
});

test("a webhook that refuses fails the request with its words; the stored version is still to be had", async () => {
  broken = true;
  const { status, json } = await cluster.request("GET", `${path("v2")}/one`);
  expect(status).toBe(500);
  expect(json.message).toContain("the converter is out of order");
  expect((await cluster.request("GET", `${path("v1")}/one`)).status).toBe(200);
  broken = false;
});
