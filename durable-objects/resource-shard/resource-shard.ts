import { DurableObject } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { migrate } from "drizzle-orm/durable-sqlite/migrator";
import migrations from "../../migrations/resource-shard/migrations.js";
import { realClock } from "../../workers/apimachinery/clock.ts";
import type { Env } from "../../workers/env.ts";
import type { StorageEvent } from "../../workers/storage/interfaces.ts";
import { groupResourceOfShard, settingsFor } from "../../workers/storage/settings.ts";
import type {
  ResourceShardProtocol,
  ShardEventsResult,
  ShardOperation,
  ShardTransactResult,
} from "../../workers/storage/shard/protocol.ts";
import { Shard } from "../../workers/storage/shard/shard.ts";

/** Host of a {@link Shard}. Its name (`default/pods`) says which type it holds and which WatchCache it feeds. */
export class ResourceShard extends DurableObject<Env> implements ResourceShardProtocol {
  #shard!: Shard;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      await migrate(drizzle(ctx.storage), migrations);
      this.#shard = await this.#newShard();
    });
  }

  transact(operations: ShardOperation[]): Promise<ShardTransactResult> {
    return this.#shard.transact(operations);
  }

  currentRevision(follow?: boolean): Promise<number> {
    return this.#shard.currentRevision(follow);
  }

  events(since: number, limit: number, follow?: boolean): Promise<ShardEventsResult> {
    return this.#shard.events(since, limit, follow);
  }

  compact(): Promise<{ compactedRevision: number }> {
    return this.#shard.compact();
  }

  override fetch(request: Request): Promise<Response> {
    return this.#shard.fetch(request);
  }

  override alarm(): Promise<void> {
    return this.#shard.alarm();
  }

  async #newShard(): Promise<Shard> {
    const { storage, id } = this.ctx;
    const name = id.name ?? "";
    return new Shard({
      sql: storage.sql,
      transactionSync: (closure) => storage.transactionSync(closure),
      clock: realClock,
      nextMacrotask,
      sync: () => storage.sync(),
      setAlarm: (at) => void storage.setAlarm(at),
      alarmAt: (await storage.getAlarm()) ?? undefined,
      // The output gate holds the call back until everything written before it is durable.
      push: (events: StorageEvent[]) => this.env.WATCH_CACHE.getByName(name).push(events),
      settings: settingsFor(groupResourceOfShard(name)),
    });
  }
}

function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
