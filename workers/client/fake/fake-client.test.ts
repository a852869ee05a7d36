import { expect, test } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../apimachinery/status-errors.ts";
import type { WatchEvent } from "../../apimachinery/watch-event.ts";
import { newFakeClient } from "./fake-client.ts";
import { settled } from "./settled.ts";

const pods = { group: "", version: "v1", resource: "pods" };
const deployments = { group: "apps", version: "v1", resource: "deployments" };
const pod = (name: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...more },
  spec: { containers: [{ name: "c", image: "i" }] },
});

test("creates with metadata, refuses duplicates, makes names", async () => {
  const client = newFakeClient();
  const created = await client.create(pods, "default", { ...pod("a"), status: { phase: "Running" } });
  expect(created.metadata).toMatchObject({ name: "a", namespace: "default", resourceVersion: "1", generation: 1 });
  expect(created.metadata.uid).toBeTruthy();
  expect(created.status).toEqual({ phase: "Pending" });
  await expect(client.create(pods, "default", pod("a"))).rejects.toSatisfy(isAlreadyExists);
  const generated: KubeObject = await client.create<KubeObject>(pods, "default", {
    ...pod("unused"),
    metadata: { generateName: "web-" },
  });
  expect(generated.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
});

test("stale updates conflict; status is separate; the generation follows the spec", async () => {
  const client = newFakeClient();
  client.seed([{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, spec: { replicas: 1 } }]);
  const first = await client.get(deployments, "default", "d");
  const updated = await client.update(deployments, { ...first, spec: { replicas: 2 }, status: { replicas: 9 } });
  expect(updated.metadata.generation).toBe(2);
  expect(updated.status).toBeUndefined();
  await expect(client.update(deployments, first)).rejects.toSatisfy(isConflict);
  const withStatus = await client.update(deployments, { ...updated, spec: {}, status: { replicas: 2 } }, "status");
  expect(withStatus).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 2 }, metadata: { generation: 2 } });
  const same = await client.update(deployments, withStatus);
  expect(same.metadata.resourceVersion).toBe(withStatus.metadata.resourceVersion);
  expect(await client.raw("/apis/apps/v1/namespaces/default/deployments/d/scale")).toMatchObject({
    kind: "Scale",
    spec: { replicas: 2 },
  });
  await client.patch(deployments, "default", "d", "application/merge-patch+json", { spec: { replicas: 5 } }, "scale");
  expect((await client.get(deployments, "default", "d")).spec.replicas).toBe(5);
});

test("finalizers hold an object until they are gone", async () => {
  const client = newFakeClient();
  client.seed([{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d", finalizers: ["x/y"] }, spec: {} }]);
  await client.delete(deployments, "default", "d");
  const dying = await client.get(deployments, "default", "d");
  expect(dying.metadata.deletionTimestamp).toBeTruthy();
  await client.update(deployments, { ...dying, metadata: { ...dying.metadata, finalizers: [] } });
  await expect(client.get(deployments, "default", "d")).rejects.toSatisfy(isNotFound);
});

test("a bound pod is deleted gracefully, then by grace 0", async () => {
  const client = newFakeClient();
  await client.create(pods, "default", pod("a"));
  await client.create(
    pods,
    "default",
    { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "n1" } },
    { name: "a", subresource: "binding" },
  );
  await client.delete(pods, "default", "a");
  const dying = await client.get(pods, "default", "a");
  expect(dying.metadata.deletionGracePeriodSeconds).toBe(30);
  expect(dying.spec.nodeName).toBe("n1");
  await client.delete(pods, "default", "a", { gracePeriodSeconds: 0 });
  expect(client.all(pods)).toEqual([]);
});

test("watches replay after a revision, follow selectors and can be broken", async () => {
  const client = newFakeClient();
  await client.create(pods, "default", pod("a", { labels: { app: "x" } }));
  await client.create(pods, "default", pod("b"));
  const watch = await client.watch(pods, "default", { resourceVersion: "1", labelSelector: "app=x" });
  const events: WatchEvent[] = [];
  const reading = (async () => {
    for await (const event of watch) events.push(event);
  })();
  await client.patch(pods, "default", "b", "application/merge-patch+json", { metadata: { labels: { app: "x" } } });
  await client.patch(pods, "default", "a", "application/merge-patch+json", { metadata: { labels: { app: null } } });
  client.storage(pods).sendBookmarks();
  await settled();
  client.storage(pods).endWatches();
  await reading;
  expect(events.map(({ type, object }) => [type, object.metadata.name, object.metadata.resourceVersion])).toEqual([
    ["ADDED", "b", "3"],
    ["DELETED", "a", "4"],
    ["BOOKMARK", undefined, "4"],
  ]);
  expect(Object.isFrozen(events[0]!.object.metadata)).toBe(true);
});

test("a batch answers each operation by itself", async () => {
  const client = newFakeClient();
  const results = await client.batch([
    { method: "POST", path: "/api/v1/namespaces/default/pods", body: pod("a") },
    {
      method: "PATCH",
      path: "/api/v1/namespaces/default/pods/missing",
      contentType: "application/merge-patch+json",
      body: {},
    },
    {
      method: "PATCH",
      path: "/api/v1/namespaces/default/pods/a/status",
      contentType: "application/strategic-merge-patch+json",
      body: { status: { conditions: [{ type: "Ready", status: "True" }] } },
    },
  ]);
  expect(results.map(({ code }) => code)).toEqual([201, 404, 200]);
  expect(client.writes.map(({ verb, subresource }) => [verb, subresource])).toEqual([
    ["create", undefined],
    ["patch", undefined],
    ["patch", "status"],
  ]);
});

test("a namespace terminates through finalize", async () => {
  const client = newFakeClient();
  const namespaces = { group: "", version: "v1", resource: "namespaces" };
  await client.create(namespaces, undefined, { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } });
  await client.delete(namespaces, undefined, "n");
  const dying = await client.get(namespaces, undefined, "n");
  expect(dying.status.phase).toBe("Terminating");
  await client.update(namespaces, { ...dying, spec: { finalizers: [] } }, "finalize");
  expect(client.all(namespaces)).toEqual([]);
});
