/**
 * Data that the plugins of one scheduling cycle share. Values that implement `clone` are cloned with the state, which
 * preemption's dry runs need; others are shared. Mirrors pkg/scheduler/framework/cycle_state.go (1.36).
 */
export class CycleState {
  readonly #data = new Map<string, unknown>();
  /** Plugins whose Filter is skipped because their PreFilter answered Skip. */
  skipFilterPlugins: ReadonlySet<string> = emptySet;
  /** Plugins whose Score is skipped because their PreScore answered Skip. */
  skipScorePlugins: ReadonlySet<string> = emptySet;

  read<T>(key: string): T | undefined {
    return this.#data.get(key) as T | undefined;
  }

  write(key: string, value: unknown): void {
    this.#data.set(key, value);
  }

  delete(key: string): void {
    this.#data.delete(key);
  }

  clone(): CycleState {
    const copy = new CycleState();
    for (const [key, value] of this.#data) copy.#data.set(key, isCloneable(value) ? value.clone() : value);
    copy.skipFilterPlugins = this.skipFilterPlugins;
    copy.skipScorePlugins = this.skipScorePlugins;
    return copy;
  }
}

export interface StateData {
  clone(): StateData;
}

const emptySet: ReadonlySet<string> = new Set();

function isCloneable(value: unknown): value is StateData {
  return typeof value === "object" && value !== null && typeof (value as StateData).clone === "function";
}
