import type { Sleeper } from "./protocol.ts";

/** A synchronous key-value store, such as a Durable Object's. */
export interface SleeperStore {
  list(): Iterable<[string, SleeperRecord]>;
  put(key: string, record: SleeperRecord): void;
  delete(key: string): void;
}

export interface SleeperRecord extends Sleeper {
  since: number;
}

/** More loops than this do not watch one type; a further one is refused. */
const maxSleepers = 100;

/**
 * Loops that sleep until the next event. Kept durably, since the cache may hibernate as well; one record for each loop,
 * removed when its wake() has succeeded, so that a failed call is tried again at the next event.
 */
export class Sleepers {
  readonly #store: SleeperStore;
  readonly #wake: (sleeper: Sleeper) => Promise<void>;
  readonly #records: Map<string, SleeperRecord>;
  readonly #waking = new Set<string>();

  constructor(store: SleeperStore, wake: (sleeper: Sleeper) => Promise<void>) {
    this.#store = store;
    this.#wake = wake;
    this.#records = new Map(store.list());
  }

  get size(): number {
    return this.#records.size;
  }

  /** Throws an Error when there are too many. */
  add(sleeper: Sleeper, since: number): void {
    const key = `${sleeper.binding}/${sleeper.name}`;
    if (!this.#records.has(key) && this.#records.size >= maxSleepers)
      throw new Error(`more than ${maxSleepers} sleepers`);
    const record = { binding: sleeper.binding, name: sleeper.name, since };
    this.#records.set(key, record);
    this.#store.put(key, record);
  }

  /** Wakes whoever sleeps since an older revision. Resolves when the calls are done; a failed one stays for the next time. */
  async revisionReached(revision: number): Promise<void> {
    const due = [...this.#records].filter(([key, { since }]) => since < revision && !this.#waking.has(key));
    await Promise.all(due.map(([key, record]) => this.#wakeOne(key, record)));
  }

  async #wakeOne(key: string, record: SleeperRecord): Promise<void> {
    this.#waking.add(key);
    try {
      await this.#wake({ binding: record.binding, name: record.name });
    } catch {
      return;
    } finally {
      this.#waking.delete(key);
    }
    // It may have gone to sleep again meanwhile.
    if (this.#records.get(key) !== record) return;
    this.#records.delete(key);
    this.#store.delete(key);
  }
}
