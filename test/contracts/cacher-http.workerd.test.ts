import { env as testEnv, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../workers/apimachinery/clock.ts";
import { watchResponse } from "../../workers/apiserver/watch/http-watch.ts";
import { watchWebSocketResponse } from "../../workers/apiserver/watch/websocket-watch.ts";
import type { Env } from "../../workers/env.ts";
import { maxOutstanding } from "../../workers/storage/cacher/protocol.ts";
import type { Representation, WatchRequest } from "../../workers/storage/cacher/protocol.ts";
import { encodeObject } from "../../workers/storage/encode-object.ts";
import type { Storage } from "../../workers/storage/interfaces.ts";
import { newShardStorage } from "../../workers/storage/shard/client.ts";
import { nth } from "../support/revisions.ts";

const env = testEnv as unknown as Env;
const prefix = "/registry/configmaps/";
const object: Representation = { kind: "object", apiVersion: "v1", objectKind: "ConfigMap" };

let clusters = 0;

function newType() {
  const name = `cacher-http-${++clusters}/configmaps`;
  const cache = env.WATCH_CACHE.getByName(name);
  const storage: Storage = newShardStorage(env.RESOURCE_SHARD.getByName(name), () =>
    Promise.reject(new Error("not used")),
  );
  const clock = new FakeClock();
  return {
    cache,
    storage,
    clock,
    create: (name: string, text = "") =>
      storage.create(
        `${prefix}default/${name}`,
        encodeObject({ metadata: { name, namespace: "default" }, data: { text } }),
      ),
    watch: (request: Partial<WatchRequest> = {}, options: { timeoutSeconds?: number; signal?: AbortSignal } = {}) =>
      watchResponse(cache, { prefix, representation: object, ...request }, { clock, random: () => 0.5, ...options }),
    sockets: () => runInDurableObject(cache as never, (_, ctx) => ctx.getWebSockets().length),
  };
}

/** Reads events from a stream; undefined at its end. */
function eventsOf(response: Response): () => Promise<{ type: string; object: any } | undefined> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  return async () => {
    for (;;) {
      const end = rest.indexOf("\n");
      if (end >= 0) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        return JSON.parse(line);
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      rest += value;
    }
  };
}

describe("watchResponse", () => {
  it("W12 streams newline-terminated events under headers that no proxy holds back", async () => {
    const type = newType();
    await type.create("a");
    const response = await type.watch();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "application/json",
      "content-encoding": "identity",
      "cache-control": "no-cache, private, no-transform",
    });
    const next = eventsOf(response);
    expect(await next()).toEqual({
      type: "ADDED",
      object: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { name: "a", namespace: "default", resourceVersion: String(nth(1)) },
        data: { text: "" },
      },
    });
    await type.create("b", "é€𐍈");
    expect((await next())?.object.data.text).toBe("é€𐍈");
  });

  it("W3 a start before the history is an ERROR event in a stream of status 200", async () => {
    const type = newType();
    await type.create("a");
    const next = eventsOf(await type.watch({ since: nth(5), initialEvents: true }));
    expect(await next()).toEqual({
      type: "ERROR",
      object: {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: `Timeout: Too large resource version: ${nth(5)}, current: ${nth(1)}`,
        reason: "Timeout",
        details: {
          causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
          retryAfterSeconds: 1,
        },
        code: 504,
      },
    });
    expect(await next()).toBeUndefined();
  });

  it.each([
    ["timeoutSeconds", { timeoutSeconds: 7 }, 7_000],
    ["a random time of 5 to 10 minutes", {}, 450_000],
  ])("W13 ends after %s with a last bookmark", async (_, options, milliseconds) => {
    const type = newType();
    await type.create("a");
    const next = eventsOf(await type.watch({ since: nth(1), bookmarks: true, labelSelector: "app=none" }, options));
    await type.create("b");
    await vi.waitFor(async () =>
      expect(await runInDurableObject(type.cache as never, (_, ctx) => ctx.storage.getAlarm())).not.toBeNull(),
    );
    await type.clock.advance(milliseconds - 1);
    expect(await type.sockets()).toBe(1);
    await type.clock.advance(1);
    expect(await next()).toEqual({
      type: "BOOKMARK",
      object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: String(nth(2)) } },
    });
    expect(await next()).toBeUndefined();
    expect(type.clock.pending).toBe(0);
  });

  it("W14 a client that goes away releases its socket", async () => {
    const type = newType();
    await type.create("a");
    const gone = new AbortController();
    const aborted = await type.watch({ since: nth(1) }, { signal: gone.signal });
    const cancelled = await type.watch({ since: nth(1) });
    expect(await type.sockets()).toBe(2);
    gone.abort();
    await cancelled.body!.cancel();
    expect(await aborted.text()).toBe("");
    await vi.waitFor(async () => expect(await type.sockets()).toBe(0));
    expect(type.clock.pending).toBe(0);
  });

  it("W7 a client that does not read holds about one window in memory, then goes on where it was", async () => {
    const type = newType();
    await type.create("first");
    const response = await type.watch({ since: nth(1) });
    const text = "x".repeat(100_000);
    for (let index = 0; index < 30; index++) await type.create(`c${index}`, text);
    const next = eventsOf(response);
    let bytes = 0;
    for (let index = 0; index < 30; index++) {
      const event = await next();
      expect(event?.object.metadata.resourceVersion).toBe(String(nth(index + 2)));
      bytes += JSON.stringify(event).length;
    }
    expect(bytes).toBeGreaterThan(2 * maxOutstanding);
  });

  it("W15 a WebSocket watch has one event a frame, and echoes the subprotocol", async () => {
    const type = newType();
    await type.create("a");
    await type.create("b");
    const response = await watchWebSocketResponse(
      type.cache,
      { prefix, representation: object },
      { clock: type.clock, random: () => 0, timeoutSeconds: 5, protocol: "v1" },
    );
    expect(response.status).toBe(101);
    expect(response.headers.get("Sec-WebSocket-Protocol")).toBe("v1");
    const socket = response.webSocket!;
    const frames: string[] = [];
    const closed = new Promise<void>((resolve) => socket.addEventListener("close", () => resolve()));
    const both = new Promise<void>((resolve) =>
      socket.addEventListener("message", ({ data }) => {
        frames.push(data as string);
        if (frames.length === 2) resolve();
      }),
    );
    socket.accept();
    await both;
    expect(frames.map((frame) => [frame.endsWith("\n"), JSON.parse(frame).object.metadata.name])).toEqual([
      [true, "a"],
      [true, "b"],
    ]);
    await type.clock.advance(5_000);
    await closed;
  });
});
