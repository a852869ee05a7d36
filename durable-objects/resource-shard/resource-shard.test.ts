import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { WatchReader } from "../../test/contracts/storage-watch-contract.ts";
import { nth } from "../../test/support/revisions.ts";
import { create, nextMacrotask, things, thing } from "../../test/support/shard-in-workerd.ts";
import { FakeClock } from "../../workers/apimachinery/clock.ts";
import type { Env } from "../../workers/env.ts";
import { newCacherWatch } from "../../workers/storage/cacher/client.ts";
import type { CacherStub } from "../../workers/storage/cacher/client.ts";
import { settingsFor } from "../../workers/storage/settings.ts";
import { newShardStorage } from "../../workers/storage/shard/client.ts";
import type { ShardStub } from "../../workers/storage/shard/client.ts";
import type { ResourceShardProtocol } from "../../workers/storage/shard/protocol.ts";
import { Shard } from "../../workers/storage/shard/shard.ts";

const bindings = env as unknown as Env;

function shardNamed(name: string) {
  const stub = bindings.RESOURCE_SHARD.getByName(name) as unknown as DurableObjectStub;
  return {
    stub,
    shard: stub as unknown as ResourceShardProtocol,
    storage: newShardStorage(stub as unknown as ShardStub),
  };
}

describe("the ResourceShard Durable Object", () => {
  it("S24: what was committed and not pushed before an eviction reaches the watcher through the alarm", async () => {
    const { stub, storage } = shardNamed("host-1/things");
    await storage.create(`${things}a`, thing("a"));
    const cache = bindings.WATCH_CACHE.getByName("host-1/things") as unknown as CacherStub;
    const reader = new WatchReader(
      await newCacherWatch(cache, { prefix: things, since: nth(1), representation: { kind: "storage" } }),
    );
    // A second shard over the same tables commits and loses its push.
    await runInDurableObject(stub, async (_, { storage: disk }) => {
      const lost = new Shard({
        sql: disk.sql,
        transactionSync: (closure) => disk.transactionSync(closure),
        clock: new FakeClock(Date.now()),
        nextMacrotask,
        sync: () => disk.sync(),
        setAlarm: (at) => void disk.setAlarm(at),
        alarmAt: undefined,
        push: () => new Promise(() => {}),
        settings: settingsFor({ group: "", resource: "things" }),
      });
      await lost.transact([create("b")]);
      expect(await disk.getAlarm()).not.toBeNull();
    });
    await evictDurableObject(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await reader.events(1)).toMatchObject([{ type: "ADDED", key: `${things}b`, revision: nth(2) }]);
    reader.close();
  });

  it("S24: the commit itself sets the alarm", async () => {
    const { stub, storage } = shardNamed("host-2/things");
    await storage.get(`${things}a`);
    const alarm = () => runInDurableObject(stub, (_, state) => state.storage.getAlarm());
    expect(await alarm()).toBeNull();
    await storage.create(`${things}a`, thing("a"));
    expect(await alarm()).not.toBeNull();
  });

  it("S29: takes the settings of its type from its name", async () => {
    for (const [name, expected] of [
      ["host-3/coordination.k8s.io/leases", nth(2)],
      ["host-3/pods", nth(0)],
    ] as const) {
      const { shard, storage } = shardNamed(name);
      await storage.create(`${things}a`, thing("a"));
      await storage.update(`${things}a`, thing("a", 1), nth(1));
      let compacted = 0;
      // What the cache has not acknowledged yet stays, so the first calls may be too early.
      for (let i = 0; i < 100 && compacted < nth(2); i++) ({ compactedRevision: compacted } = await shard.compact());
      expect([name, compacted]).toEqual([name, expected]);
    }
  });
});
