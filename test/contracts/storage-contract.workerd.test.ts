import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import type { Env } from "../../workers/env.ts";
import type { CacherStub } from "../../workers/storage/cacher/client.ts";
import { listFromCache, newCacherStorage } from "../../workers/storage/cacher/storage.ts";
import { newShardStorage } from "../../workers/storage/shard/client.ts";
import type { ShardStub } from "../../workers/storage/shard/client.ts";
import { ShardTables } from "../../workers/storage/shard/tables.ts";
import { describeStorageContract } from "./storage-contract.ts";
import type { StorageContractSubject } from "./storage-subject.ts";

const bindings = env as unknown as Env;
let count = 0;

/** A shard alone, with its cache as the API uses it, or with the cache answering every list. */
type Form = "shard" | "cache" | "lists from the cache";

function newSubject(form: Form): Promise<StorageContractSubject> {
  const name = `contract-${count++}/things`;
  const shard = bindings.RESOURCE_SHARD.getByName(name) as unknown as DurableObjectStub;
  const cache = bindings.WATCH_CACHE.getByName(name) as unknown as DurableObjectStub;
  const cacheStub = cache as unknown as CacherStub;
  const shardStorage = newShardStorage(shard as unknown as ShardStub);
  const storage = form === "shard" ? shardStorage : newCacherStorage(cacheStub, shardStorage);
  if (form === "lists from the cache") storage.list = (options) => listFromCache(cacheStub, options);
  return Promise.resolve({
    storage,
    async compact(revision) {
      await runInDurableObject(shard, (_, state) => {
        const tables = new ShardTables(state.storage.sql);
        tables.compact(tables.load().compactedRevision, revision);
      });
      await evictDurableObject(shard);
      // The cache's buffer reaches further back than the history of its shard.
      if (form === "shard") return;
      await runInDurableObject(cache, () => undefined);
      await evictDurableObject(cache);
    },
  });
}

describeStorageContract("ResourceShard", () => newSubject("shard"), { watch: false });
describeStorageContract("ResourceShard with WatchCache", () => newSubject("cache"), { watch: true });
describeStorageContract("Lists of the WatchCache", () => newSubject("lists from the cache"), { watch: true });
