import type { Clock } from "../../apimachinery/clock.ts";
import type { ListOptions, StorageErrorShape, StorageEvent } from "../interfaces.ts";
import type { CacherShard } from "./cacher.ts";
import { CurrentState } from "./current-state.ts";
import { keyedObjects } from "./initial-events.ts";

/** Length of the texts in one state: as much as the buffer may have. */
const defaultMaximumLength = 32 * 1024 * 1024;
/** A state that nobody has read for so long is dropped, and one that is too large is not tried again before. */
const retentionMilliseconds = 5 * 60_000;
const historyPage = 500;
/** History that is compacted under a reader makes it load again; so often. */
const maxLoads = 3;

export interface StateKeeperOptions {
  /** Of all keys of the type. */
  prefix: string;
  shard: CacherShard;
  clock: Clock;
  /** Events above a revision that are at hand; undefined when they do not reach back to it. */
  buffered(since: number): StorageEvent[] | undefined;
  maximumLength?: number;
}

/** Undefined: the state is too large to be kept, the shard has to be asked. */
export type StateRead = { ok: true; state: CurrentState } | { ok: false; error: StorageErrorShape } | undefined;

/**
 * Keeps a type's current objects for those who read all of them: loaded from the shard at the first read, kept current by the
 * events that pass by, brought up to date from the shard's history where some are missing.
 */
export class StateKeeper {
  readonly #options: StateKeeperOptions;
  readonly #maximumLength: number;
  #state: CurrentState | undefined;
  #loading: Promise<StorageErrorShape | undefined> | undefined;
  #readAt = -Infinity;
  #refusedUntil = -Infinity;

  constructor(options: StateKeeperOptions) {
    this.#options = options;
    this.#maximumLength = options.maximumLength ?? defaultMaximumLength;
  }

  get loaded(): boolean {
    return this.#state !== undefined;
  }

  /** An event that the cache has received. */
  hold(event: StorageEvent): void {
    if (this.#state === undefined) return;
    if (this.#options.clock.now() - this.#readAt > retentionMilliseconds) this.#state = undefined;
    else this.#apply(this.#state, [event]);
  }

  /**
   * The state that `match` asks for, as in ListOptions. `held` is the newest revision that the cache holds while the
   * shard pushes, undefined while it does not; what is read is never older. Throws what the shard's calls throw.
   */
  async read(match: ListOptions["match"], held: number | undefined): Promise<StateRead> {
    const { clock, shard } = this.#options;
    this.#readAt = clock.now();
    if (this.#readAt < this.#refusedUntil) return undefined;
    const wanted = match === undefined ? await shard.currentRevision() : match.revision;
    for (let loads = 0; ;) {
      const current = this.#state;
      if (current === undefined) {
        if (++loads > maxLoads) return undefined;
        const error = await (this.#loading ??= this.#load());
        if (error !== undefined) return { ok: false, error };
        // A load is as new as the first who waits for it.
        held ??= 0;
        if (this.#state === undefined) return undefined;
        continue;
      }
      const enough = held === undefined ? Infinity : Math.max(wanted, held);
      if (current.revision < enough && !(await this.#catchUp(current, enough))) continue;
      if (current.revision >= wanted) return { ok: true, state: current };
      return { ok: false, error: { code: "RevisionTooLarge", requested: wanted, current: current.revision } };
    }
  }

  /** Brings the state to `enough`, or to the newest revision. False when it is lost: history does not reach back to it. */
  async #catchUp(state: CurrentState, enough: number): Promise<boolean> {
    for (;;) {
      const buffered = this.#options.buffered(state.revision) ?? [];
      this.#apply(state, buffered);
      if (state.revision >= enough) return this.#state === state;
      const result = await this.#options.shard.events(state.revision, historyPage);
      if (this.#state !== state) return false;
      if (!result.ok) {
        this.#state = undefined;
        return false;
      }
      this.#apply(state, result.events);
      if (this.#state !== state) return false;
      if (state.revision >= result.revision || result.events.length === 0) return true;
    }
  }

  #apply(state: CurrentState, events: readonly StorageEvent[]): void {
    for (const event of events) state.apply(event);
    if (state.length > this.#maximumLength) this.#refuse();
  }

  #refuse(): void {
    this.#state = undefined;
    this.#refusedUntil = this.#options.clock.now() + retentionMilliseconds;
  }

  async #load(): Promise<StorageErrorShape | undefined> {
    try {
      const { prefix, shard } = this.#options;
      const listed = await shard.list({ prefix, keys: true });
      if (!listed.ok) return listed.error;
      const keys: string[] = [];
      const values: string[] = [];
      let length = 0;
      for await (const piece of keyedObjects(listed.body)) {
        for (const key of piece.keys) keys.push(key);
        for (const value of piece.values) {
          values.push(value);
          length += value.length;
        }
        if (length <= this.#maximumLength) continue;
        this.#refuse();
        return undefined;
      }
      this.#state = new CurrentState(listed.header.revision, keys, values);
      return undefined;
    } finally {
      this.#loading = undefined;
    }
  }
}
