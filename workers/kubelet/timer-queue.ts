import type { Clock, TimerHandle } from "../apimachinery/clock.ts";

/** One entry of a {@link TimerQueue}. */
export interface QueuedTimer {
  readonly due: number;
  callback: (() => void) | undefined;
}

/** Node.js and workerd fire longer timers at once. */
const longestTimeout = 2 ** 31 - 1;

/**
 * Many timers over one clock timer: a pool of kubelets has thousands of due times, but wakes only for the earliest.
 * Invariant: a clock timer is pending exactly while an entry is. Entries fire in order of their due time.
 */
export class TimerQueue {
  readonly #clock: Clock;
  readonly #heap: { timer: QueuedTimer; sequence: number }[] = [];
  #live = 0;
  #sequence = 0;
  #armed: { handle: TimerHandle; due: number } | undefined;
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  /** Calls back at `due` (milliseconds since the epoch), or as soon as possible when that is past. */
  at(due: number, callback: () => void): QueuedTimer {
    const timer: QueuedTimer = { due, callback };
    if (this.#stopped) return timer;
    this.#heap.push({ timer, sequence: this.#sequence++ });
    this.#siftUp(this.#heap.length - 1);
    this.#live++;
    this.#arm();
    return timer;
  }

  after(milliseconds: number, callback: () => void): QueuedTimer {
    return this.at(this.#clock.now() + milliseconds, callback);
  }

  cancel(timer: QueuedTimer | undefined): void {
    if (timer?.callback === undefined) return;
    timer.callback = undefined;
    this.#live--;
    this.#dropCancelled();
    this.#arm();
  }

  /** Rejects with an AbortError when the signal aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(abortError());
    if (milliseconds <= 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.cancel(timer);
        reject(abortError());
      };
      const timer = this.after(milliseconds, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Due time of the earliest entry. */
  nextDue(): number | undefined {
    return this.#heap[0]?.timer.due;
  }

  /** Entries that have neither fired nor been cancelled. */
  get size(): number {
    return this.#live;
  }

  /** Drops every entry; later ones are ignored. */
  stop(): void {
    this.#stopped = true;
    this.#heap.length = 0;
    this.#live = 0;
    this.#arm();
  }

  #fire(): void {
    this.#armed = undefined;
    const now = this.#clock.now();
    for (let head = this.#heap[0]; head !== undefined && head.timer.due <= now; head = this.#heap[0]) {
      this.#pop();
      const { callback } = head.timer;
      if (callback === undefined) continue;
      head.timer.callback = undefined;
      this.#live--;
      callback();
    }
    this.#dropCancelled();
    this.#arm();
  }

  #arm(): void {
    const head = this.#heap[0];
    if (this.#armed !== undefined && this.#armed.due !== head?.timer.due) {
      this.#clock.clearTimeout(this.#armed.handle);
      this.#armed = undefined;
    }
    if (head === undefined || this.#armed !== undefined) return;
    const due = head.timer.due;
    const delay = Math.min(Math.max(0, due - this.#clock.now()), longestTimeout);
    this.#armed = { due, handle: this.#clock.setTimeout(() => this.#fire(), delay) };
  }

  #dropCancelled(): void {
    while (this.#heap[0] !== undefined && this.#heap[0].timer.callback === undefined) this.#pop();
  }

  #before(left: number, right: number): boolean {
    const a = this.#heap[left]!;
    const b = this.#heap[right]!;
    return a.timer.due !== b.timer.due ? a.timer.due < b.timer.due : a.sequence < b.sequence;
  }

  #swap(left: number, right: number): void {
    const entry = this.#heap[left]!;
    this.#heap[left] = this.#heap[right]!;
    this.#heap[right] = entry;
  }

  #siftUp(index: number): void {
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#before(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let index = 0; ;) {
      const left = 2 * index + 1;
      if (left >= this.#heap.length) return;
      const child = left + 1 < this.#heap.length && this.#before(left + 1, left) ? left + 1 : left;
      if (!this.#before(child, index)) return;
      this.#swap(index, child);
      index = child;
    }
  }
}

function abortError(): Error {
  return Object.assign(new Error("context canceled"), { name: "AbortError" });
}

export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
