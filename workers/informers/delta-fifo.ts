import type { KubeObject } from "../apimachinery/meta.ts";
import { keyOf } from "./indexer.ts";
import type { ReflectorStore } from "./reflector.ts";

/** One change of an object. A tombstone (`finalStateUnknown`) carries the last state that was known. */
export interface Delta<T> {
  type: "Added" | "Updated" | "Deleted" | "Replaced" | "Sync";
  object: T;
  finalStateUnknown?: boolean;
}

/** What the consumer already has; deletions that nobody reported are found against it. */
export interface KnownObjects<T> {
  keys(): Iterable<string>;
  getByKey(key: string): T | undefined;
}

/**
 * Collects the changes of each object until they are popped, key by key in order of first change. Nothing is lost: the
 * consumer sees every delta except a second deletion in a row. Mirrors client-go tools/cache/delta_fifo.go (1.36).
 */
export class DeltaFifo<T extends KubeObject = KubeObject> implements ReflectorStore<T> {
  /** In order of first change since the last pop. */
  readonly #items = new Map<string, Delta<T>[]>();
  readonly #known: KnownObjects<T>;
  readonly #onChange: () => void;
  #populated = false;
  /** Keys of the first list that have not been popped. */
  #initialPopulation = 0;

  /** `onChange` is called after each change. */
  constructor(known: KnownObjects<T>, onChange: () => void = () => {}) {
    this.#known = known;
    this.#onChange = onChange;
  }

  add(object: T): void {
    this.#populated = true;
    this.#queue(keyOf(object), { type: "Added", object });
    this.#onChange();
  }

  update(object: T): void {
    this.#populated = true;
    this.#queue(keyOf(object), { type: "Updated", object });
    this.#onChange();
  }

  delete(object: T): void {
    this.#populated = true;
    const key = keyOf(object);
    // Nobody knows of it: a deletion that was already seen.
    if (!this.#items.has(key) && this.#known.getByKey(key) === undefined) return;
    this.#queue(key, { type: "Deleted", object });
    this.#onChange();
  }

  replace(objects: T[], _resourceVersion?: string): void {
    const keys = new Set<string>();
    for (const object of objects) {
      const key = keyOf(object);
      keys.add(key);
      this.#queue(key, { type: "Replaced", object });
    }
    let deletions = 0;
    for (const [key, deltas] of this.#items) {
      if (keys.has(key)) continue;
      const last = deltas.at(-1)!;
      if (last.type === "Deleted" && !last.finalStateUnknown) continue;
      deletions++;
      this.#queue(key, { type: "Deleted", object: last.object, finalStateUnknown: true });
    }
    for (const key of this.#known.keys()) {
      if (keys.has(key) || this.#items.has(key)) continue;
      deletions++;
      this.#queue(key, { type: "Deleted", object: this.#known.getByKey(key)!, finalStateUnknown: true });
    }
    if (!this.#populated) {
      this.#populated = true;
      this.#initialPopulation = keys.size + deletions;
    }
    this.#onChange();
  }

  /** Queues every known object that has no change waiting. */
  resync(): void {
    for (const key of this.#known.keys()) {
      if (!this.#items.has(key)) this.#queue(key, { type: "Sync", object: this.#known.getByKey(key)! });
    }
    this.#onChange();
  }

  /** The first list has been popped completely. */
  get hasSynced(): boolean {
    return this.#populated && this.#initialPopulation === 0;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Hands out the oldest key with all its deltas; false when there is none. */
  pop(process: (key: string, deltas: Delta<T>[], isInInitialList: boolean) => void): boolean {
    const first = this.#items.entries().next();
    if (first.done) return false;
    const [key, deltas] = first.value;
    const isInInitialList = !this.hasSynced;
    this.#items.delete(key);
    if (this.#initialPopulation > 0) this.#initialPopulation--;
    process(key, deltas, isInInitialList);
    return true;
  }

  #queue(key: string, delta: Delta<T>): void {
    const deltas = this.#items.get(key);
    if (deltas === undefined) {
      this.#items.set(key, [delta]);
      return;
    }
    const last = deltas.at(-1)!;
    if (last.type === "Deleted" && delta.type === "Deleted") {
      // Of two deletions in a row the one that saw the final state is kept.
      if (!delta.finalStateUnknown) deltas[deltas.length - 1] = delta;
      return;
    }
    deltas.push(delta);
  }
}
