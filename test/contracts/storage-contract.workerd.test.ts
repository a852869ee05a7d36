import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import type { Env } from "../../workers/env.ts";
import { newCacherWatch } from "../../workers/storage/cacher/client.ts";
import type { CacherStub } from "../../workers/storage/cacher/client.ts";
import { newShardStorage } from "../../workers/storage/shard/client.ts";
import type { ShardStub, Watcher } from "../../workers/storage/shard/client.ts";
import { ShardTables } from "../../workers/storage/shard/tables.ts";
import { describeStorageContract } from "./storage-contract.ts";
import type { StorageContractSubject } from "./storage-contract.ts";

const bindings = env as unknown as Env;
let count = 0;

function newSubject(withCache: boolean): Promise<StorageContractSubject> {
  const name = `contract-${count++}/things`;
  const shard = bindings.RESOURCE_SHARD.getByName(name) as unknown as DurableObjectStub;
  const cache = bindings.WATCH_CACHE.getByName(name) as unknown as DurableObjectStub;
  const watcher: Watcher = (options) =>
    newCacherWatch(cache as unknown as CacherStub, { ...options, representation: { kind: "storage" } });
  return Promise.resolve({
    storage: newShardStorage(shard as unknown as ShardStub, withCache ? watcher : undefined),
    async compact(revision) {
      await runInDurableObject(shard, (_, state) => {
        const tables = new ShardTables(state.storage.sql);
        tables.compact(tables.load().compactedRevision, revision);
      });
      await evictDurableObject(shard);
      // The cache's buffer reaches further back than the history of its shard.
      if (!withCache) return;
      await runInDurableObject(cache, () => undefined);
      await evictDurableObject(cache);
    },
  });
}

describeStorageContract("ResourceShard", () => newSubject(false), { watch: false });
describeStorageContract("ResourceShard with WatchCache", () => newSubject(true), { watch: true });
