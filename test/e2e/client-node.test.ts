import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";
import type { V1ConfigMap } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0, persistent: true });
});
afterAll(() => cluster?.stop());

const namespace = "default";
const changes = 1_000;

test("the informer of @kubernetes/client-node follows 1,000 changes without loss through a restart", async () => {
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    api.listNamespacedConfigMap({ namespace }),
  );
  const seen = new Map<string, string>();
  const versions = new Set<string>();
  let stopped = false;
  const note = (object: V1ConfigMap) => {
    seen.set(object.metadata!.name!, object.data?.value ?? "");
    versions.add(object.metadata!.resourceVersion!);
  };
  informer.on("add", note);
  informer.on("update", note);
  informer.on("delete", (object) => {
    seen.delete(object.metadata!.name!);
    versions.add(object.metadata!.resourceVersion!);
  });
  // As its documentation advises: start again after an error.
  informer.on("error", () => {
    if (!stopped) setTimeout(() => void informer.start().catch(() => undefined), 100);
  });
  await informer.start();

  const expected = new Map<string, string>();
  const write = async (index: number) => {
    const name = `object-${index % 100}`;
    const value = `value-${index}`;
    const body = { metadata: { name }, data: { value } };
    const again = async (operation: () => Promise<unknown>) => {
      for (let attempt = 0; ; attempt++) {
        try {
          return await operation();
        } catch (error) {
          const code = (error as { code?: number }).code;
          // A write whose answer the restart swallowed may have happened.
          if (code === 409 || code === 404) return undefined;
          if (attempt > 100) throw error;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    };
    if (!expected.has(name)) await again(() => api.createNamespacedConfigMap({ namespace, body }));
    else if (index % 7 === 0) {
      await again(() => api.deleteNamespacedConfigMap({ namespace, name }));
      expected.delete(name);
      return;
    } else await again(() => api.replaceNamespacedConfigMap({ namespace, name, body }));
    expected.set(name, value);
  };

  for (let index = 0; index < changes; index++) {
    await write(index);
    if (index === changes / 2) {
      await cluster.crash();
      await cluster.start();
      // Its own way back is a new list, which would merge changes that are made meanwhile.
      await api.createNamespacedConfigMap({ namespace, body: { metadata: { name: "restarted" } } });
      await eventually("the informer is back", async () => seen.has("restarted"));
    }
  }
  await eventually("the informer's state is the cluster's", async () => {
    for (const [name, value] of expected) if (seen.get(name) !== value) return false;
    return [...seen.keys()].filter((name) => name.startsWith("object-")).length === expected.size;
  });
  const list = await api.listNamespacedConfigMap({ namespace });
  const actual = new Map(
    list.items
      .filter(({ metadata }) => metadata!.name!.startsWith("object-"))
      .map(({ metadata, data }) => [metadata!.name!, data!.value]),
  );
  expect(actual).toEqual(expected);
  // Every change was an event of its own: nothing was skipped by a relist.
  expect(versions.size).toBeGreaterThanOrEqual(changes);
  stopped = true;
  await informer.stop();
}, 240_000);
