import type { Clock } from "../apimachinery/clock.ts";
import { DelayQueue } from "./delaying.ts";
import type { RateLimitingQueue } from "./interfaces.ts";
import { Queue } from "./queue.ts";
import { defaultControllerRateLimiter } from "./rate-limiters.ts";
import type { RateLimiter } from "./rate-limiters.ts";

export interface RateLimitingQueueOptions<K> {
  rateLimiter?: RateLimiter<K>;
}

/** The queue of a controller: dedup, delay and rate limit. Mirrors client-go util/workqueue/rate_limiting_queue.go (1.36). */
export function newRateLimitingQueue<K = string>(
  clock: Clock,
  options: RateLimitingQueueOptions<K> = {},
): RateLimitingQueue<K> & { readonly nextDue: number | undefined } {
  return new WorkQueue(clock, options.rateLimiter ?? defaultControllerRateLimiter<K>(clock));
}

class WorkQueue<K> implements RateLimitingQueue<K> {
  readonly #queue = new Queue<K>();
  readonly #delayed: DelayQueue<K>;
  readonly #rateLimiter: RateLimiter<K>;

  constructor(clock: Clock, rateLimiter: RateLimiter<K>) {
    this.#delayed = new DelayQueue(clock, (item) => this.#queue.add(item));
    this.#rateLimiter = rateLimiter;
  }

  add(item: K): void {
    this.#queue.add(item);
  }

  addAfter(item: K, milliseconds: number): void {
    if (this.#queue.shuttingDown) return;
    if (milliseconds <= 0) this.#queue.add(item);
    else this.#delayed.addAfter(item, milliseconds);
  }

  addRateLimited(item: K): void {
    this.addAfter(item, this.#rateLimiter.when(item));
  }

  forget(item: K): void {
    this.#rateLimiter.forget(item);
  }

  numRequeues(item: K): number {
    return this.#rateLimiter.numRequeues(item);
  }

  get(): Promise<K | undefined> {
    return this.#queue.get();
  }

  done(item: K): void {
    this.#queue.done(item);
  }

  get length(): number {
    return this.#queue.length;
  }

  get pending(): number {
    return this.#queue.pending + this.#delayed.length;
  }

  /** When the earliest delayed item is due, in epoch milliseconds; for hosts that sleep on an alarm. */
  get nextDue(): number | undefined {
    return this.#delayed.nextDue;
  }

  shutDown(): void {
    this.#queue.shutDown();
    this.#delayed.clear();
  }
}
