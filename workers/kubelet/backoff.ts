/**
 * Exponential back-off by key, as client-go's util/flowcontrol/backoff.go (1.36): doubling from `initial` to `max`,
 * forgotten when the last update is more than twice `max` older than the event. Times in milliseconds.
 */
export class Backoff {
  readonly #initial: number;
  readonly #max: number;
  readonly #entries = new Map<string, { backoff: number; lastUpdate: number }>();

  constructor(initial: number, max: number) {
    this.#initial = initial;
    this.#max = max;
  }

  /** The current delay of a key, 0 when it has none. */
  get(key: string): number {
    return this.#entries.get(key)?.backoff ?? 0;
  }

  /** Lengthens the delay after a failure at `eventTime`. */
  next(key: string, eventTime: number, now: number): void {
    const entry = this.#entries.get(key);
    const backoff =
      entry === undefined || this.#hasExpired(eventTime, entry.lastUpdate)
        ? this.#initial
        : Math.min(entry.backoff * 2, this.#max);
    this.#entries.set(key, { backoff, lastUpdate: now });
  }

  /** When the back-off that began at `eventTime` ends, undefined when there is none. */
  endSince(key: string, eventTime: number): number | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#hasExpired(eventTime, entry.lastUpdate)) return undefined;
    return eventTime + entry.backoff;
  }

  /** When the back-off that began at the last update ends, undefined when there is none. */
  endSinceUpdate(key: string, now: number): number | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#hasExpired(now, entry.lastUpdate)) return undefined;
    return entry.lastUpdate + entry.backoff;
  }

  /** Puts back what a restart of the process has lost. */
  restore(key: string, failures: number, lastUpdate: number): void {
    if (failures < 1) return;
    const backoff = Math.min(this.#initial * 2 ** Math.min(failures - 1, 16), this.#max);
    this.#entries.set(key, { backoff, lastUpdate });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #hasExpired(eventTime: number, lastUpdate: number): boolean {
    return eventTime - lastUpdate > this.#max * 2;
  }
}
