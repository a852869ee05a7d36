/** A pending timer, as returned by {@link Clock.setTimeout}. */
export type TimerHandle = unknown;

/**
 * Time as an argument. Nothing below `durable-objects/` and `workers/main.ts` reads the real clock;
 * tests pass {@link FakeClock}. Mirrors the role of k8s.io/utils/clock.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  setTimeout(callback: () => void, milliseconds: number): TimerHandle;
  clearTimeout(handle: TimerHandle): void;
}

export const realClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
};

/** A clock that moves only when told to. Timers fire in order of their due time. */
export class FakeClock implements Clock {
  #now: number;
  #nextId = 1;
  readonly #timers = new Map<number, { due: number; callback: () => void }>();

  constructor(startMilliseconds = Date.UTC(2026, 0, 1)) {
    this.#now = startMilliseconds;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, milliseconds: number): TimerHandle {
    const id = this.#nextId++;
    this.#timers.set(id, { due: this.#now + Math.max(0, milliseconds), callback });
    return id;
  }

  clearTimeout(handle: TimerHandle): void {
    this.#timers.delete(handle as number);
  }

  /** Number of timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves time forward, firing due timers; promise callbacks run between timers. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      await flushPromises();
      let next: { id: number; due: number; callback: () => void } | undefined;
      for (const [id, timer] of this.#timers) {
        if (timer.due <= end && (next === undefined || timer.due < next.due)) next = { id, ...timer };
      }
      if (next === undefined) break;
      this.#timers.delete(next.id);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
    }
    this.#now = end;
    await flushPromises();
  }
}

/** Lets every promise callback that is ready run, and those that they make ready. */
async function flushPromises(): Promise<void> {
  for (let round = 0; round < 20; round++) await Promise.resolve();
}

/** RFC 3339 with seconds, the form of metav1.Time. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19) + "Z";
}

/** RFC 3339 with microseconds, the form of metav1.MicroTime. */
export function formatMicroTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 23) + "000Z";
}
