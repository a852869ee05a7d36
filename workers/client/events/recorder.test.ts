import { expect, test } from "vitest";
import { FakeClock } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newFakeClient } from "../fake/fake-client.ts";
import { settled } from "../fake/settled.ts";
import { eventName } from "./core-event.ts";
import { LruCache } from "./lru-cache.ts";
import { newEventRecorder } from "./recorder.ts";
import type { EventRecorderOptions } from "./recorder.ts";

const eventsResource = { group: "", version: "v1", resource: "events" };
const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop", uid: "u1", resourceVersion: "7" },
};

function setup(options: Partial<EventRecorderOptions> = {}) {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const client = newFakeClient(clock);
  const errors: unknown[] = [];
  const recorder = newEventRecorder({
    client,
    clock,
    component: "test-controller",
    onError: (error) => errors.push(error),
    ...options,
  });
  const wait = async (milliseconds: number) => {
    await clock.advance(milliseconds);
    await settled();
  };
  return { clock, client, errors, recorder, wait, all: () => client.all(eventsResource) };
}

test("an event has the form that client-go writes", async () => {
  const { recorder, wait, all } = setup({ host: "n1" });
  recorder.event(pod, "Normal", "Started", "Started container", {
    fieldPath: "spec.containers{c}",
    annotations: { a: "b" },
  });
  expect(recorder.pending).toBe(1);
  await wait(50);
  expect(recorder.pending).toBe(0);
  const {
    uid: _uid,
    creationTimestamp: _time,
    generation: _generation,
    resourceVersion: _version,
    ...metadata
  } = all()[0]!.metadata;
  expect({ ...all()[0], metadata }).toEqual({
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `web.${(BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n).toString(16)}`,
      namespace: "shop",
      annotations: { a: "b" },
    },
    involvedObject: {
      apiVersion: "v1",
      kind: "Pod",
      name: "web",
      namespace: "shop",
      uid: "u1",
      resourceVersion: "7",
      fieldPath: "spec.containers{c}",
    },
    reason: "Started",
    message: "Started container",
    source: { component: "test-controller", host: "n1" },
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
    count: 1,
    type: "Normal",
    eventTime: null,
    reportingComponent: "test-controller",
    reportingInstance: "n1",
  });
});

test("events of cluster-scoped objects go to the namespace default", async () => {
  const { recorder, wait, all } = setup();
  recorder.event({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }, "Normal", "NodeReady", "ready", {
    host: "n1",
  });
  await wait(50);
  expect(all()[0]).toMatchObject({ metadata: { namespace: "default" }, source: { host: "n1" } });
  expect(all()[0]!.involvedObject).not.toHaveProperty("namespace");
});

test("a repeated event is counted: in the queue, then by a patch, then anew when it has expired", async () => {
  const { client, recorder, wait, all } = setup();
  recorder.event(pod, "Warning", "BackOff", "again");
  recorder.event(pod, "Warning", "BackOff", "again");
  await wait(50);
  expect(client.writes.map(({ verb }) => verb)).toEqual(["create"]);
  expect(all()[0]).toMatchObject({ count: 2 });
  await wait(60_000);
  recorder.event(pod, "Warning", "BackOff", "again");
  await wait(50);
  expect(client.writes.at(-1)).toMatchObject({
    verb: "patch",
    patch: { count: 3, lastTimestamp: "2026-01-01T00:01:00Z" },
  });
  expect(all()).toHaveLength(1);
  expect(all()[0]).toMatchObject({
    count: 3,
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:01:00Z",
  });
  await client.delete(eventsResource, "shop", all()[0]!.metadata.name!);
  recorder.event(pod, "Warning", "BackOff", "again");
  await wait(50);
  expect(all()).toMatchObject([{ count: 4 }]);
});

test("ten events that differ only in the message become one", async () => {
  const { recorder, wait, all } = setup();
  for (let index = 0; index < 12; index++) recorder.event(pod, "Normal", "Scaled", `to ${index}`);
  await wait(50);
  const combined = all().filter(({ message }) => message.startsWith("(combined from similar events): "));
  expect(all()).toHaveLength(10);
  expect(combined).toMatchObject([{ message: "(combined from similar events): to 11", count: 3 }]);
});

test("a source may say 25 things about an object at once and one more each five minutes", async () => {
  const { recorder, wait, all } = setup();
  for (let index = 0; index < 30; index++) recorder.event(pod, "Normal", `Reason${index}`, "x");
  recorder.event({ ...pod, metadata: { ...pod.metadata, name: "other", uid: "u2" } }, "Normal", "Reason", "x");
  await wait(50);
  expect(all()).toHaveLength(26);
  await wait(300_000);
  recorder.event(pod, "Normal", "Later", "x");
  recorder.event(pod, "Normal", "TooMuch", "x");
  await wait(50);
  expect(all().filter(({ reason }) => reason === "Later" || reason === "TooMuch")).toMatchObject([{ reason: "Later" }]);
});

test("what comes together is one request, and every event has a name of its own", async () => {
  const { client, recorder, wait, all } = setup();
  let requests = 0;
  const batch = client.batch.bind(client);
  client.batch = (operations) => {
    requests++;
    return batch(operations);
  };
  for (let index = 0; index < 20; index++) recorder.event(pod, "Normal", `Reason${index}`, "x");
  await wait(50);
  expect(requests).toBe(1);
  expect(new Set(all().map(({ metadata }) => metadata.name)).size).toBe(20);
});

test("while the server is away events wait, the oldest go when there are too many, and all is sent later", async () => {
  const { client, recorder, wait, all } = setup();
  const batch = client.batch.bind(client);
  client.batch = async () => {
    throw new Error("unreachable");
  };
  const about = (index: number): KubeObject => ({
    ...pod,
    metadata: { ...pod.metadata, name: `p${index}`, uid: `u${index}` },
  });
  for (let index = 0; index < 1005; index++) recorder.event(about(index), "Normal", "Created", "x");
  await wait(50);
  expect(recorder.pending).toBe(1000);
  expect(recorder.dropped).toBe(5);
  recorder.event(about(1004), "Normal", "Created", "x");
  client.batch = batch;
  await wait(10_000);
  expect(recorder.pending).toBe(0);
  expect(all()).toHaveLength(1000);
  expect(all().find(({ metadata }) => metadata.name!.startsWith("p1004."))).toMatchObject({ count: 2 });
});

test("an unreachable server is given up after twelve tries", async () => {
  const { clock, recorder, wait, errors } = setup({
    client: {
      batch: async () => {
        throw new Error("unreachable");
      },
    },
  });
  recorder.event(pod, "Normal", "Created", "x");
  for (let index = 0; index < 15; index++) await wait(10_000);
  expect(recorder).toMatchObject({ pending: 0, dropped: 1 });
  expect(errors).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

test("what the server refuses is dropped and reported", async () => {
  const { client, recorder, wait, errors } = setup();
  client.batch = async (operations) =>
    operations.map(() => ({ code: 403, body: { metadata: {}, message: "terminating" } }));
  recorder.event(pod, "Normal", "Created", "x");
  recorder.event({ metadata: { name: "nameless" } }, "Normal", "Created", "x");
  await wait(50);
  expect(recorder).toMatchObject({ pending: 0, dropped: 2 });
  expect(errors).toHaveLength(2);
});

test("flush sends at once", async () => {
  const { clock, recorder, all } = setup();
  recorder.event(pod, "Normal", "Created", "x");
  await recorder.flush();
  expect(all()).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

test("names that cannot be part of an event's name are left out", () => {
  expect(eventName("web", 255n)).toBe("web.ff");
  expect(eventName("system:admin", 255n)).toBe("event.ff");
  expect(eventName("x".repeat(252), 255n)).toBe("event.ff");
});

test("the least recently used entry makes room", () => {
  const cache = new LruCache<string, number>(2);
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
});
