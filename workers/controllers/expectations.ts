import type { Clock } from "../apimachinery/clock.ts";

/** After this long an expectation no longer holds back a sync: the event that it waits for was lost. */
const expectationsTimeoutMilliseconds = 5 * 60 * 1000;

interface Expectation {
  adds: number;
  /** Keys (namespace/name of pods) whose deletion is awaited. */
  deletes: Set<string>;
  setAt: number;
}

/**
 * What a controller has asked for and not yet seen in its informer: while it waits, its cache is known to be stale and
 * it must not create or delete more. Mirrors pkg/controller/controller_utils.go UIDTrackingControllerExpectations (1.36).
 */
export class ControllerExpectations {
  readonly #clock: Clock;
  readonly #expectations = new Map<string, Expectation>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when nothing is awaited (or the wait has expired): the cache holds all that this controller did. */
  satisfied(controllerKey: string): boolean {
    const expectation = this.#expectations.get(controllerKey);
    if (expectation === undefined) return true;
    if (expectation.adds <= 0 && expectation.deletes.size === 0) return true;
    return this.#clock.now() - expectation.setAt > expectationsTimeoutMilliseconds;
  }

  expectCreations(controllerKey: string, adds: number): void {
    this.#expectations.set(controllerKey, { adds, deletes: new Set(), setAt: this.#clock.now() });
  }

  expectDeletions(controllerKey: string, deletedKeys: Iterable<string>): void {
    this.#expectations.set(controllerKey, { adds: 0, deletes: new Set(deletedKeys), setAt: this.#clock.now() });
  }

  /** One creation was seen, or failed. */
  creationObserved(controllerKey: string): void {
    const expectation = this.#expectations.get(controllerKey);
    if (expectation !== undefined) expectation.adds--;
  }

  /** The deletion of this object was seen (its deletionTimestamp is enough), or failed. */
  deletionObserved(controllerKey: string, deletedKey: string): void {
    this.#expectations.get(controllerKey)?.deletes.delete(deletedKey);
  }

  deleteExpectations(controllerKey: string): void {
    this.#expectations.delete(controllerKey);
  }
}
