import { DurableObject } from "cloudflare:workers";
import { realClock } from "../../workers/apimachinery/clock.ts";
import { selectableFields } from "../../workers/apis/selectable-fields.ts";
import type { Env, LoopHostProtocol } from "../../workers/env.ts";
import { Cacher } from "../../workers/storage/cacher/cacher.ts";
import type { CacherListResult, CacherShard } from "../../workers/storage/cacher/cacher.ts";
import { pieces } from "../../workers/storage/cacher/initial-events.ts";
import { closeCode } from "../../workers/storage/cacher/protocol.ts";
import type {
  Sleeper,
  WatchCacheProtocol,
  WatcherMessage,
  WatchRequest,
} from "../../workers/storage/cacher/protocol.ts";
import { Sleepers } from "../../workers/storage/cacher/sleepers.ts";
import type { SleeperRecord, SleeperStore } from "../../workers/storage/cacher/sleepers.ts";
import type { SavedWatcher, WatcherSocket } from "../../workers/storage/cacher/watcher.ts";
import type { StorageErrorShape, StorageEvent } from "../../workers/storage/interfaces.ts";
import { groupResourceOfShard, settingsFor } from "../../workers/storage/settings.ts";
import { problemOfList } from "../../workers/storage/shard/check-input.ts";
import { listFailure, listResponse } from "../../workers/storage/shard/list-response.ts";
import type { ResourceShardProtocol, ShardListHeader, ShardListRequest } from "../../workers/storage/shard/protocol.ts";
import { encoder } from "./encoder.ts";

/** What a ResourceShard stub offers of its protocol. */
type ShardStub = Pick<ResourceShardProtocol, "events" | "currentRevision"> & {
  fetch(url: string, init?: RequestInit): Promise<Response>;
};

/**
 * Host of a type's {@link Cacher}: hibernatable sockets, the alarm for bookmarks, the sleepers' records. Its name is the
 * shard's name. It keeps nothing else durably, so it may be evicted at any time.
 */
export class WatchCache extends DurableObject<Env> implements WatchCacheProtocol {
  readonly #cacher: Cacher;
  readonly #sleepers: Sleepers;
  readonly #sockets = new Map<WebSocket, WatcherSocket>();
  #alarmAsked = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const name = ctx.id.name!;
    const type = groupResourceOfShard(name);
    this.#sleepers = new Sleepers(sleeperStore(ctx), (sleeper) => wake(env, sleeper));
    this.#cacher = new Cacher({
      type,
      shard: shardOf(() => env.RESOURCE_SHARD.getByName(name)),
      clock: realClock,
      random: Math.random,
      encoder,
      fields: selectableFields(type.group, type.resource),
      capacity: settingsFor(type).watchCacheCapacity,
      wakeAt: (milliseconds) => void this.#askAlarm(milliseconds),
      dispatched: (revision) => void this.#sleepers.revisionReached(revision),
      awaited: () => this.#sleepers.size > 0,
    });
    const restored: [WatcherSocket, SavedWatcher][] = [];
    for (const socket of ctx.getWebSockets()) {
      const saved = socket.deserializeAttachment() as SavedWatcher | null;
      if (saved !== null) restored.push([this.#socketOf(socket), saved]);
    }
    this.#cacher.restore(restored);
  }

  push(events: StorageEvent[]): Promise<{ revision: number; idle?: boolean }> {
    return this.#cacher.push(events);
  }

  async wakeOn(sleeper: Sleeper, since: number): Promise<void> {
    this.#sleepers.add(sleeper, since);
    // The newest commit may not have been pushed yet, or may have been before this object slept.
    const revision = await this.env.RESOURCE_SHARD.getByName(this.ctx.id.name!).currentRevision(true);
    // Not awaited: the caller is the one to be woken.
    void this.#sleepers.revisionReached(revision);
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/watch") return this.#acceptWatch(request);
    if (pathname === "/list") return this.#list(await request.text());
    return new Response("not found\n", { status: 404 });
  }

  override webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): void {
    const message = JSON.parse(data as string) as WatcherMessage;
    if ("ack" in message) this.#cacher.acknowledged(this.#socketOf(socket), message.ack);
    else this.#cacher.endRequested(this.#socketOf(socket));
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    this.#drop(socket);
    // 1005 and 1006 may not be sent.
    socket.close(code === 1005 || code === 1006 ? closeCode.done : code, reason);
  }

  override webSocketError(socket: WebSocket): void {
    this.#drop(socket);
  }

  override alarm(): void {
    this.#alarmAsked = false;
    this.#cacher.sendDueBookmarks();
  }

  #acceptWatch(request: Request): Response {
    const header = request.headers.get("edgeplane-watch");
    if (request.headers.get("Upgrade") !== "websocket" || header === null) {
      return new Response("a WebSocket with an edgeplane-watch header is expected\n", { status: 400 });
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    try {
      this.#cacher.accept(this.#socketOf(server), JSON.parse(header) as WatchRequest);
    } catch (error) {
      server.close(closeCode.error, "");
      return new Response(error instanceof Error ? error.message : String(error), { status: 400 });
    }
    return new Response(null, { status: 101, webSocket: client });
  }

  async #list(body: string): Promise<Response> {
    try {
      const request = JSON.parse(body) as ShardListRequest;
      const listed = problemOfList(request) === undefined ? await this.#cacher.list(request) : undefined;
      if (listed?.ok) return listResponse(listed.header, bodyOf(listed.values));
      if (listed !== undefined) return listFailure(listed.error);
      return await this.env.RESOURCE_SHARD.getByName(this.ctx.id.name!).fetch("https://shard/list", {
        method: "POST",
        body,
      });
    } catch (error) {
      return listFailure({ code: "Unavailable", message: error instanceof Error ? error.message : String(error) });
    }
  }

  #drop(socket: WebSocket): void {
    const saved = socket.deserializeAttachment() as SavedWatcher | null;
    this.#cacher.closed(this.#socketOf(socket), saved ?? undefined);
    this.#sockets.delete(socket);
  }

  #socketOf(socket: WebSocket): WatcherSocket {
    let wrapped = this.#sockets.get(socket);
    if (wrapped === undefined) {
      wrapped = {
        send: (frame) => socket.send(frame),
        close: (code, reason) => socket.close(code, reason),
        save: (state) => socket.serializeAttachment(state),
      };
      this.#sockets.set(socket, wrapped);
    }
    return wrapped;
  }

  /** At most one alarm at a time: it costs a row. */
  async #askAlarm(milliseconds: number): Promise<void> {
    if (this.#alarmAsked) return;
    this.#alarmAsked = true;
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(milliseconds);
  }
}

/** Above this a body is streamed. */
const streamAbove = 8 * 1024 * 1024;

/** Texts joined by commas. */
function bodyOf(values: string[]): string | ReadableStream<Uint8Array> {
  let length = 0;
  for (const value of values) length += value.length;
  if (length <= streamAbove) return values.join(",");
  const encoder = new TextEncoder();
  const parts = pieces(values);
  let separator = "";
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value: part } = parts.next();
      if (done) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(separator + part.join(",")));
      separator = ",";
    },
  });
}

function sleeperStore({ storage }: DurableObjectState): SleeperStore {
  const prefix = "sleeper:";
  return {
    *list() {
      for (const [key, record] of storage.kv.list<SleeperRecord>({ prefix })) yield [key.slice(prefix.length), record];
    },
    put: (key, record) => storage.kv.put(prefix + key, record),
    delete: (key) => void storage.kv.delete(prefix + key),
  };
}

async function wake(env: Env, { binding, name }: Sleeper): Promise<void> {
  const namespace = (
    env as unknown as Record<string, DurableObjectNamespace<LoopHostProtocol & Rpc.DurableObjectBranded>>
  )[binding];
  await namespace!.getByName(name).wake();
}

function shardOf(stub: () => ShardStub): CacherShard {
  return {
    events: (since, limit, follow) => stub().events(since, limit, follow),
    currentRevision: (follow) => stub().currentRevision(follow),
    async list(request: ShardListRequest): Promise<CacherListResult> {
      const response = await stub().fetch("https://shard/list", { method: "POST", body: JSON.stringify(request) });
      const header = JSON.parse(response.headers.get("edgeplane-list") ?? "null") as unknown;
      if (response.ok && header !== null) {
        return { ok: true, header: header as ShardListHeader, body: response.body ?? new Blob([]).stream() };
      }
      const text = await response.text();
      const error = (header as StorageErrorShape | null) ?? {
        code: "Unavailable",
        message: `list: ${response.status} ${text}`,
      };
      return { ok: false, error };
    },
  };
}
