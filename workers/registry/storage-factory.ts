import type { GroupResource } from "../apimachinery/gvk.ts";
import type { Env } from "../env.ts";
import { newCacherStorage } from "../storage/cacher/storage.ts";
import type { Storage } from "../storage/interfaces.ts";
import { shardName } from "../storage/keys.ts";
import { newShardStorage } from "../storage/shard/client.ts";
import type { ResourceShardProtocol, ShardEventsResult } from "../storage/shard/protocol.ts";

/** Storage clients of one cluster for one request context; a type's client is made once, so that its calls coalesce. */
export interface StorageFactory {
  readonly cluster: string;
  for(gr: GroupResource): Storage;
  /** What has changed in a type after `since`, at most `limit` events; an error when history does not reach back that far. */
  events(gr: GroupResource, since: number, limit: number): Promise<ShardEventsResult>;
  /** Where watchers of a type connect. */
  watchCache(gr: GroupResource): { fetch(request: Request): Promise<Response> };
}

export function newStorageFactory(env: Env, cluster: string): StorageFactory {
  const clients = new Map<string, Storage>();
  const watchCache = (gr: GroupResource) =>
    env.WATCH_CACHE.get(env.WATCH_CACHE.idFromName(shardName(cluster, gr))) as {
      fetch(request: Request): Promise<Response>;
    };
  return {
    cluster,
    watchCache,
    events(gr, since, limit) {
      const stub = env.RESOURCE_SHARD.get(env.RESOURCE_SHARD.idFromName(shardName(cluster, gr)));
      return (stub as unknown as Pick<ResourceShardProtocol, "events">).events(since, limit);
    },
    for(gr) {
      const name = shardName(cluster, gr);
      let client = clients.get(name);
      if (client === undefined) {
        const stub = env.RESOURCE_SHARD.get(env.RESOURCE_SHARD.idFromName(name));
        client = newCacherStorage(watchCache(gr), newShardStorage(stub));
        clients.set(name, client);
      }
      return client;
    },
  };
}
