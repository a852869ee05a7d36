import { expect, test } from "vitest";
import { configMapsResource, namespacesResource, serviceAccountsResource } from "../gvrs.ts";
import { newRootCACertPublisher, rootCACertConfigMapName } from "../rootcacertpublisher/root-ca-cert-publisher.ts";
import { ControllerHarness } from "../testing/controller-harness.ts";
import { newServiceAccountsController } from "./service-accounts-controller.ts";

test("active namespaces have a default account and the CA bundle, and get them back", async () => {
  const harness = new ControllerHarness();
  harness.client.seed([
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" }, status: { phase: "Active" } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "b" }, status: { phase: "Terminating" } },
  ]);
  await harness.start(
    newServiceAccountsController(harness.context),
    newRootCACertPublisher(harness.context, { rootCA: "PEM" }),
  );
  const accounts = (): string[] =>
    harness.client.all(serviceAccountsResource).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const bundles = (): unknown[] => harness.client.all(configMapsResource).map((each) => each["data"]);
  expect(accounts()).toEqual(["a/default"]);
  expect(bundles()).toEqual([{ "ca.crt": "PEM" }]);
  harness.takeRequests();

  await harness.client.delete(serviceAccountsResource, "a", "default");
  await harness.client.patch(configMapsResource, "a", rootCACertConfigMapName, "application/merge-patch+json", {
    data: { "ca.crt": "forged", more: "x" },
  });
  await harness.client.create(namespacesResource, undefined, { kind: "Namespace", metadata: { name: "c" } });
  await harness.settle();
  expect(accounts()).toEqual(["a/default", "c/default"]);
  expect(bundles()).toEqual([{ "ca.crt": "PEM" }, { "ca.crt": "PEM" }]);
  harness.takeRequests();
  await harness.advance(600_000, 60_000);
  expect(harness.takeRequests()).toEqual([]);
  await harness.stop();
});
