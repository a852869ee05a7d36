import { env as testEnv, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { Env } from "../../workers/env.ts";
import { newCacherWatch } from "../../workers/storage/cacher/client.ts";
import { listFromCache } from "../../workers/storage/cacher/storage.ts";
import type { WatchRequest } from "../../workers/storage/cacher/protocol.ts";
import { encodeObject } from "../../workers/storage/encode-object.ts";
import type { Storage, StorageWatch, StorageWatchMessage } from "../../workers/storage/interfaces.ts";
import { newShardStorage } from "../../workers/storage/shard/client.ts";
import { nth, ordinal } from "../support/revisions.ts";

const env = testEnv as unknown as Env;
const prefix = "/registry/configmaps/";

let clusters = 0;

/** A type of a cluster of its own, with its shard and cache. */
function newType() {
  const name = `cacher-watch-${++clusters}/configmaps`;
  const cache = env.WATCH_CACHE.getByName(name);
  const shard = env.RESOURCE_SHARD.getByName(name);
  const storage: Storage = newShardStorage(shard, () => Promise.reject(new Error("not used")));
  return {
    cache,
    shard,
    storage,
    evict: () => evictDurableObject(cache),
    watch: async (request: Partial<WatchRequest>) =>
      new Reader(await newCacherWatch(cache, { prefix, representation: { kind: "storage" }, ...request })),
    create: (key: string, labels: Record<string, string> = {}, text = "") =>
      storage.create(prefix + key, encode(key, labels, text)),
    async update(key: string, labels: Record<string, string>) {
      const { revision } = (await storage.get(prefix + key))!;
      return storage.update(prefix + key, encode(key, labels, ""), revision);
    },
    async delete(key: string) {
      const { revision } = (await storage.get(prefix + key))!;
      return storage.delete(prefix + key, encode(key, {}, ""), revision);
    },
  };
}

function encode(key: string, labels: Record<string, string>, text: string) {
  const [namespace, name] = key.split("/");
  return encodeObject({ metadata: { name: name!, namespace: namespace!, labels }, data: { text } });
}

/** Reads a watch message by message. */
class Reader {
  readonly #watch: StorageWatch;
  readonly #messages: AsyncIterator<StorageWatchMessage>;

  constructor(watch: StorageWatch) {
    this.#watch = watch;
    this.#messages = watch[Symbol.asyncIterator]();
  }

  /** The next messages, as `ADDED 3` (of the third change), `bookmark 4`, `error RevisionCompacted` or `end`. */
  async take(count: number): Promise<string[]> {
    const seen: string[] = [];
    for (let index = 0; index < count; index++) {
      const { done, value } = await this.#messages.next();
      if (done) seen.push("end");
      else if (value.kind === "event") seen.push(`${value.event.type} ${ordinal(value.event.revision)}`);
      else if (value.kind === "bookmark")
        seen.push(`bookmark ${ordinal(value.revision)}${value.initialEventsEnd ? " end" : ""}`);
      else seen.push(`error ${value.error.code}`);
    }
    return seen;
  }

  close(): void {
    this.#watch.close();
  }
}

describe("WatchCache fed by a ResourceShard", () => {
  it("W1 W2 delivers every event once, across evictions and resumed at every revision", async () => {
    const type = newType();
    await type.create("default/c0");
    const open = await type.watch({ since: nth(1) });
    for (let index = 1; index < 20; index++) {
      if (index % 3 === 0) await type.evict();
      if (index % 4 === 0) await Promise.all([type.create(`default/a${index}`), type.create(`default/b${index}`)]);
      else await type.create(`default/c${index}`);
    }
    const newest = ordinal(await type.storage.currentRevision());
    const expected = Array.from({ length: newest - 1 }, (_, index) => `ADDED ${index + 2}`);
    expect(await open.take(newest - 1)).toEqual(expected);
    for (let since = 1; since < newest; since++) {
      if (since % 5 === 0) await type.evict();
      const resumed = await type.watch({ since: nth(since) });
      expect(await resumed.take(newest - since)).toEqual(expected.slice(since - 1));
      resumed.close();
    }
    await type.create("default/last");
    expect(await open.take(1)).toEqual([`ADDED ${newest + 1}`]);
  });

  it("W17 W18 watches and lists miss nothing that was written while nobody watched, across evictions of both", async () => {
    const type = newType();
    const list = async () => {
      const match = { kind: "notOlderThan", revision: 0 } as const;
      const listed = await listFromCache(type.cache, { prefix, match });
      const objects = JSON.parse(`[${await listed.text()}]`) as unknown[];
      return [ordinal(listed.revision), objects.length];
    };
    for (let round = 0; round < 8; round++) {
      const before = ordinal(await type.storage.currentRevision());
      for (const name of ["a", "b", "c"]) await type.create(`default/${name}${round}`);
      expect(await list()).toEqual([before + 3, before + 3]);
      if (round % 3 === 1) await type.evict();
      if (round % 4 === 2) await evictDurableObject(type.shard);
      const watch = await type.watch({ since: nth(before + 1) });
      expect(await watch.take(2)).toEqual([`ADDED ${before + 2}`, `ADDED ${before + 3}`]);
      await type.create(`default/d${round}`);
      expect(await watch.take(1)).toEqual([`ADDED ${before + 4}`]);
      watch.close();
    }
  });

  it("W9 idle watches survive hibernation with their selectors", async () => {
    const type = newType();
    await type.create("default/a", { app: "web" });
    const watches = await Promise.all(
      ["app=web", "app=db", ""].map((labelSelector) => type.watch({ labelSelector, initialEvents: true, since: 0 })),
    );
    expect(await Promise.all(watches.map((watch, index) => watch.take(index === 1 ? 1 : 2)))).toEqual([
      ["ADDED 1", "bookmark 1 end"],
      ["bookmark 1 end"],
      ["ADDED 1", "bookmark 1 end"],
    ]);
    await type.evict();
    await type.update("default/a", { app: "db" });
    await type.evict();
    await type.delete("default/a");
    expect(await watches[0]!.take(1)).toEqual(["DELETED 2"]);
    expect(await watches[1]!.take(2)).toEqual(["ADDED 2", "DELETED 3"]);
    expect(await watches[2]!.take(2)).toEqual(["MODIFIED 2", "DELETED 3"]);
  });

  it("W5 initial events of a large type come in pieces, then what follows", async () => {
    const type = newType();
    const text = "x".repeat(50_000);
    for (let page = 0; page < 8; page++) {
      await Promise.all(
        Array.from({ length: 25 }, (_, index) => type.create(`default/c${page * 25 + index}`, {}, text)),
      );
    }
    const watch = await type.watch({});
    await type.create("default/next");
    const seen = await watch.take(201);
    expect(new Set(seen).size).toBe(201);
    expect(seen.at(-1)).toBe("ADDED 201");
  });

  it("W7 a watcher that does not read is paused; others and the writer go on; it catches up when it reads again", async () => {
    const type = newType();
    await type.create("default/first");
    const slow = await type.watch({ since: nth(1) });
    const fast = await type.watch({ since: nth(1) });
    const text = "x".repeat(100_000);
    const seen: string[] = [];
    for (let index = 0; index < 40; index++) {
      await type.create(`default/c${index}`, {}, text);
      seen.push(...(await fast.take(1)));
    }
    const expected = Array.from({ length: 40 }, (_, index) => `ADDED ${index + 2}`);
    expect(seen).toEqual(expected);
    expect(await slow.take(40)).toEqual(expected);
  });

  it("W8 an alarm brings a bookmark to those who asked, at most one alarm for many events", async () => {
    const type = newType();
    await type.create("default/a");
    const watch = await type.watch({ since: nth(1), bookmarks: true, labelSelector: "app=none" });
    for (let index = 0; index < 5; index++) await type.create(`default/c${index}`);
    // The write is answered before the push is.
    await vi.waitFor(async () =>
      expect(await runInDurableObject(type.cache as never, (_, ctx) => ctx.storage.getAlarm())).not.toBeNull(),
    );
    expect(await runDurableObjectAlarm(type.cache as never)).toBe(true);
    const [bookmark] = await watch.take(1);
    expect(bookmark).toMatch(/^bookmark [2-6]$/);
    expect(await runDurableObjectAlarm(type.cache as never)).toBe(false);
  });

  it("W11 a sleeper's record survives eviction until its wake succeeds", async () => {
    const type = newType();
    await type.create("default/a");
    await type.cache.wakeOn({ binding: "NOBODY", name: "n" }, nth(1));
    await type.evict();
    const records = () =>
      runInDurableObject(type.cache as never, (_, ctx) => [...ctx.storage.kv.list({ prefix: "sleeper:" })]);
    expect(await records()).toEqual([["sleeper:NOBODY/n", { binding: "NOBODY", name: "n", since: nth(1) }]]);
  });
});
