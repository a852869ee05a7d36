/** A binary heap that finds, replaces and removes by key. All operations are O(log n). Mirrors scheduler/backend/heap (1.36). */
export class Heap<T> {
  readonly #keyOf: (item: T) => string;
  readonly #less: (a: T, b: T) => boolean;
  readonly #items: T[] = [];
  readonly #indices = new Map<string, number>();

  constructor(keyOf: (item: T) => string, less: (a: T, b: T) => boolean) {
    this.#keyOf = keyOf;
    this.#less = less;
  }

  get size(): number {
    return this.#items.length;
  }

  get(key: string): T | undefined {
    const index = this.#indices.get(key);
    return index === undefined ? undefined : this.#items[index];
  }

  has(key: string): boolean {
    return this.#indices.has(key);
  }

  /** In no particular order. */
  values(): readonly T[] {
    return this.#items;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  /** Inserts, or replaces the item with the same key. */
  addOrUpdate(item: T): void {
    const key = this.#keyOf(item);
    const index = this.#indices.get(key);
    if (index === undefined) {
      this.#items.push(item);
      this.#indices.set(key, this.#items.length - 1);
      this.#up(this.#items.length - 1);
    } else {
      this.#items[index] = item;
      if (!this.#down(index)) this.#up(index);
    }
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.#removeAt(0);
    return first;
  }

  delete(key: string): T | undefined {
    const index = this.#indices.get(key);
    return index === undefined ? undefined : this.#removeAt(index);
  }

  #removeAt(index: number): T {
    const removed = this.#items[index]!;
    const last = this.#items.pop()!;
    this.#indices.delete(this.#keyOf(removed));
    if (index < this.#items.length) {
      this.#place(last, index);
      if (!this.#down(index)) this.#up(index);
    }
    return removed;
  }

  #place(item: T, index: number): void {
    this.#items[index] = item;
    this.#indices.set(this.#keyOf(item), index);
  }

  #up(start: number): void {
    let index = start;
    const item = this.#items[index]!;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#less(item, this.#items[parent]!)) break;
      this.#place(this.#items[parent]!, index);
      index = parent;
    }
    this.#place(item, index);
  }

  #down(start: number): boolean {
    let index = start;
    const item = this.#items[index]!;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.#items.length) break;
      if (child + 1 < this.#items.length && this.#less(this.#items[child + 1]!, this.#items[child]!)) child++;
      if (!this.#less(this.#items[child]!, item)) break;
      this.#place(this.#items[child]!, index);
      index = child;
    }
    this.#place(item, index);
    return index !== start;
  }
}
