import { expect, test } from "vitest";
import { FakeClock } from "../apimachinery/clock.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import { newBadRequest, newResourceExpired, newTooLargeResourceVersion } from "../apimachinery/status-errors.ts";
import { newFakeClient } from "../client/fake/fake-client.ts";
import { FakeWatch } from "../client/fake/fake-watch.ts";
import { settled } from "../client/fake/settled.ts";
import { newListWatch } from "../client/list-watch.ts";
import type { ListWatch } from "../client/list-watch.ts";
import { Reflector } from "./reflector.ts";
import type { ReflectorOptions } from "./reflector.ts";

const configMaps = { group: "", version: "v1", resource: "configmaps" };
const configMap = (name: string, value = ""): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { value },
});

function recordingStore() {
  const calls: string[] = [];
  const note = (verb: string) => (object: KubeObject) =>
    calls.push(`${verb} ${object.metadata.name}@${object.metadata.resourceVersion}`);
  return {
    calls,
    add: note("add"),
    update: note("update"),
    delete: note("delete"),
    replace: (objects: KubeObject[], version: string) =>
      calls.push(`replace ${objects.map(({ metadata }) => metadata.name).join(",")}@${version}`),
  };
}

function start(options: Partial<ReflectorOptions> = {}, listWatch?: ListWatch) {
  const clock = new FakeClock();
  const client = newFakeClient(clock);
  const store = recordingStore();
  const errors: unknown[] = [];
  const abort = new AbortController();
  const reflector = new Reflector(listWatch ?? newListWatch(client, configMaps), store, {
    clock,
    random: () => 0.5,
    onError: (error) => errors.push(error),
    ...options,
  });
  const run = () => reflector.run(abort.signal);
  const requests = () =>
    client.actions
      .filter(({ verb }) => verb === "list" || verb === "watch")
      .map(({ verb, options: asked }) => `${verb}@${(asked as { resourceVersion?: string }).resourceVersion}`);
  return { clock, client, store, errors, abort, reflector, run, requests, storage: client.storage(configMaps) };
}

test("lists once, then follows the watch; bookmarks advance the version", async () => {
  const { client, store, abort, run, requests, storage, reflector } = start();
  client.seed([configMap("a")]);
  const running = run();
  await settled();
  await client.create(configMaps, "default", configMap("b"));
  await client.patch(configMaps, "default", "a", "application/merge-patch+json", { data: { value: "2" } });
  await client.delete(configMaps, "default", "b");
  storage.revision = 40;
  storage.sendBookmarks();
  await settled();
  expect(store.calls).toEqual(["replace a@1", "add b@2", "update a@3", "delete b@4"]);
  expect(reflector.lastSyncResourceVersion).toBe("40");
  expect(requests()).toEqual(["list@0", "watch@1"]);
  abort.abort();
  await running;
  expect(storage.watcherCount).toBe(0);
});

test("asks for bookmarks and for 5 to 10 minutes", async () => {
  const { client, abort, run } = start();
  const running = run();
  await settled();
  expect(client.actions[1]!.options).toMatchObject({ allowWatchBookmarks: true, timeoutSeconds: 450 });
  abort.abort();
  await running;
});

test("resumes where it was when a watch ends or breaks, without a list", async () => {
  const { clock, client, store, abort, run, requests, storage, errors } = start();
  client.seed([configMap("first")]);
  const running = run();
  await settled();
  await client.create(configMaps, "default", configMap("a"));
  await settled();
  storage.endWatches();
  await settled();
  await client.create(configMaps, "default", configMap("b"));
  await settled();
  storage.endWatches(new Error("connection reset"));
  await client.create(configMaps, "default", configMap("c"));
  await clock.advance(2000);
  await settled();
  expect(store.calls).toEqual(["replace first@1", "add a@2", "add b@3", "add c@4"]);
  expect(requests()).toEqual(["list@0", "watch@1", "watch@2", "watch@3"]);
  expect(errors).toHaveLength(1);
  abort.abort();
  await running;
});

test("410 leads to a list that is not older than what was seen", async () => {
  const { clock, client, store, abort, run, requests, storage } = start();
  client.seed([configMap("a")]);
  const running = run();
  await settled();
  storage.endWatches(new Error("gone"));
  await client.create(configMaps, "default", configMap("b"));
  storage.compacted = 2;
  await clock.advance(10_000);
  await settled();
  expect(requests()).toEqual(["list@0", "watch@1", "watch@1", "list@1", "watch@2"]);
  expect(store.calls.at(-1)).toBe("replace a,b@2");
  abort.abort();
  await running;
});

test("a version that the server cannot serve leads to a consistent list", async () => {
  for (const failure of [newResourceExpired("too old"), newTooLargeResourceVersion(5, 1, 1)]) {
    const { client, abort, run, requests, store } = start();
    client.seed([configMap("a")]);
    client.reactors.push(({ verb, options }) => {
      if (verb === "list" && (options as { resourceVersion: string }).resourceVersion !== "") throw failure;
    });
    const running = run();
    await settled();
    expect(requests()).toEqual(["list@0", "list@", "watch@1"]);
    expect(store.calls).toEqual(["replace a@1"]);
    abort.abort();
    await running;
  }
});

test("failures back off from 800 ms to 30 s, doubled and stretched, and start again after two quiet minutes", async () => {
  const clock = new FakeClock();
  const tried: number[] = [];
  let fails = true;
  const watch = new FakeWatch();
  const { run, abort } = start(
    { clock },
    {
      list: async () => {
        tried.push(clock.now());
        if (fails) throw new Error("refused");
        return { metadata: { resourceVersion: "1" }, items: [] };
      },
      watch: async () => watch,
    },
  );
  const running = run();
  for (let second = 0; second < 240; second++) {
    await clock.advance(1000);
    await settled();
  }
  const gaps = tried.slice(1).map((at, index) => at - tried[index]!);
  expect(gaps.slice(0, 8)).toEqual([1200, 2400, 4800, 9600, 19_200, 38_400, 45_000, 45_000]);
  fails = false;
  await clock.advance(60_000);
  await settled();
  await clock.advance(300_000);
  const before = tried.length;
  watch.end(newResourceExpired("gone"));
  await settled();
  await clock.advance(1199);
  expect(tried).toHaveLength(before);
  await clock.advance(1);
  await settled();
  expect(tried).toHaveLength(before + 1);
  abort.abort();
  await running;
});

test("after an empty list at version 0 nothing is lost, although the watch begins in any order", async () => {
  const clock = new FakeClock();
  const lists = ["0", "5"];
  const watches: FakeWatch[] = [];
  const asked: string[] = [];
  const { run, abort, store } = start(
    { clock },
    {
      list: async () => ({ metadata: { resourceVersion: lists.shift()! }, items: [] }),
      watch: async ({ resourceVersion }) => {
        asked.push(resourceVersion!);
        watches.push(new FakeWatch());
        return watches.at(-1)!;
      },
    },
  );
  const running = run();
  await settled();
  watches[0]!.push({ type: "ADDED", object: { metadata: { name: "a", resourceVersion: "5" } } });
  watches[0]!.push({ type: "ADDED", object: { metadata: { name: "b", resourceVersion: "3" } } });
  await settled();
  watches[0]!.end();
  await settled();
  expect(store.calls).toEqual(["replace @0", "add a@5", "add b@3", "replace @5"]);
  expect(asked).toEqual(["0", "5"]);
  abort.abort();
  await running;
});

test("never goes back: stale lists are refused, repeated events are dropped", async () => {
  const clock = new FakeClock();
  const versions = ["5", "3", "6"];
  const watches: FakeWatch[] = [];
  const { run, abort, store, errors } = start(
    { clock },
    {
      list: async () => ({ metadata: { resourceVersion: versions.shift()! }, items: [] }),
      watch: async () => {
        watches.push(new FakeWatch());
        return watches.at(-1)!;
      },
    },
  );
  const running = run();
  await settled();
  const event = (version: string) => ({ metadata: { name: "a", resourceVersion: version } });
  watches[0]!.push({ type: "ADDED", object: event("5") });
  watches[0]!.push({ type: "ADDED", object: event("6") });
  watches[0]!.push({ type: "MODIFIED", object: event("6") });
  watches[0]!.push({ type: "ERROR", object: newResourceExpired("old").status });
  await settled();
  await clock.advance(30_000);
  await settled();
  await clock.advance(30_000);
  await settled();
  expect(store.calls).toEqual(["replace @5", "add a@6", "replace @6"]);
  expect(errors.map((error) => (error as Error).message)).toEqual([
    "old",
    "list at resource version 3 is older than 6, which was seen before",
  ]);
  abort.abort();
  await running;
});

test("a list in pages is one state", async () => {
  const pages = [
    { metadata: { resourceVersion: "9", continue: "more" }, items: [configMap("a")] },
    { metadata: { resourceVersion: "9" }, items: [configMap("b")] },
  ];
  const asked: object[] = [];
  const { run, abort, store } = start(
    { pageSize: 1 },
    {
      list: async (options) => {
        asked.push(options);
        return pages.shift()!;
      },
      watch: async () => new FakeWatch(),
    },
  );
  const running = run();
  await settled();
  expect(store.calls).toEqual(["replace a,b@9"]);
  expect(asked).toEqual([
    { resourceVersion: "0", limit: 1 },
    { continue: "more", limit: 1 },
  ]);
  abort.abort();
  await running;
});

test("a streaming list takes the state from the watch and goes on with it", async () => {
  const { client, store, abort, run, requests } = start({ streamingList: true });
  client.seed([configMap("a"), configMap("b")]);
  const running = run();
  await settled();
  await client.create(configMaps, "default", configMap("c"));
  await settled();
  expect(store.calls).toEqual(["replace a,b@2", "add c@3"]);
  expect(requests()).toEqual(["watch@"]);
  abort.abort();
  await running;
});

test("a streaming list falls back to a list when the server refuses", async () => {
  const { client, store, abort, run, requests } = start({ streamingList: true });
  client.seed([configMap("a")]);
  client.reactors.push(({ options }) => {
    if ((options as { sendInitialEvents?: boolean }).sendInitialEvents)
      throw newBadRequest("sendInitialEvents is forbidden");
  });
  const running = run();
  await settled();
  expect(store.calls).toEqual(["replace a@1"]);
  expect(requests()).toEqual(["watch@", "list@0", "watch@1"]);
  abort.abort();
  await running;
});

test("an abort ends it at once, whatever it waits for", async () => {
  const never = new Promise<never>(() => {});
  for (const listWatch of [
    { list: () => never, watch: () => never },
    { list: async () => ({ metadata: { resourceVersion: "1" }, items: [] }), watch: () => never },
  ]) {
    const { run, abort } = start({}, listWatch);
    const running = run();
    await settled();
    abort.abort();
    await running;
  }
});
