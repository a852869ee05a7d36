import type { Clock } from "../../apimachinery/clock.ts";
import { compareKeys } from "../compare-keys.ts";
import { completeObject } from "../encode-object.ts";
import { StorageError } from "../errors.ts";
import type {
  EncodedObject,
  ListOptions,
  ListResult,
  Storage,
  StorageErrorShape,
  StorageEvent,
  StorageWatch,
  StoredObject,
  WatchOptions,
} from "../interfaces.ts";
import { emptyRevision } from "../interfaces.ts";
import { valueTooLarge } from "../value-size.ts";
import { MemoryWatch } from "./memory-watch.ts";

/**
 * The reference implementation of {@link Storage}: every event since the beginning in one array, where index + 1 is
 * the revision. Slow and obvious on purpose; the contract suite holds the others against it.
 */
export class MemoryStorage implements Storage {
  readonly #clock: Clock;
  /** Begins with what stands for the empty type. */
  readonly #events: StorageEvent[] = [{ type: "DELETED", key: "", revision: emptyRevision, value: "" }];
  readonly #current = new Map<string, StoredObject>();
  readonly #watches = new Set<MemoryWatch>();
  #compacted = emptyRevision;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async create(key: string, value: EncodedObject): Promise<StoredObject> {
    this.#checkSize(value);
    if (this.#current.has(key)) throw new StorageError({ code: "KeyExists", key });
    return this.#commit("ADDED", key, value, undefined);
  }

  async get(key: string): Promise<StoredObject | undefined> {
    return this.#current.get(key);
  }

  async update(key: string, value: EncodedObject, expectedRevision: number): Promise<StoredObject> {
    this.#checkSize(value);
    return this.#commit("MODIFIED", key, value, this.#expect(key, expectedRevision));
  }

  async delete(key: string, value: EncodedObject, expectedRevision: number): Promise<StoredObject> {
    this.#checkSize(value);
    return this.#commit("DELETED", key, value, this.#expect(key, expectedRevision));
  }

  async currentRevision(): Promise<number> {
    return this.#events.length;
  }

  async list(options: ListOptions): Promise<ListResult> {
    const { prefix, match, after } = options;
    const newest = this.#events.length;
    if (match !== undefined && match.revision > newest) {
      throw new StorageError({ code: "RevisionTooLarge", requested: match.revision, current: newest });
    }
    if (match?.kind === "exact") this.#checkCompacted(match.revision);
    const revision = match?.kind === "exact" ? match.revision : newest;
    const objects = this.#stateAt(revision, prefix).filter(
      ({ key }) => after === undefined || compareKeys(key, after) > 0,
    );
    const page = options.limit ? objects.slice(0, options.limit) : objects;
    const text = page.map(({ value }) => value).join(",");
    const result: ListResult = {
      revision,
      count: page.length,
      text: () => Promise.resolve(text),
      stream: () => new Blob([text]).stream() as ReadableStream<Uint8Array>,
    };
    if (page.length < objects.length) {
      result.lastKey = page.at(-1)!.key;
      result.remaining = objects.length - page.length;
    }
    return result;
  }

  async watch(options: WatchOptions): Promise<StorageWatch> {
    const { prefix, since, initialEvents = false } = options;
    const newest = this.#events.length;
    const watch = new MemoryWatch(this.#clock, options, newest, (ended) => this.#watches.delete(ended));
    if (initialEvents || since === undefined || since === 0) {
      if (since !== undefined && since > newest) {
        throw new StorageError({ code: "RevisionTooLarge", requested: since, current: newest });
      }
      for (const { key, value, revision } of this.#stateAt(newest, prefix)) {
        watch.deliver({ type: "ADDED", key, revision, value });
      }
      if (initialEvents) watch.endInitialEvents(newest);
    } else {
      this.#checkCompacted(since);
      for (const event of this.#events.slice(since)) watch.deliver(event);
    }
    this.#watches.add(watch);
    return watch;
  }

  /** Forgets what was before `revision`, as a store's retention would. */
  compact(revision: number): void {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, this.#events.length));
  }

  #commit(
    type: StorageEvent["type"],
    key: string,
    encoded: EncodedObject,
    previous: StoredObject | undefined,
  ): StoredObject {
    const revision = this.#events.length + 1;
    const object: StoredObject = { key, value: completeObject(encoded, revision), revision };
    if (type === "DELETED") this.#current.delete(key);
    else this.#current.set(key, object);
    const event: StorageEvent = { type, key, revision, value: object.value };
    if (previous !== undefined) event.previous = previous.value;
    this.#events.push(event);
    for (const watch of this.#watches) watch.deliver(event);
    return object;
  }

  #expect(key: string, revision: number): StoredObject {
    const current = this.#current.get(key);
    if (current === undefined) throw new StorageError({ code: "KeyNotFound", key });
    if (current.revision === revision) return current;
    throw new StorageError({ code: "RevisionConflict", key, actual: current.revision, current });
  }

  /** In key order. */
  #stateAt(revision: number, prefix: string): StoredObject[] {
    const state = new Map<string, StoredObject>();
    for (const event of this.#events.slice(0, revision)) {
      if (!event.key.startsWith(prefix)) continue;
      if (event.type === "DELETED") state.delete(event.key);
      else state.set(event.key, { key: event.key, value: event.value, revision: event.revision });
    }
    return [...state.values()].sort((a, b) => compareKeys(a.key, b.key));
  }

  #checkCompacted(revision: number): void {
    if (revision >= this.#compacted) return;
    throw new StorageError({ code: "RevisionCompacted", requested: revision, oldest: this.#compacted });
  }

  #checkSize(value: EncodedObject): void {
    const tooLarge: StorageErrorShape | undefined = valueTooLarge(value, this.#events.length + 1);
    if (tooLarge !== undefined) throw new StorageError(tooLarge);
  }
}
