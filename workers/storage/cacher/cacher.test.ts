import { describe, expect, it } from "vitest";
import { nth, ordinal } from "../../../test/support/revisions.ts";
import { FakeClock } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { StorageEvent } from "../interfaces.ts";
import { Cacher } from "./cacher.ts";
import type { CacherOptions } from "./cacher.ts";
import { newEventEncoder } from "./event-encoder.ts";
import { FakeShard } from "./fake-shard.ts";
import { FakeSocket } from "./fake-socket.ts";
import { closeCode, maxOutstanding } from "./protocol.ts";
import type { Representation, WatchRequest } from "./protocol.ts";
import type { SavedWatcher, WatcherSocket } from "./watcher.ts";

const prefix = "/registry/configmaps/";
const storage: Representation = { kind: "storage" };
const object: Representation = { kind: "object", apiVersion: "v1", objectKind: "ConfigMap" };

interface Rig {
  shard: FakeShard;
  clock: FakeClock;
  cacher: Cacher;
  alarms: number[];
  /** What hibernation does: a new cacher takes over the sockets. */
  restart(sockets: FakeSocket[]): void;
  push(events: StorageEvent[]): Promise<number>;
  open(request: Partial<WatchRequest>): Promise<FakeSocket>;
}

function newRig(options: Partial<CacherOptions> = {}): Rig {
  const clock = new FakeClock();
  const shard = new FakeShard();
  const alarms: number[] = [];
  const newCacher = () =>
    new Cacher({
      type: { group: "", resource: "configmaps" },
      shard,
      clock,
      random: () => 0,
      encoder: newEventEncoder({}),
      fields: new Map([["data.phase", (object: KubeObject) => String(object["data"]?.phase ?? "")]]),
      capacity: { minimum: 100, maximum: 1000 },
      wakeAt: (at) => alarms.push(at),
      ...options,
    });
  const rig: Rig = {
    shard,
    clock,
    cacher: newCacher(),
    alarms,
    restart(sockets) {
      rig.cacher = newCacher();
      const open = sockets.filter((socket) => socket.closedWith === undefined && socket.saved !== undefined);
      rig.cacher.restore(open.map((socket): [WatcherSocket, SavedWatcher] => [socket, structuredClone(socket.saved!)]));
    },
    async push(events) {
      const pushed = rig.cacher.push(events);
      await clock.advance(20);
      return ordinal((await pushed).revision);
    },
    async open(request) {
      const socket = new FakeSocket();
      rig.cacher.accept(socket, { prefix, representation: storage, ...request });
      await settle();
      return socket;
    },
  };
  return rig;
}

async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
}

function revisions(socket: FakeSocket): number[] {
  return socket.messages.flatMap((message) => (message.kind === "event" ? [ordinal(message.event.revision)] : []));
}

describe("Cacher", () => {
  it("W1 sends each event once, whatever is pushed twice or left out", async () => {
    const rig = newRig();
    const socket = await rig.open({ since: 0, initialEvents: false });
    const events = Array.from({ length: 9 }, (_, index) =>
      rig.shard.commit(`${prefix}default/c${index}`, { data: {} }),
    );
    expect(await rig.push(events.slice(0, 3))).toBe(3);
    expect(await rig.push(events.slice(1, 4))).toBe(4);
    expect(await rig.push([events[4]!, events[6]!])).toBe(7);
    expect(await rig.push(events.slice(8, 9))).toBe(9);
    expect(await rig.push(events)).toBe(9);
    expect(revisions(socket)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("W2 resumes at every revision, from the buffer and after a restart from history", async () => {
    const rig = newRig({ capacity: { minimum: 4, maximum: 4 } });
    for (let index = 0; index < 10; index++)
      await rig.push([rig.shard.commit(`${prefix}default/c`, { data: { index } })]);
    for (const restart of [false, true]) {
      if (restart) rig.restart([]);
      for (let since = 1; since <= 10; since++) {
        const socket = await rig.open({ since: nth(since) });
        expect(revisions(socket)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].slice(since));
      }
    }
  });

  it("W3 answers a start before the history with RevisionCompacted", async () => {
    const rig = newRig();
    for (let index = 0; index < 10; index++) rig.shard.commit(`${prefix}default/c`, { data: { index } });
    rig.shard.compacted = nth(6);
    const expired = await rig.open({ since: nth(5) });
    expect(expired.closedWith).toEqual({
      code: closeCode.error,
      reason: JSON.stringify({ code: "RevisionCompacted", requested: nth(5), oldest: nth(6) }),
    });
    expect(revisions(await rig.open({ since: nth(6) }))).toEqual([7, 8, 9, 10]);
  });

  it("W4 a start in the future waits and skips what is before it", async () => {
    const rig = newRig();
    const socket = await rig.open({ since: nth(3) });
    for (let index = 0; index < 5; index++)
      await rig.push([rig.shard.commit(`${prefix}default/c`, { data: { index } })]);
    expect(revisions(socket)).toEqual([4, 5]);
    const listing = await rig.open({ since: nth(9), initialEvents: true });
    expect(listing.closedWith?.reason).toBe(
      JSON.stringify({ code: "RevisionTooLarge", requested: nth(9), current: nth(5) }),
    );
  });

  it("W5 starts with the current objects, then the marked bookmark, then what follows", async () => {
    const rig = newRig();
    rig.shard.commit(`${prefix}default/b`, { data: { text: '{"}],{' } });
    rig.shard.commit(`${prefix}default/a`, { data: {} });
    rig.shard.commit(`${prefix}default/b`, { data: { text: 'a\\"{' } });
    const socket = await rig.open({ initialEvents: true, since: 0, bookmarks: true, representation: object });
    await rig.push([rig.shard.commit(`${prefix}default/c`, { data: {} })]);
    expect(
      socket.lines.map(({ type, object }) => [type, object.metadata.name, ordinal(object.metadata.resourceVersion)]),
    ).toEqual([
      ["ADDED", "a", 2],
      ["ADDED", "b", 3],
      ["BOOKMARK", undefined, 3],
      ["ADDED", "c", 4],
    ]);
    expect(socket.lines[1].object.data.text).toBe('a\\"{');
    expect(socket.lines[2].object).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { annotations: { "k8s.io/initial-events-end": "true" }, resourceVersion: String(nth(3)) },
    });
  });

  it("W6 an object that comes to match is ADDED, one that stops to match is DELETED with its previous state", async () => {
    const rig = newRig();
    const byLabel = await rig.open({ since: 0, labelSelector: "app=web", representation: object });
    const byField = await rig.open({
      since: 0,
      fieldSelector: "data.phase!=Done,metadata.name=a",
      representation: object,
    });
    const key = `${prefix}default/a`;
    await rig.push([
      rig.shard.commit(key, { labels: { app: "db" }, data: { phase: "New" } }),
      rig.shard.commit(key, { labels: { app: "web" }, data: { phase: "Run" } }),
      rig.shard.commit(key, { labels: { app: "web" }, data: { phase: "Done" } }),
      rig.shard.commit(key, { labels: { app: "db" }, data: { phase: "Done" } }),
      rig.shard.commit(key, { labels: { app: "web" }, data: { phase: "New" } }),
      rig.shard.commit(key, undefined),
      rig.shard.commit(`${prefix}default/b`, { labels: { app: "db" }, data: { phase: "New" } }),
    ]);
    const seen = (socket: FakeSocket) =>
      socket.lines.map(({ type, object }) => [
        type,
        ordinal(object.metadata.resourceVersion),
        object.metadata.labels.app,
        object.data.phase,
      ]);
    expect(seen(byLabel)).toEqual([
      ["ADDED", 2, "web", "Run"],
      ["MODIFIED", 3, "web", "Done"],
      ["DELETED", 4, "web", "Done"],
      ["ADDED", 5, "web", "New"],
      ["DELETED", 6, "web", "New"],
    ]);
    expect(seen(byField)).toEqual([
      ["ADDED", 1, "db", "New"],
      ["MODIFIED", 2, "web", "Run"],
      ["DELETED", 3, "web", "Run"],
      ["ADDED", 5, "web", "New"],
      ["DELETED", 6, "web", "New"],
    ]);
  });

  it("W7 a watcher that does not acknowledge is paused, then ended as slow; others see everything", async () => {
    const rig = newRig({ capacity: { minimum: 100, maximum: 100 } });
    const slow = await rig.open({ since: 0, initialEvents: false, representation: object });
    const fast = await rig.open({ since: 0, initialEvents: false, representation: object });
    const data = { text: "x".repeat(20_000) };
    for (let index = 0; index < 300; index++) {
      await rig.push([rig.shard.commit(`${prefix}default/c`, { data })]);
      rig.cacher.acknowledged(fast, fast.unacknowledged);
      fast.unacknowledged = 0;
    }
    expect(fast.lines).toHaveLength(300);
    expect(slow.unacknowledged).toBeLessThan(maxOutstanding * 1.5);
    rig.cacher.acknowledged(slow, slow.unacknowledged);
    await settle();
    expect(slow.closedWith?.code).toBe(closeCode.slow);
    expect(fast.closedWith).toBeUndefined();
  });

  it("W7 a paused watcher that acknowledges in time misses nothing", async () => {
    const rig = newRig();
    const socket = await rig.open({ since: 0, initialEvents: false });
    const data = { text: "x".repeat(20_000) };
    for (let index = 0; index < 90; index++) await rig.push([rig.shard.commit(`${prefix}default/c`, { data })]);
    expect(revisions(socket).length).toBeLessThan(90);
    while (socket.unacknowledged > 0) {
      rig.cacher.acknowledged(socket, socket.unacknowledged);
      socket.unacknowledged = 0;
      await settle();
    }
    expect(revisions(socket)).toEqual(Array.from({ length: 90 }, (_, index) => index + 1));
  });

  it("W7 a stalled watcher is ended at the next news after 30 s", async () => {
    const rig = newRig();
    const socket = await rig.open({ since: 0, initialEvents: false });
    const data = { text: "x".repeat(60_000) };
    for (let index = 0; index < 40; index++) await rig.push([rig.shard.commit(`${prefix}default/c`, { data })]);
    expect(socket.closedWith).toBeUndefined();
    await rig.clock.advance(31_000);
    await rig.push([rig.shard.commit(`${prefix}default/c`, { data })]);
    expect(socket.closedWith?.code).toBe(closeCode.slow);
  });

  it("W8 bookmarks go to those who asked and do not know the revision, from an alarm or with other news", async () => {
    const rig = newRig();
    const asked = await rig.open({ since: 0, initialEvents: false, bookmarks: true, labelSelector: "app=none" });
    const other = await rig.open({ since: 0, initialEvents: false, labelSelector: "app=none" });
    await rig.push([rig.shard.commit(`${prefix}default/c`, { data: {} })]);
    expect(rig.alarms).toHaveLength(1);
    expect(asked.messages).toEqual([]);
    rig.cacher.sendDueBookmarks();
    rig.cacher.sendDueBookmarks();
    expect(asked.messages).toEqual([{ kind: "bookmark", revision: nth(1) }]);
    await rig.clock.advance(61_000);
    await rig.push([rig.shard.commit(`${prefix}default/c`, { data: {} })]);
    expect(asked.messages.at(-1)).toEqual({ kind: "bookmark", revision: nth(2) });
    expect(other.messages).toEqual([]);
  });

  it("W8 a planned end brings a last bookmark", async () => {
    const rig = newRig();
    const socket = await rig.open({ since: 0, initialEvents: false, bookmarks: true, labelSelector: "app=none" });
    await rig.push([rig.shard.commit(`${prefix}default/c`, { data: {} })]);
    rig.cacher.endRequested(socket);
    expect(socket.messages).toEqual([{ kind: "bookmark", revision: nth(1) }]);
    expect(socket.closedWith?.code).toBe(closeCode.done);
    expect(rig.cacher.watcherCount).toBe(0);
  });

  it("W9 an idle watch needs nothing from the shard after hibernation", async () => {
    const rig = newRig();
    const quiet = await rig.open({ since: 0, initialEvents: false, labelSelector: "app=none" });
    const socket = await rig.open({ since: 0, initialEvents: false });
    await rig.push([rig.shard.commit(`${prefix}default/a`, { data: {} })]);
    rig.cacher.closed(socket, socket.saved);
    rig.restart([quiet]);
    const calls = rig.shard.eventsCalls;
    rig.shard.compacted = nth(1);
    await rig.push([rig.shard.commit(`${prefix}default/b`, { labels: { app: "none" }, data: {} })]);
    expect(revisions(quiet)).toEqual([2]);
    expect(rig.shard.eventsCalls).toBe(calls);
  });

  it("W9 the cursor survives although every watcher is behind", async () => {
    const rig = newRig();
    const socket = await rig.open({ since: 0, initialEvents: false });
    const data = { text: "x".repeat(300_000) };
    for (let index = 0; index < 6; index++) await rig.push([rig.shard.commit(`${prefix}default/c`, { data })]);
    expect(revisions(socket).length).toBeLessThan(6);
    rig.restart([socket]);
    await settle();
    rig.cacher.acknowledged(socket, maxOutstanding * 2);
    await settle();
    expect(revisions(socket)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("W10 a gap that history cannot fill ends the watches with RevisionCompacted", async () => {
    const rig = newRig();
    const socket = await rig.open({ since: 0, initialEvents: false });
    await rig.push([rig.shard.commit(`${prefix}default/a`, { data: {} })]);
    for (let index = 0; index < 5; index++) rig.shard.commit(`${prefix}default/a`, { data: {} });
    rig.shard.compacted = nth(5);
    expect(await rig.push([rig.shard.history[5]!])).toBe(6);
    expect(revisions(socket)).toEqual([1]);
    expect(JSON.parse(socket.closedWith!.reason).code).toBe("RevisionCompacted");
    expect(revisions(await rig.open({ since: nth(5) }))).toEqual([6]);
  });

  it("W17 a socket of before cannot make the cache believe that it is told of changes", async () => {
    const rig = newRig();
    const gone = await rig.open({ since: 0, initialEvents: false });
    await rig.push([rig.shard.commit(`${prefix}default/a`, { data: {} })]);
    rig.cacher.endRequested(gone);
    await rig.push([rig.shard.commit(`${prefix}default/a`, { data: {} })]);
    rig.shard.commit(`${prefix}default/a`, { data: {} });
    const opening = rig.open({ since: nth(1) });
    rig.cacher.closed(gone, gone.saved);
    expect(revisions(await opening)).toEqual([2, 3]);
    expect(rig.shard.followed).toBe(true);
  });

  it("W5 W18 watchers that start together share one state, which events keep current", async () => {
    const rig = newRig();
    for (const name of ["b", "a"]) rig.shard.commit(`${prefix}default/${name}`, { labels: { app: name }, data: {} });
    const sockets = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        rig.open({ initialEvents: true, since: 0, bookmarks: true, labelSelector: index % 2 === 0 ? "app=a" : "" }),
      ),
    );
    expect(rig.shard.listCalls).toBe(2);
    for (const [index, socket] of sockets.entries()) {
      expect(revisions(socket)).toEqual(index % 2 === 0 ? [2] : [2, 1]);
      expect(socket.messages.at(-1)).toEqual({ kind: "bookmark", revision: nth(2), initialEventsEnd: true });
    }
    await rig.push([rig.shard.commit(`${prefix}default/a`, { labels: { app: "b" }, data: {} })]);
    const calls = rig.shard.eventsCalls;
    const later = await rig.open({ initialEvents: true, since: 0 });
    expect(revisions(later)).toEqual([3, 1]);
    const listed = await rig.cacher.list({ prefix, match: { kind: "notOlderThan", revision: nth(3) } });
    expect(listed).toEqual({ ok: true, header: { revision: nth(3), count: 2 }, values: rig.shard.values(prefix) });
    expect([rig.shard.listCalls, rig.shard.eventsCalls]).toEqual([2, calls]);
  });

  it("W18 leaves the past and pages with a continuation to the shard", async () => {
    const { cacher, shard } = newRig();
    for (const name of ["b", "a"]) shard.commit(`${prefix}default/${name}`, { data: {} });
    expect(await cacher.list({ prefix, match: { kind: "exact", revision: nth(2) } })).toBeUndefined();
    expect(await cacher.list({ prefix, limit: 1 })).toBeUndefined();
    expect(await cacher.list({ prefix, limit: 1, after: `${prefix}default/a` })).toMatchObject({
      header: { count: 1 },
    });
  });

  it("encodes an event once for all watchers that look at it alike, and parses none without selectors", async () => {
    let encoded = 0;
    const inner = newEventEncoder({});
    const rig = newRig({ encoder: { ...inner, encode: (...args) => (encoded++, inner.encode(...args)) } });
    for (let index = 0; index < 10; index++) await rig.open({ since: 0, initialEvents: false, representation: object });
    await rig.open({ since: 0, initialEvents: false, representation: object, labelSelector: "!x" });
    const value = rig.shard.commit(`${prefix}default/a`, { data: {} });
    await rig.push([value]);
    expect(encoded).toBe(1);
  });
});

/** A small seeded generator (mulberry32). */
function newRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("Cacher under random pushes, gaps, restarts and slow watchers", () => {
  const selectors: Partial<WatchRequest>[] = [
    {},
    { labelSelector: "app=web" },
    { fieldSelector: "data.phase=b" },
    { prefix: `${prefix}n1/` },
  ];

  it.each(Array.from({ length: 60 }, (_, index) => index + 1))(
    "W1 seed %i: every watcher sees its events once and in order",
    async (seed) => {
      const random = newRandom(seed);
      const pick = (count: number) => Math.floor(random() * count);
      const capacity = seed % 3 === 0 ? { minimum: 4, maximum: 8 } : { minimum: 100, maximum: 1000 };
      const rig = newRig({ capacity });
      const text = "x".repeat(seed % 20 === 0 ? 60_000 : 10);
      let acknowledged = nth(0);
      const watchers: { socket: FakeSocket; since: number; selector: number }[] = [];
      for (let step = 0; step < 150; step++) {
        const action = pick(12);
        if (action < 6) {
          for (let count = pick(4); count >= 0; count--) {
            const key = `${prefix}n${pick(2)}/c${pick(4)}`;
            const fields = { labels: { app: pick(2) ? "web" : "db" }, data: { phase: "ab"[pick(2)], text } };
            rig.shard.commit(key, rig.shard.has(key) && pick(3) === 0 ? undefined : fields);
          }
        }
        if (action < 8) {
          const newest = rig.shard.revision;
          const kind = pick(5);
          const from =
            kind === 0
              ? Math.max(nth(0), newest - 1)
              : kind === 1
                ? nth(pick(ordinal(acknowledged) + 1))
                : acknowledged;
          const pushed = rig.cacher.push(rig.shard.after(from));
          if (pick(2)) await rig.clock.advance(pick(15));
          void pushed.then(({ revision }) => (acknowledged = Math.max(acknowledged, revision)));
          if (pick(3)) await rig.clock.advance(20);
        } else if (action === 8) {
          const since = nth(pick(ordinal(rig.shard.revision) + 1));
          const selector = pick(selectors.length);
          watchers.push({ socket: await rig.open({ since, ...selectors[selector] }), since, selector });
        } else if (action === 9) {
          for (const { socket } of watchers) {
            if (pick(3) === 0) continue;
            rig.cacher.acknowledged(socket, socket.unacknowledged);
            socket.unacknowledged = 0;
          }
          await settle();
        } else if (action === 10 && pick(3) === 0) {
          // Hibernation does not happen while a push is under way.
          await rig.clock.advance(20);
          await settle();
          rig.restart(watchers.map(({ socket }) => socket));
          await settle();
        } else if (action === 11 && watchers.length > 3) {
          const [gone] = watchers.splice(pick(watchers.length), 1);
          rig.cacher.closed(gone!.socket, gone!.socket.saved);
        }
      }
      await rig.clock.advance(20);
      await rig.push(rig.shard.after(acknowledged));
      for (let round = 0; round < 200 && watchers.some(({ socket }) => socket.unacknowledged > 0); round++) {
        for (const { socket } of watchers) {
          rig.cacher.acknowledged(socket, socket.unacknowledged);
          socket.unacknowledged = 0;
        }
        await settle();
      }
      expect(watchers.length).toBeGreaterThan(0);
      for (const { socket, since, selector } of watchers) {
        const expected = rig.shard.after(since).flatMap((event) => expectedEvent(event, selectors[selector]!));
        const seen = socket.messages.flatMap((message) =>
          message.kind === "event" ? [[message.event.type, message.event.revision]] : [],
        );
        if (socket.closedWith === undefined) expect(seen).toEqual(expected);
        else {
          // Ended as slow: a prefix, nothing wrong.
          expect(socket.closedWith.code).toBe(closeCode.slow);
          expect(seen).toEqual(expected.slice(0, seen.length));
        }
      }
    },
  );

  /** The rule in its plainest form, by parsing everything. */
  function expectedEvent(event: StorageEvent, request: Partial<WatchRequest>): [string, number][] {
    if (!event.key.startsWith(request.prefix ?? prefix)) return [];
    const matches = (value: string | undefined): boolean => {
      if (value === undefined) return false;
      const { metadata, data } = JSON.parse(value);
      return (
        (!request.labelSelector || metadata.labels.app === "web") && (!request.fieldSelector || data.phase === "b")
      );
    };
    const now = event.type !== "DELETED" && matches(event.value);
    const before = matches(event.previous);
    if (now) return [[before ? "MODIFIED" : "ADDED", event.revision]];
    return before ? [["DELETED", event.revision]] : [];
  }
});
