import type { Clock } from "../../apimachinery/clock.ts";

/** A list in progress, or one whose next page may be asked for, keeps its snapshot this long. */
const pinMilliseconds = 60_000;

/** Snapshots that compaction must not destroy yet. Bounded in time, so nobody has to release them. */
export class SnapshotPins {
  readonly #clock: Clock;
  /** Snapshot revision → when the pin ends, in the order of the ends. */
  readonly #ends = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  pin(revision: number): void {
    this.#drop();
    this.#ends.delete(revision);
    this.#ends.set(revision, this.#clock.now() + pinMilliseconds);
  }

  /** The oldest snapshot in use; Infinity if there is none. */
  oldest(): number {
    this.#drop();
    let oldest = Infinity;
    for (const revision of this.#ends.keys()) oldest = Math.min(oldest, revision);
    return oldest;
  }

  #drop(): void {
    const now = this.#clock.now();
    for (const [revision, end] of this.#ends) {
      if (end > now) return;
      this.#ends.delete(revision);
    }
  }
}
