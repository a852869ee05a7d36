/** client-go's util/workqueue as one interface: dedup, delay and rate limit. Keys are compared by identity (strings). */
export interface RateLimitingQueue<K = string> {
  /** Adds unless it already waits; an item being processed is queued again after `done`. */
  add(item: K): void;
  addAfter(item: K, milliseconds: number): void;
  /** Adds after the limiter's delay for this item (5 ms · 2^n up to 1000 s, overall 10 qps with a burst of 100). */
  addRateLimited(item: K): void;
  /** Forgets the failures of an item. */
  forget(item: K): void;
  numRequeues(item: K): number;
  /** Waits for an item; undefined after shutDown and once drained. */
  get(): Promise<K | undefined>;
  /** Must be called once for each item that `get` gave. */
  done(item: K): void;
  readonly length: number;
  /** Items waiting, delayed or being processed: 0 means nothing to do. */
  readonly pending: number;
  shutDown(): void;
}
