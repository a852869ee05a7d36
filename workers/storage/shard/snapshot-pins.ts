import type { Clock } from "../../apimachinery/clock.ts";

/** A list in progress, or one whose next page may be asked for, keeps its snapshot this long. */
const pinMilliseconds = 60_000;

/** Snapshots that compaction must not destroy yet. Bounded in time, so nobody has to release them. */
export class SnapshotPins {
  readonly #clock: Clock;
  /** Snapshot revision → when the pin ends. */
  readonly #ends = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  pin(revision: number): void {
    this.#drop();
    this.#ends.set(revision, this.#clock.now() + pinMilliseconds);
  }

  /** The oldest snapshot in use; Infinity if there is none. */
  oldest(): number {
    this.#drop();
    return Math.min(Infinity, ...this.#ends.keys());
  }

  #drop(): void {
    const now = this.#clock.now();
    for (const [revision, end] of this.#ends) if (end <= now) this.#ends.delete(revision);
  }
}
