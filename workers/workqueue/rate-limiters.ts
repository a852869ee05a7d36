import type { Clock } from "../apimachinery/clock.ts";

/** Decides how long an item waits before it is tried again. Mirrors client-go util/workqueue/default_rate_limiters.go (1.36). */
export interface RateLimiter<K> {
  /** Milliseconds to wait; counts as a failure of the item. */
  when(item: K): number;
  forget(item: K): void;
  numRequeues(item: K): number;
}

/** base · 2^failures, at most `max` milliseconds, for each item by itself. */
export class ItemExponentialFailureRateLimiter<K> implements RateLimiter<K> {
  readonly #failures = new Map<K, number>();
  readonly #base: number;
  readonly #max: number;

  constructor(baseMilliseconds: number, maxMilliseconds: number) {
    this.#base = baseMilliseconds;
    this.#max = maxMilliseconds;
  }

  when(item: K): number {
    const failures = this.#failures.get(item) ?? 0;
    this.#failures.set(item, failures + 1);
    return Math.min(this.#base * 2 ** failures, this.#max);
  }

  forget(item: K): void {
    this.#failures.delete(item);
  }

  numRequeues(item: K): number {
    return this.#failures.get(item) ?? 0;
  }
}

/** Fast retries first, then slow ones. */
export class ItemFastSlowRateLimiter<K> implements RateLimiter<K> {
  readonly #failures = new Map<K, number>();
  readonly #fast: number;
  readonly #slow: number;
  readonly #fastAttempts: number;

  constructor(fastMilliseconds: number, slowMilliseconds: number, fastAttempts: number) {
    this.#fast = fastMilliseconds;
    this.#slow = slowMilliseconds;
    this.#fastAttempts = fastAttempts;
  }

  when(item: K): number {
    const failures = (this.#failures.get(item) ?? 0) + 1;
    this.#failures.set(item, failures);
    return failures <= this.#fastAttempts ? this.#fast : this.#slow;
  }

  forget(item: K): void {
    this.#failures.delete(item);
  }

  numRequeues(item: K): number {
    return this.#failures.get(item) ?? 0;
  }
}

/** A token bucket for all items together: `perSecond` refill, `burst` deep. Each call reserves a token. */
export class BucketRateLimiter<K> implements RateLimiter<K> {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #last: number;

  constructor(clock: Clock, perSecond: number, burst: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#last = clock.now();
  }

  when(): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (Math.max(0, now - this.#last) / 1000) * this.#perSecond);
    this.#last = now;
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#perSecond) * 1000;
  }

  forget(): void {}

  numRequeues(): number {
    return 0;
  }
}

/** The longest wait that any of its members asks for. */
export class MaxOfRateLimiter<K> implements RateLimiter<K> {
  readonly #limiters: readonly RateLimiter<K>[];

  constructor(...limiters: RateLimiter<K>[]) {
    this.#limiters = limiters;
  }

  when(item: K): number {
    return Math.max(...this.#limiters.map((limiter) => limiter.when(item)));
  }

  forget(item: K): void {
    for (const limiter of this.#limiters) limiter.forget(item);
  }

  numRequeues(item: K): number {
    return Math.max(...this.#limiters.map((limiter) => limiter.numRequeues(item)));
  }
}

/** 5 ms · 2^n up to 1000 s for an item, 10 a second with a burst of 100 for all. */
export function defaultControllerRateLimiter<K>(clock: Clock): RateLimiter<K> {
  return new MaxOfRateLimiter(
    new ItemExponentialFailureRateLimiter<K>(5, 1_000_000),
    new BucketRateLimiter<K>(clock, 10, 100),
  );
}
