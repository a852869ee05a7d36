import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import type { Env } from "../../workers/env.ts";
import { newShardStorage, type ShardStub } from "../../workers/storage/shard/client.ts";
import { ShardTables } from "../../workers/storage/shard/tables.ts";
import { describeStorageContract } from "./storage-contract.ts";

let count = 0;

describeStorageContract(
  "ResourceShard",
  () => {
    const stub = (env as unknown as Env).RESOURCE_SHARD.getByName(`contract-${count++}/things`);
    return Promise.resolve({
      storage: newShardStorage(stub as unknown as ShardStub),
      async compact(revision) {
        await runInDurableObject(stub as unknown as DurableObjectStub, (_, state) => {
          const tables = new ShardTables(state.storage.sql);
          tables.compact(tables.load().compactedRevision, revision);
        });
        await evictDurableObject(stub as unknown as DurableObjectStub);
      },
    });
  },
  { watch: false },
);
