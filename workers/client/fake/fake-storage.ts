import type { KubeObject } from "../../apimachinery/meta.ts";
import { namespacedName } from "../../apimachinery/meta.ts";
import type { WatchEvent } from "../../apimachinery/watch-event.ts";
import { initialEventsAnnotation } from "../../apimachinery/watch-event.ts";
import { newResourceExpired } from "../../apimachinery/status-errors.ts";
import type { Watch } from "../interfaces.ts";
import { FakeWatch } from "./fake-watch.ts";

interface LogEntry {
  revision: number;
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: KubeObject;
  previous?: KubeObject;
}

export interface FakeWatcherOptions {
  /** Events after this revision; undefined: the current objects first. */
  since?: number;
  initialEvents: boolean;
  /** Namespace and selectors. */
  selects: (object: KubeObject) => boolean;
}

/** Objects, revisions and watchers of one resource type. Stored objects are frozen. */
export class FakeStorage {
  readonly objects = new Map<string, KubeObject>();
  revision = 0;
  /** Watches that start before this are answered with 410. */
  compacted = 0;
  readonly #log: LogEntry[] = [];
  readonly #watchers = new Set<{ watch: FakeWatch; selects: (object: KubeObject) => boolean }>();

  /** Writes with the next revision and tells the watchers. */
  put(object: KubeObject): KubeObject {
    const key = namespacedName(object);
    const previous = this.objects.get(key);
    const stored = this.#stamp(object);
    this.objects.set(key, stored);
    this.#emit({
      revision: this.revision,
      type: previous === undefined ? "ADDED" : "MODIFIED",
      object: stored,
      ...(previous === undefined ? {} : { previous }),
    });
    return stored;
  }

  remove(object: KubeObject): KubeObject {
    const key = namespacedName(object);
    const previous = this.objects.get(key)!;
    const last = this.#stamp(object);
    this.objects.delete(key);
    this.#emit({ revision: this.revision, type: "DELETED", object: last, previous });
    return last;
  }

  watch(options: FakeWatcherOptions): Watch {
    const watcher = { watch: new FakeWatch(() => this.#watchers.delete(watcher)), selects: options.selects };
    if (options.since !== undefined && options.since < this.compacted) {
      const error = newResourceExpired(`too old resource version: ${options.since} (${this.compacted})`);
      watcher.watch.push({ type: "ERROR", object: error.status });
      watcher.watch.end();
      return watcher.watch;
    }
    if (options.since === undefined || options.initialEvents) {
      for (const object of this.objects.values()) {
        if (options.selects(object)) watcher.watch.push({ type: "ADDED", object });
      }
      if (options.initialEvents) watcher.watch.push(this.#bookmark({ [initialEventsAnnotation]: "true" }));
    } else {
      for (const entry of this.#log) {
        if (entry.revision > options.since) deliver(watcher, entry);
      }
    }
    this.#watchers.add(watcher);
    return watcher.watch;
  }

  /** Sends a bookmark to every watcher. */
  sendBookmarks(): void {
    for (const { watch } of this.#watchers) watch.push(this.#bookmark());
  }

  /** Ends every watch, as a server does at its time-out; with an error, as a broken connection does. */
  endWatches(error?: Error): void {
    for (const { watch } of this.#watchers) watch.end(error);
  }

  get watcherCount(): number {
    return this.#watchers.size;
  }

  #stamp(object: KubeObject): KubeObject {
    const copy = structuredClone(object);
    copy.metadata.resourceVersion = String(++this.revision);
    return deepFreeze(copy);
  }

  #emit(entry: LogEntry): void {
    this.#log.push(entry);
    for (const watcher of this.#watchers) deliver(watcher, entry);
  }

  #bookmark(annotations?: Record<string, string>): WatchEvent {
    const metadata = { resourceVersion: String(this.revision), ...(annotations ? { annotations } : {}) };
    return { type: "BOOKMARK", object: { metadata } };
  }
}

/** Selector transitions: an object that comes into view is ADDED, one that leaves it DELETED. */
function deliver(watcher: { watch: FakeWatch; selects: (object: KubeObject) => boolean }, entry: LogEntry): void {
  const before = entry.previous !== undefined && watcher.selects(entry.previous);
  const after = entry.type !== "DELETED" && watcher.selects(entry.object);
  if (after) watcher.watch.push({ type: before ? "MODIFIED" : "ADDED", object: entry.object });
  else if (before && entry.type === "DELETED") watcher.watch.push({ type: "DELETED", object: entry.object });
  else if (before) {
    const last = structuredClone(entry.previous!);
    last.metadata.resourceVersion = String(entry.revision);
    watcher.watch.push({ type: "DELETED", object: deepFreeze(last) });
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
