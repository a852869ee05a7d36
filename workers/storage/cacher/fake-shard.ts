import { emptyRevision } from "../interfaces.ts";
import type { StorageEvent } from "../interfaces.ts";
import type { ShardEventsResult, ShardListRequest } from "../shard/protocol.ts";
import type { CacherListResult, CacherShard } from "./cacher.ts";

/** A shard in memory, for tests of what reads from it. */
export class FakeShard implements CacherShard {
  readonly history: StorageEvent[] = [];
  /** History up to here is gone. */
  compacted = emptyRevision;
  eventsCalls = 0;
  listCalls = 0;
  /** What a ResourceShard does with it: whether changes are to be pushed. */
  followed = false;
  readonly #current = new Map<string, { value: string; revision: number }>();

  get revision(): number {
    return emptyRevision + this.history.length;
  }

  /** Writes an object, or deletes it when `fields` is undefined. */
  commit(key: string, fields: { labels?: Record<string, string>; [field: string]: unknown } | undefined): StorageEvent {
    const revision = this.revision + 1;
    const previous = this.#current.get(key)?.value;
    const [name, namespace] = key.split("/").reverse();
    let event: StorageEvent;
    if (fields === undefined) {
      if (previous === undefined) throw new Error(`${key} does not exist`);
      const value = previous.replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${revision}"`);
      event = { type: "DELETED", key, revision, value, previous };
      this.#current.delete(key);
    } else {
      const { labels, ...rest } = fields;
      const metadata = {
        name,
        namespace,
        ...(labels === undefined ? {} : { labels }),
        resourceVersion: String(revision),
      };
      const value = JSON.stringify({ metadata, ...rest });
      event = {
        type: previous === undefined ? "ADDED" : "MODIFIED",
        key,
        revision,
        value,
        ...(previous === undefined ? {} : { previous }),
      };
      this.#current.set(key, { value, revision });
    }
    this.history.push(event);
    return event;
  }

  /** Everything that was committed after `revision`. */
  after(revision: number): StorageEvent[] {
    return this.history.slice(revision - emptyRevision);
  }

  has(key: string): boolean {
    return this.#current.has(key);
  }

  /** Current values under a prefix, in key order. */
  values(prefix: string): string[] {
    return this.#under(prefix).map(([, { value }]) => value);
  }

  #under(prefix: string): [string, { value: string; revision: number }][] {
    return [...this.#current].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  async events(since: number, limit: number, follow?: boolean): Promise<ShardEventsResult> {
    this.eventsCalls++;
    if (follow) this.followed = true;
    await Promise.resolve();
    if (since < this.compacted) {
      return { ok: false, error: { code: "RevisionCompacted", requested: since, oldest: this.compacted } };
    }
    if (since > this.revision) {
      return { ok: false, error: { code: "RevisionTooLarge", requested: since, current: this.revision } };
    }
    return { ok: true, events: this.after(since).slice(0, limit), revision: this.revision };
  }

  async currentRevision(follow?: boolean): Promise<number> {
    if (follow) this.followed = true;
    return this.revision;
  }

  async list(request: ShardListRequest): Promise<CacherListResult> {
    this.listCalls++;
    await Promise.resolve();
    if (request.match !== undefined && request.match.revision > this.revision) {
      return {
        ok: false,
        error: { code: "RevisionTooLarge", requested: request.match.revision, current: this.revision },
      };
    }
    const objects = this.#under(request.prefix);
    const header = { revision: this.revision, count: objects.length };
    const text = request.keys
      ? objects.map(([key, { value }]) => `${JSON.stringify(key)}\n${value}\n`).join("")
      : objects.map(([, { value }]) => value).join(",");
    return { ok: true, header, body: new Blob([text]).stream() as ReadableStream<Uint8Array> };
  }
}
