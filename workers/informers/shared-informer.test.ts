import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock } from "../apimachinery/clock.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import { namespacedName } from "../apimachinery/meta.ts";
import { newFakeClient } from "../client/fake/fake-client.ts";
import { settled } from "../client/fake/settled.ts";
import { newInformerFactory } from "./informer-factory.ts";

const configMaps = { group: "", version: "v1", resource: "configmaps" };
const configMap = (name: string, value = ""): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", labels: { value: value || "none" } },
  data: { value },
});

function setup() {
  const clock = new FakeClock();
  const client = newFakeClient(clock);
  const errors: unknown[] = [];
  const factory = newInformerFactory({ client, clock, random: () => 0, onError: (error) => errors.push(error) });
  return { clock, client, errors, factory };
}

function recorder() {
  const seen: string[] = [];
  const text = ({ metadata }: KubeObject) => `${metadata.name}@${metadata.resourceVersion}`;
  return {
    seen,
    onAdd: (object: KubeObject, initial: boolean) => void seen.push(`add ${text(object)}${initial ? "*" : ""}`),
    onUpdate: (previous: KubeObject, object: KubeObject) => void seen.push(`update ${text(previous)}→${text(object)}`),
    onDelete: (object: KubeObject, unknown: boolean) => void seen.push(`delete ${text(object)}${unknown ? "?" : ""}`),
  };
}

test("handlers hear of everything, in order, after the store", async () => {
  const { client, factory, clock } = setup();
  client.seed([configMap("a")]);
  const informer = factory.forResource(configMaps);
  const first = recorder();
  informer.addEventHandler(first);
  informer.addEventHandler({
    onAdd: (object) => expect(informer.lister.getByKey(namespacedName(object))).toBe(object),
  });
  expect(factory.forResource(configMaps)).toBe(informer);
  expect(informer.hasSynced()).toBe(false);
  expect(factory.lastEventTime).toBeUndefined();
  factory.start();
  await factory.waitForSync();
  expect(first.seen).toEqual(["add a@1*"]);
  expect(factory.lastEventTime).toBe(clock.now());
  await client.create(configMaps, "default", configMap("b"));
  await client.patch(configMaps, "default", "a", "application/merge-patch+json", { data: { value: "x" } });
  await client.delete(configMaps, "default", "a");
  await settled();
  expect(first.seen.slice(1)).toEqual(["add b@2", "update a@1→a@3", "delete a@4"]);
  expect(informer.lister.list("default").map(({ metadata }) => metadata.name)).toEqual(["b"]);
  expect(informer.lister.list("other")).toEqual([]);
  expect(informer.lastSyncResourceVersion()).toBe("4");
  const late = recorder();
  const remove = informer.addEventHandler(late);
  await settled();
  expect(late.seen).toEqual(["add b@2*"]);
  remove();
  await client.delete(configMaps, "default", "b");
  await settled();
  expect(late.seen).toHaveLength(1);
  await factory.stop();
  expect(client.storage(configMaps).watcherCount).toBe(0);
});

test("waitForSync waits for the handlers, even of an empty list", async () => {
  const { factory } = setup();
  factory.forResource(configMaps).addEventHandler(recorder());
  factory.start();
  await factory.waitForSync();
  expect(factory.forResource(configMaps).hasSynced()).toBe(true);
  await factory.stop();
});

test("scopes are informers of their own; selectors turn changes into additions and deletions", async () => {
  const { client, factory } = setup();
  client.seed([configMap("a", "x"), configMap("b", "y")]);
  const scoped = factory.forResource(configMaps, { labelSelector: "value=x" });
  expect(scoped).not.toBe(factory.forResource(configMaps));
  const seen = recorder();
  scoped.addEventHandler(seen);
  factory.start();
  await factory.waitForSync();
  await client.patch(configMaps, "default", "b", "application/merge-patch+json", {
    metadata: { labels: { value: "x" } },
  });
  await client.patch(configMaps, "default", "a", "application/merge-patch+json", {
    metadata: { labels: { value: "y" } },
  });
  await settled();
  expect(seen.seen).toEqual(["add a@1*", "add b@3", "delete a@4"]);
  await factory.stop();
});

test("an informer asked for after the start runs by itself", async () => {
  const { client, factory } = setup();
  factory.start();
  client.seed([configMap("a")]);
  const informer = factory.forResource(configMaps);
  informer.addIndex("value", (object) => [object.data.value]);
  await factory.waitForSync();
  expect(informer.lister.byIndex("value", "")).toHaveLength(1);
  await factory.stop();
});

test("a deletion that was missed arrives as the last known state", async () => {
  const { client, factory, clock } = setup();
  client.seed([configMap("a"), configMap("b")]);
  const seen = recorder();
  factory.forResource(configMaps).addEventHandler(seen);
  factory.start();
  await factory.waitForSync();
  const storage = client.storage(configMaps);
  storage.endWatches(new Error("reset"));
  await client.delete(configMaps, "default", "a");
  storage.compacted = storage.revision;
  await client.create(configMaps, "default", configMap("c"));
  await clock.advance(10_000);
  await settled();
  expect(seen.seen.slice(2).sort()).toEqual(["add c@4", "delete a@1?"]);
  await factory.stop();
});

test("a handler that throws is reported and does not stop the others", async () => {
  const { client, factory, errors } = setup();
  client.seed([configMap("a"), configMap("b")]);
  const seen = recorder();
  factory.forResource(configMaps).addEventHandler({
    onAdd: () => {
      throw new Error("handler");
    },
  });
  factory.forResource(configMaps).addEventHandler(seen);
  factory.start();
  await factory.waitForSync();
  expect(seen.seen).toHaveLength(2);
  expect(errors).toHaveLength(2);
  await factory.stop();
});

test("resync repeats the store to the handlers that asked", async () => {
  const { client, factory, clock } = setup();
  client.seed([configMap("a")]);
  const informer = factory.forResource(configMaps);
  const asked = recorder();
  const others = recorder();
  const remove = informer.addEventHandler(asked, { resyncMilliseconds: 1000 });
  informer.addEventHandler(others);
  factory.start();
  await factory.waitForSync();
  await clock.advance(2500);
  await settled();
  expect(asked.seen).toEqual(["add a@1*", "update a@1→a@1", "update a@1→a@1"]);
  expect(others.seen).toEqual(["add a@1*"]);
  remove();
  await factory.stop();
  expect(clock.pending).toBe(0);
});

test("an initial list of 5,000 reaches store and handlers without a macrotask for each", async () => {
  const { client, factory } = setup();
  client.seed(Array.from({ length: 5000 }, (_, index) => configMap(`c${index}`)));
  let count = 0;
  factory.forResource(configMaps).addEventHandler({ onAdd: () => void count++ });
  factory.start();
  await settled();
  expect(count).toBe(5000);
  await factory.stop();
});

test("model: whatever breaks, handlers lose nothing, see nothing twice, never go back, and end with the server's state", async () => {
  const name = fc.constantFrom("a", "b", "c", "d");
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("put" as const), name, value: fc.integer({ min: 0, max: 9 }) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("delete" as const), name }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("end" as const), error: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("bookmark" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact" as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("refuse" as const), times: fc.integer({ min: 1, max: 2 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("wait" as const), milliseconds: fc.integer({ min: 0, max: 3000 }) }),
    },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.boolean(),
      fc.boolean(),
      async (steps, streamingList, empty) => {
        const clock = new FakeClock();
        const client = newFakeClient(clock);
        const storage = client.storage(configMaps);
        if (!empty) client.seed([configMap("first")]);
        const factory = newInformerFactory({ client, clock, random: () => 0, onError: () => {}, streamingList });
        const seen = new Map<string, KubeObject>();
        const versions: number[] = [];
        let last = 0;
        const newer = (object: KubeObject) => {
          const version = Number(object.metadata.resourceVersion);
          const before = seen.get(namespacedName(object));
          expect(version).toBeGreaterThan(Number(before?.metadata.resourceVersion ?? 0));
          versions.push(version);
          last = Math.max(last, version);
        };
        const informer = factory.forResource(configMaps);
        informer.addEventHandler({
          onAdd: (object) => {
            expect(seen.has(namespacedName(object))).toBe(false);
            newer(object);
            seen.set(namespacedName(object), object);
          },
          onUpdate: (previous, object) => {
            expect(seen.get(namespacedName(object))).toBe(previous);
            newer(object);
            seen.set(namespacedName(object), object);
          },
          onDelete: (object, unknown) => {
            if (!unknown) newer(object);
            expect(seen.delete(namespacedName(object))).toBe(true);
          },
        });
        let refusals = 0;
        client.reactors.push(({ verb }) => {
          if ((verb === "list" || verb === "watch") && refusals > 0) {
            refusals--;
            throw new Error("connection refused");
          }
        });
        factory.start();
        await factory.waitForSync();
        // From version 0 there is no exact place to watch from.
        let relists = empty;
        for (const one of steps) {
          const present = (target: string) => storage.objects.has(`default/${target}`);
          switch (one.kind) {
            case "put":
              if (present(one.name)) {
                await client.patch(configMaps, "default", one.name, "application/merge-patch+json", {
                  data: { value: String(one.value) },
                });
              } else await client.create(configMaps, "default", configMap(one.name, String(one.value)));
              break;
            case "delete":
              if (present(one.name)) await client.delete(configMaps, "default", one.name);
              break;
            case "end":
              storage.endWatches(one.error ? new Error("connection reset") : undefined);
              break;
            case "bookmark":
              storage.sendBookmarks();
              break;
            case "compact":
              relists = true;
              storage.compacted = storage.revision;
              break;
            case "refuse":
              refusals = one.times;
              break;
            case "wait":
              await clock.advance(one.milliseconds);
              await settled();
              break;
          }
        }
        for (let round = 0; round < 5; round++) {
          await clock.advance(60_000);
          await settled();
        }
        expect(seen).toEqual(storage.objects);
        expect(informer.lister.list()).toHaveLength(storage.objects.size);
        // Without a relist, every revision was seen exactly once and in order.
        if (!relists) expect(versions).toEqual(Array.from({ length: storage.revision }, (_, index) => index + 1));
        await factory.stop();
      },
    ),
    { seed: 20260108, numRuns: 300 },
  );
}, 60_000);
