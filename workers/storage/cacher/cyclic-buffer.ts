import type { StorageEvent } from "../interfaces.ts";

/** Milliseconds of events that the buffer tries to hold: the bookmark period and a little more. */
export const eventFreshDuration = 75_000;

/** Length of the texts in one buffer: a quarter of an isolate's memory. */
const defaultMaximumLength = 32 * 1024 * 1024;

interface BufferedEvent {
  event: StorageEvent;
  recordTime: number;
}

/**
 * The newest events of a type, with consecutive revisions. The capacity follows the event rate within bounds: doubled
 * when a full buffer spans less than {@link eventFreshDuration}, halved when its newest quarter spans more.
 * Mirrors the cyclic buffer of k8s.io/apiserver pkg/storage/cacher/watch_cache.go (1.36). Unlike there, the length of
 * the texts is bounded too; only the newest event is kept whatever its size.
 */
export class CyclicBuffer {
  readonly #minimum: number;
  readonly #maximum: number;
  readonly #maximumLength: number;
  #length = 0;
  #slots: (BufferedEvent | undefined)[];
  /** Positions grow for ever; the slot of a position is its remainder by the capacity. */
  #start = 0;
  #end = 0;

  constructor(bounds: { minimum: number; maximum: number; maximumLength?: number }) {
    this.#maximumLength = bounds.maximumLength ?? defaultMaximumLength;
    this.#minimum = Math.max(4, bounds.minimum);
    this.#maximum = Math.max(this.#minimum, bounds.maximum);
    this.#slots = new Array<BufferedEvent | undefined>(this.#minimum);
  }

  get capacity(): number {
    return this.#slots.length;
  }

  get size(): number {
    return this.#end - this.#start;
  }

  /** Revision of the newest event; undefined when empty. */
  get newest(): number | undefined {
    return this.size === 0 ? undefined : this.#at(this.#end - 1).event.revision;
  }

  /** A watch may start here or later: one below the oldest event; undefined when empty. */
  get oldestStart(): number | undefined {
    return this.size === 0 ? undefined : this.#at(this.#start).event.revision - 1;
  }

  /** The event must have the revision after {@link newest}. */
  append(event: StorageEvent, now: number): void {
    const { newest } = this;
    if (newest !== undefined && event.revision !== newest + 1) {
      throw new Error(`revision ${event.revision} does not follow ${newest}`);
    }
    this.#resize(now);
    if (this.#full) this.#dropOldest();
    this.#slots[this.#end % this.capacity] = { event, recordTime: now };
    this.#end++;
    this.#length += lengthOf(event);
    while (this.#length > this.#maximumLength && this.size > 1) this.#dropOldest();
  }

  clear(): void {
    this.#slots = new Array<BufferedEvent | undefined>(this.#minimum);
    this.#start = this.#end = this.#length = 0;
  }

  /** Events above `revision`, at most `limit`; undefined when the buffer does not reach back that far or is empty. */
  after(revision: number, limit = Infinity): StorageEvent[] | undefined {
    const { oldestStart } = this;
    if (oldestStart === undefined || revision < oldestStart) return undefined;
    const first = this.#start + (revision - oldestStart);
    const last = Math.min(this.#end, first + limit);
    const events: StorageEvent[] = [];
    for (let position = first; position < last; position++) events.push(this.#at(position).event);
    return events;
  }

  get #full(): boolean {
    return this.size === this.capacity;
  }

  #at(position: number): BufferedEvent {
    return this.#slots[position % this.capacity]!;
  }

  #dropOldest(): void {
    this.#length -= lengthOf(this.#at(this.#start).event);
    this.#slots[this.#start % this.capacity] = undefined;
    this.#start++;
  }

  #resize(now: number): void {
    if (!this.#full) return;
    if (now - this.#at(this.#start).recordTime < eventFreshDuration) {
      this.#resizeTo(Math.min(this.capacity * 2, this.#maximum));
    } else if (now - this.#at(this.#end - Math.floor(this.capacity / 4)).recordTime > eventFreshDuration) {
      this.#resizeTo(Math.max(Math.floor(this.capacity / 2), this.#minimum));
    }
  }

  #resizeTo(capacity: number): void {
    if (capacity === this.capacity) return;
    while (this.size > capacity) this.#dropOldest();
    const slots = new Array<BufferedEvent | undefined>(capacity);
    for (let position = this.#start; position < this.#end; position++) slots[position % capacity] = this.#at(position);
    this.#slots = slots;
  }
}

function lengthOf(event: StorageEvent): number {
  return event.value.length + (event.previous?.length ?? 0);
}
