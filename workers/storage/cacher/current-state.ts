import { compareKeys, endOfPrefix } from "../compare-keys.ts";
import type { StorageEvent } from "../interfaces.ts";

/** The newest objects of a type at one revision, in key order. */
export class CurrentState {
  readonly #keys: string[];
  readonly #values: string[];
  #revision: number;
  #length = 0;

  /** `keys` ascend; the arrays become the state's own. */
  constructor(revision: number, keys: string[], values: string[]) {
    this.#revision = revision;
    this.#keys = keys;
    this.#values = values;
    for (const value of values) this.#length += value.length;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Length of all texts. */
  get length(): number {
    return this.#length;
  }

  /** Takes the event that follows the state's revision; what is older, or leaves a gap, is ignored. */
  apply({ type, key, revision, value }: StorageEvent): void {
    if (revision !== this.#revision + 1) return;
    this.#revision = revision;
    const index = this.#indexOf(key);
    const present = this.#keys[index] === key;
    const replaced = present ? 1 : 0;
    if (present) this.#length -= this.#values[index]!.length;
    if (type === "DELETED") {
      this.#keys.splice(index, replaced);
      this.#values.splice(index, replaced);
      return;
    }
    this.#length += value.length;
    if (present) {
      this.#values[index] = value;
    } else {
      this.#keys.splice(index, 0, key);
      this.#values.splice(index, 0, value);
    }
  }

  /** The texts of the objects under a prefix, after a key if one is given. A copy. */
  values(prefix: string, after?: string): string[] {
    const first = after === undefined || compareKeys(after, prefix) < 0 ? prefix : `${after}\0`;
    return this.#values.slice(this.#indexOf(first), this.#indexOf(endOfPrefix(prefix)));
  }

  /** Where the key is or would be. */
  #indexOf(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.#keys[middle]!, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
