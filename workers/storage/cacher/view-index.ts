import type { CachedEvent, FieldReaders } from "./watch-filter.ts";
import type { WatchView } from "./watch-view.ts";
import type { Watcher } from "./watcher.ts";

export interface ViewEntry {
  view: WatchView;
  watchers: Set<Watcher>;
}

/**
 * The views of a type, found by the value of a field where a selector asks for one exactly (a kubelet's
 * `spec.nodeName=…`, a watch of one name): an event then costs only the views that it concerns, however many there are.
 * Counterpart of the indexed watchers in k8s.io/apiserver pkg/storage/cacher/cacher.go (1.36).
 */
export class ViewIndex {
  readonly #readers: FieldReaders;
  readonly #entries = new Map<string, ViewEntry>();
  readonly #unindexed = new Set<ViewEntry>();
  /** Field name to value to views. */
  readonly #indexed = new Map<string, Map<string, Set<ViewEntry>>>();

  constructor(readers: FieldReaders) {
    this.#readers = readers;
  }

  get(key: string): ViewEntry | undefined {
    return this.#entries.get(key);
  }

  add(view: WatchView): ViewEntry {
    const entry = { view, watchers: new Set<Watcher>() };
    this.#entries.set(view.key, entry);
    const { exact } = view.filter;
    if (exact === undefined) {
      this.#unindexed.add(entry);
      return entry;
    }
    const byValue = getOrInsert(this.#indexed, exact.field, () => new Map<string, Set<ViewEntry>>());
    getOrInsert(byValue, exact.value, () => new Set()).add(entry);
    return entry;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unindexed.delete(entry);
    const { exact } = entry.view.filter;
    if (exact === undefined) return;
    const byValue = this.#indexed.get(exact.field);
    const entries = byValue?.get(exact.value);
    entries?.delete(entry);
    if (entries?.size === 0) byValue?.delete(exact.value);
    if (byValue?.size === 0) this.#indexed.delete(exact.field);
  }

  /** Each view that some of the events may concern, with those events in order. */
  *concerned(events: CachedEvent[]): Generator<readonly [ViewEntry, CachedEvent[]]> {
    for (const entry of this.#unindexed) yield [entry, events];
    for (const [field, byValue] of this.#indexed) {
      const concerned = new Map<ViewEntry, CachedEvent[]>();
      for (const event of events) {
        const now = event.current.field(field, this.#readers);
        const before = event.previous?.field(field, this.#readers);
        for (const entry of byValue.get(now) ?? []) getOrInsert(concerned, entry, () => []).push(event);
        if (before === undefined || before === now) continue;
        for (const entry of byValue.get(before) ?? []) getOrInsert(concerned, entry, () => []).push(event);
      }
      yield* concerned;
    }
  }
}

function getOrInsert<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
