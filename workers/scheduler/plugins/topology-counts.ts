/** Numbers by topology key and value; a count that returns to 0 disappears. */
export class TopologyCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  get empty(): boolean {
    return this.#counts.size === 0;
  }

  get(key: string, value: string): number {
    return this.#counts.get(key)?.get(value) ?? 0;
  }

  add(key: string, value: string, by: number): void {
    if (by === 0) return;
    let values = this.#counts.get(key);
    if (values === undefined) this.#counts.set(key, (values = new Map()));
    const sum = (values.get(value) ?? 0) + by;
    if (sum !== 0) {
      values.set(value, sum);
      return;
    }
    values.delete(value);
    if (values.size === 0) this.#counts.delete(key);
  }

  /** Sum over the labels of a node. */
  sumFor(labels: Record<string, string>): number {
    let sum = 0;
    for (const [key, values] of this.#counts) {
      const value = labels[key];
      if (value !== undefined) sum += values.get(value) ?? 0;
    }
    return sum;
  }

  anyPositiveFor(labels: Record<string, string>): boolean {
    for (const [key, values] of this.#counts) {
      const value = labels[key];
      if (value !== undefined && (values.get(value) ?? 0) > 0) return true;
    }
    return false;
  }

  clone(): TopologyCounts {
    const copy = new TopologyCounts();
    for (const [key, values] of this.#counts) copy.#counts.set(key, new Map(values));
    return copy;
  }
}
