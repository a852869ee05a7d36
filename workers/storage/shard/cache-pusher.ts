import type { Clock } from "../../apimachinery/clock.ts";
import type { StorageEvent } from "../interfaces.ts";

const maxBatchEvents = 1_000;
const maxBatchSize = 8 * 1024 * 1024;
/** A cache that is further behind gets the newest event alone and fills the gap from `events()`. */
const maxBacklogEvents = 4_000;
const maxBacklogSize = 16 * 1024 * 1024;
const firstRetryMilliseconds = 1_000;
const lastRetryMilliseconds = 60_000;

/** What a cache answers to a push: the newest revision that it holds, and whether it has nobody to tell. */
export interface PushAnswer {
  revision: number;
  idle?: boolean;
}

export interface CachePusherOptions {
  push(events: StorageEvent[]): Promise<PushAnswer>;
  /** Committed events after `since`, from history. */
  read(since: number, limit: number): StorageEvent[];
  /** The newest committed revision. */
  revision(): number;
  clock: Clock;
  /** What the cache is known to hold. */
  acknowledged: number;
}

/**
 * Brings committed events to the watch cache: one push at a time, in order, each with all that has gathered meanwhile.
 * What is not acknowledged is pushed again: at once after the first failure, later when {@link attempt} is called and
 * the back-off (1 s doubling to 60 s) has passed.
 *
 * A cache that says that it has nobody to tell gets nothing more until it follows again (rule S35). That is remembered
 * in memory alone: after a restart the next commit is pushed, which does no harm.
 */
export class CachePusher {
  readonly #options: CachePusherOptions;
  #acknowledged: number;
  /** The newest committed events, consecutive; may be cut at the front or empty. */
  #backlog: StorageEvent[] = [];
  #backlogSize = 0;
  #running: Promise<void> | undefined;
  #failures = 0;
  #nextAttempt = 0;
  #idle = false;
  /** Tells an answer that was given before the cache followed again from one given after. */
  #followed = 0;

  constructor(options: CachePusherOptions) {
    this.#options = options;
    this.#acknowledged = options.acknowledged;
  }

  /** Up to here the cache needs nothing any more. */
  get acknowledged(): number {
    return this.#idle ? this.#options.revision() : this.#acknowledged;
  }

  /** The cache has nobody to tell. */
  get idle(): boolean {
    return this.#idle;
  }

  get behind(): boolean {
    return this.acknowledged < this.#options.revision();
  }

  /** No attempt is made before this time. */
  get nextAttempt(): number {
    return this.#nextAttempt;
  }

  /** The cache knows everything up to the newest revision, or asks for it, and wants what follows. */
  follow(): void {
    this.#followed++;
    if (!this.#idle) return;
    this.#idle = false;
    this.#acknowledged = this.#options.revision();
  }

  /** After a commit. */
  enqueue(events: readonly StorageEvent[]): void {
    if (this.#idle) return;
    for (const event of events) {
      this.#backlog.push(event);
      this.#backlogSize += sizeOf(event);
    }
    if (this.#backlog.length > maxBacklogEvents || this.#backlogSize > maxBacklogSize) this.#clearBacklog();
    void this.attempt();
  }

  /**
   * Pushes until the cache holds everything or a push fails; resolves as soon as the push under way has ended, since
   * under constant writes there is always another. Never rejects.
   */
  attempt(): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    if (!this.behind || this.#options.clock.now() < this.#nextAttempt) return Promise.resolve();
    const batch = this.#take();
    if (batch.length === 0) return Promise.resolve();
    this.#running = this.#push(batch).then(() => {
      this.#running = undefined;
      void this.attempt();
    });
    return this.#running;
  }

  async #push(batch: StorageEvent[]): Promise<void> {
    const followed = this.#followed;
    let answer: PushAnswer;
    try {
      answer = await this.#options.push(batch);
    } catch {
      this.#failed();
      return;
    }
    const before = this.#acknowledged;
    this.#acknowledged = Math.min(answer.revision, this.#options.revision());
    this.#dropAcknowledged();
    if (answer.idle && followed === this.#followed) {
      this.#idle = true;
      this.#failures = 0;
      this.#clearBacklog();
      return;
    }
    if (this.#acknowledged > before) this.#failures = 0;
    else this.#failed();
  }

  #take(): StorageEvent[] {
    const newest = this.#options.revision();
    if (newest - this.#acknowledged > maxBacklogEvents) {
      this.#clearBacklog();
      return this.#options.read(newest - 1, 1);
    }
    if (this.#backlog[0]?.revision === this.#acknowledged + 1) return takeBounded(this.#backlog);
    const events = this.#options.read(this.#acknowledged, maxBatchEvents);
    // History that the cache asks for may be compacted when the cache has lost its state.
    if (events[0]?.revision === this.#acknowledged + 1) return events;
    return this.#options.read(newest - 1, 1);
  }

  #failed(): void {
    this.#failures++;
    if (this.#failures === 1) return;
    const delay = Math.min(firstRetryMilliseconds * 2 ** (this.#failures - 2), lastRetryMilliseconds);
    this.#nextAttempt = this.#options.clock.now() + delay;
  }

  #dropAcknowledged(): void {
    let count = 0;
    for (const event of this.#backlog) {
      if (event.revision > this.#acknowledged) break;
      this.#backlogSize -= sizeOf(event);
      count++;
    }
    if (count > 0) this.#backlog.splice(0, count);
  }

  #clearBacklog(): void {
    this.#backlog = [];
    this.#backlogSize = 0;
  }
}

function takeBounded(events: readonly StorageEvent[]): StorageEvent[] {
  let size = 0;
  let count = 0;
  while (count < events.length && count < maxBatchEvents && size < maxBatchSize) size += sizeOf(events[count++]!);
  return events.slice(0, count);
}

function sizeOf(event: StorageEvent): number {
  return event.value.length + (event.previous?.length ?? 0);
}
