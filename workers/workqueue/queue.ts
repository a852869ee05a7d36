/**
 * First in, first out, each item at most once. An item that is added while it is being processed waits until `done`, so
 * no two workers ever have the same item. Mirrors client-go util/workqueue/queue.go (1.36).
 */
export class Queue<K> {
  /** Items that need processing; their order is `#order`'s. */
  readonly #dirty = new Set<K>();
  readonly #processing = new Set<K>();
  readonly #waiters: ((item: K | undefined) => void)[] = [];
  #order: (K | undefined)[] = [];
  #head = 0;
  #shuttingDown = false;

  add(item: K): void {
    if (this.#shuttingDown || this.#dirty.has(item)) return;
    this.#dirty.add(item);
    if (!this.#processing.has(item)) this.#enqueue(item);
  }

  get(): Promise<K | undefined> {
    if (this.length > 0) return Promise.resolve(this.#take());
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  done(item: K): void {
    this.#processing.delete(item);
    if (this.#dirty.has(item)) this.#enqueue(item);
  }

  /** Items ready to be taken. */
  get length(): number {
    return this.#order.length - this.#head;
  }

  /** Items ready or being processed; an item that is both counts once. */
  get pending(): number {
    return this.length + this.#processing.size;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** What is queued is still handed out; nothing new is accepted. */
  shutDown(): void {
    this.#shuttingDown = true;
    for (const resolve of this.#waiters.splice(0)) resolve(undefined);
  }

  #enqueue(item: K): void {
    this.#order.push(item);
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) waiter(this.#take());
  }

  #take(): K {
    const item = this.#order[this.#head] as K;
    this.#order[this.#head++] = undefined;
    if (this.#head > 1000 && this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
    this.#dirty.delete(item);
    this.#processing.add(item);
    return item;
  }
}
