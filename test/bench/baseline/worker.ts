import { DurableObject } from "cloudflare:workers";

/**
 * What the platform costs by itself: an empty Worker, and a Durable Object that only puts and selects. Every ratio of the
 * bench is measured against this one in the same run.
 */
interface Env {
  STORE: DurableObjectNamespace<Store>;
}

export class Store extends DurableObject<Env> {
  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    state.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS objects (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    );
  }

  put(key: string, value: string): void {
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO objects (key, value) VALUES (?, ?)", key, value);
  }

  putAll(entries: [string, string][]): void {
    for (const [key, value] of entries) this.put(key, value);
  }

  /** Every value from `prefix` on, as one JSON text; streamed when it is above 8 MB. */
  override fetch(request: Request): Response {
    const prefix = new URL(request.url).pathname;
    const cursor = this.ctx.storage.sql
      .exec("SELECT value FROM objects WHERE key >= ? AND key < ? ORDER BY key", prefix, `${prefix}\uffff`)
      .raw();
    const values: string[] = [];
    let size = 0;
    for (const [value] of cursor) {
      values.push(value as string);
      size += (value as string).length;
    }
    const headers = { "Content-Type": "application/json", "Content-Encoding": "identity" };
    if (size < 8_000_000) return new Response(`{"items":[${values.join(",")}]}`, { headers });
    const encoder = new TextEncoder();
    let at = 0;
    const stream = new ReadableStream({
      pull(controller) {
        const end = Math.min(at + 500, values.length);
        const text = values.slice(at, end).join(",");
        controller.enqueue(
          encoder.encode(`${at === 0 ? '{"items":[' : ","}${text}${end === values.length ? "]}" : ""}`),
        );
        at = end;
        if (at === values.length) controller.close();
      },
    });
    return new Response(stream, { headers });
  }
}

export default {
  async fetch(request, env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/") return new Response();
    const store = env.STORE.get(env.STORE.idFromName("store"));
    if (pathname.startsWith("/put/")) {
      await store.put(pathname.slice(4), await request.text());
      return new Response(null, { status: 201 });
    }
    if (pathname === "/putall") {
      await store.putAll(await request.json());
      return new Response(null, { status: 201 });
    }
    if (pathname.startsWith("/list/")) return store.fetch(`https://store${pathname.slice(5)}`);
    return new Response(null, { status: 404 });
  },
} satisfies ExportedHandler<Env>;
