import type { Clock, TimerHandle } from "../apimachinery/clock.ts";

/** Platforms take timers of at most 2^31-1 ms; a longer wait is armed again. */
const longestTimer = 24 * 3600 * 1000;

interface Waiting<K> {
  item: K;
  readyAt: number;
  /** Ties go in order of arrival. */
  sequence: number;
}

/**
 * Holds items until they are due, with one timer for the earliest. An item waits once: a second delay counts only if it
 * ends earlier. Mirrors client-go util/workqueue/delaying_queue.go (1.36).
 */
export class DelayQueue<K> {
  readonly #clock: Clock;
  readonly #ready: (item: K) => void;
  readonly #heap: Waiting<K>[] = [];
  readonly #byItem = new Map<K, Waiting<K>>();
  #sequence = 0;
  #timer: { handle: TimerHandle; at: number } | undefined;

  constructor(clock: Clock, ready: (item: K) => void) {
    this.#clock = clock;
    this.#ready = ready;
  }

  addAfter(item: K, milliseconds: number): void {
    const readyAt = this.#clock.now() + milliseconds;
    const existing = this.#byItem.get(item);
    if (existing !== undefined && existing.readyAt <= readyAt) return;
    const entry = { item, readyAt, sequence: this.#sequence++ };
    // The superseded entry stays in the heap and is passed over when it comes up.
    this.#byItem.set(item, entry);
    this.#push(entry);
    this.#arm();
  }

  get length(): number {
    return this.#byItem.size;
  }

  /** When the earliest item is due, in epoch milliseconds. */
  get nextDue(): number | undefined {
    this.#dropSuperseded();
    return this.#heap[0]?.readyAt;
  }

  clear(): void {
    this.#heap.length = 0;
    this.#byItem.clear();
    this.#disarm();
  }

  #arm(): void {
    const due = this.nextDue;
    if (due === undefined) {
      this.#disarm();
      return;
    }
    if (this.#timer !== undefined && this.#timer.at <= due) return;
    this.#disarm();
    const delay = Math.min(Math.max(0, due - this.#clock.now()), longestTimer);
    this.#timer = { at: due, handle: this.#clock.setTimeout(() => this.#fire(), delay) };
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer.handle);
    this.#timer = undefined;
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (;;) {
      this.#dropSuperseded();
      const first = this.#heap[0];
      if (first === undefined || first.readyAt > now) break;
      this.#pop();
      this.#byItem.delete(first.item);
      this.#ready(first.item);
    }
    this.#arm();
  }

  #dropSuperseded(): void {
    while (this.#heap.length > 0 && this.#byItem.get(this.#heap[0]!.item) !== this.#heap[0]) this.#pop();
  }

  #push(entry: Waiting<K>): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(entry, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}

function before<K>(a: Waiting<K>, b: Waiting<K>): boolean {
  return a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.sequence < b.sequence);
}
