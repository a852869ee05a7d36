import { env, runInDurableObject } from "cloudflare:test";
import { FakeClock } from "../../workers/apimachinery/clock.ts";
import type { Env } from "../../workers/env.ts";
import { encodeObject } from "../../workers/storage/encode-object.ts";
import type { EncodedObject, StorageEvent } from "../../workers/storage/interfaces.ts";
import { settingsFor } from "../../workers/storage/settings.ts";
import type { ShardOperation, ShardOperationResult, ShardSettings } from "../../workers/storage/shard/protocol.ts";
import { Shard, type ShardHost } from "../../workers/storage/shard/shard.ts";
import { nth, ordinal } from "./revisions.ts";

export const things = "/registry/things/";

export function thing(name: string, value: unknown = 0): EncodedObject {
  return encodeObject({ metadata: { name, namespace: "default" }, value });
}

export const create = (name: string, value?: unknown): ShardOperation => ({
  kind: "create",
  key: things + name,
  value: thing(name, value),
});

/** Of the object that the type's nth change wrote. */
export const change = (kind: "update" | "delete", name: string, expected: number, value?: unknown): ShardOperation => ({
  kind,
  key: things + name,
  value: thing(name, value),
  expectedRevision: nth(expected),
});

/**
 * A shard over the tables of a real Durable Object, with everything else in the hands of the test: time, the alarm, and
 * the cache at the other end.
 */
export class ShardBench {
  readonly clock = new FakeClock();
  readonly sql: SqlStorage;
  /** Every alarm that was set, in order. */
  readonly alarms: number[] = [];
  /** Every batch that reached the cache. */
  readonly pushes: StorageEvent[][] = [];
  /** How the cache answers; the default takes everything. */
  onPush: (events: StorageEvent[]) => Promise<{ revision: number }> = (events) =>
    Promise.resolve({ revision: events.at(-1)!.revision });
  /** Rows that were written and a hook before each statement. */
  rowsWritten = 0;
  onExec: (query: string, bindings: unknown[]) => void = () => {};
  readonly #storage: DurableObjectStorage;
  readonly #settings: ShardSettings;
  #alarmAt: number | undefined;
  shard: Shard;

  constructor(storage: DurableObjectStorage, settings: Partial<ShardSettings>) {
    this.#storage = storage;
    this.#settings = { ...settingsFor({ group: "", resource: "things" }), ...settings };
    this.sql = {
      exec: (query: string, ...bindings: unknown[]) => {
        this.onExec(query, bindings);
        const cursor = storage.sql.exec(query, ...bindings);
        this.rowsWritten += cursor.rowsWritten;
        return cursor;
      },
    } as SqlStorage;
    this.shard = this.restart();
  }

  /** As after an eviction: only tables and alarm remain. */
  restart(): Shard {
    const host: ShardHost = {
      sql: this.sql,
      transactionSync: (closure) => this.#storage.transactionSync(closure),
      clock: this.clock,
      nextMacrotask,
      sync: () => this.#storage.sync(),
      setAlarm: (at) => {
        this.#alarmAt = at;
        this.alarms.push(at);
      },
      alarmAt: this.#alarmAt,
      push: (events) => {
        this.pushes.push(events);
        return this.onPush(events);
      },
      settings: this.#settings,
    };
    this.shard = new Shard(host);
    return this.shard;
  }

  get alarmAt(): number | undefined {
    return this.#alarmAt;
  }

  /** Moves time to the alarm that is set and lets it go off; says how far that was. */
  async fireAlarm(): Promise<number> {
    if (this.#alarmAt === undefined) throw new Error("no alarm is set");
    const wait = Math.max(0, this.#alarmAt - this.clock.now());
    await this.clock.advance(wait);
    this.#alarmAt = undefined;
    await this.shard.alarm();
    return wait;
  }

  async run(...operations: ShardOperation[]): Promise<ShardOperationResult[]> {
    return (await this.shard.transact(operations)).results;
  }

  /** The list's header, and the objects as `name@n`, written by the nth change. */
  async list(request: object): Promise<{ header: Record<string, unknown>; names: string[] }> {
    const response = await this.listResponse(request);
    const objects = JSON.parse(`[${await response.text()}]`) as {
      metadata: { name: string; resourceVersion: string };
    }[];
    return {
      header: JSON.parse(response.headers.get("edgeplane-list")!) as Record<string, unknown>,
      names: objects.map(({ metadata }) => `${metadata.name}@${ordinal(metadata.resourceVersion)}`),
    };
  }

  listResponse(request: object): Promise<Response> {
    return this.shard.fetch(new Request("https://shard/list", { method: "POST", body: JSON.stringify(request) }));
  }

  /** The rows in `history`: of the nth change each. */
  historyRows(): number[] {
    return Array.from(this.#storage.sql.exec("SELECT revision FROM history ORDER BY revision").raw(), (row) =>
      ordinal(row[0] as number),
    );
  }
}

let count = 0;

export function withShard(settings: Partial<ShardSettings>, test: (bench: ShardBench) => Promise<void>): Promise<void> {
  const stub = (env as unknown as Env).RESOURCE_SHARD.getByName(
    `bench-${count++}/things`,
  ) as unknown as DurableObjectStub;
  return runInDurableObject(stub, (_, state) => test(new ShardBench(state.storage, settings)));
}

export function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
