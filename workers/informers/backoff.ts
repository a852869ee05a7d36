import type { Clock } from "../apimachinery/clock.ts";

/**
 * Waits of 800 ms · 2^n up to 30 s, each stretched by a random part of itself, from the start again after two quiet
 * minutes. The parameters are those of client-go tools/cache/reflector.go (1.36).
 */
export class ReflectorBackoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #next = initial;
  #lastAsked: number | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Milliseconds to wait now. */
  next(): number {
    const now = this.#clock.now();
    if (this.#lastAsked !== undefined && now - this.#lastAsked > quiet) this.#next = initial;
    this.#lastAsked = now;
    const base = this.#next;
    this.#next = Math.min(base * 2, longest);
    return base * (1 + this.#random());
  }
}

const initial = 800;
const longest = 30_000;
const quiet = 120_000;

/** Resolves after the time or at the abort, whichever is first. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      clock.clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = clock.setTimeout(finish, milliseconds);
    signal.addEventListener("abort", finish);
  });
}
