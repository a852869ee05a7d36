import type { Clock } from "../apimachinery/clock.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import { namespacedName } from "../apimachinery/meta.ts";
import { isResourceExpired, StatusError } from "../apimachinery/status-errors.ts";
import type { Status } from "../apimachinery/status-errors.ts";
import { initialEventsAnnotation } from "../apimachinery/watch-event.ts";
import type { WatchEvent } from "../apimachinery/watch-event.ts";
import type { Watch } from "../client/interfaces.ts";
import type { ListWatch } from "../client/list-watch.ts";
import { ReflectorBackoff, sleep } from "./backoff.ts";
import { compareResourceVersions } from "./resource-version.ts";

/** Where a reflector puts what it learns. */
export interface ReflectorStore<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  /** The complete state at a resource version. */
  replace(objects: T[], resourceVersion: string): void;
}

export interface ReflectorOptions {
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  /** Initial state through the watch (sendInitialEvents) instead of a list; falls back when the server refuses. */
  streamingList?: boolean;
  /** Objects in one page of a list; undefined lists everything at once. */
  pageSize?: number;
  /** Told of every failure; the reflector goes on by itself. */
  onError?: (error: unknown) => void;
}

/** Seconds a watch is asked to last: this, up to twice this. */
const minWatchTimeoutSeconds = 300;

/**
 * Keeps a store equal to what the server has: list once, then watch from there for ever. A watch that ends or breaks is
 * resumed at the last resource version; only 410 leads to another list. The store never goes back in time: a list that
 * is older than what has been seen, or an event that is not newer, is passed over.
 * Version "0" is no place in history: a watch from there begins with the current objects in any order, so one that ends
 * after events is followed by a list.
 * Mirrors client-go tools/cache/reflector.go (1.36), which relists after transport failures.
 */
export class Reflector<T extends KubeObject = KubeObject> {
  readonly #listWatch: ListWatch<T>;
  readonly #store: ReflectorStore<T>;
  readonly #options: ReflectorOptions;
  readonly #backoff: ReflectorBackoff;
  #lastSyncResourceVersion = "";
  /** The server no longer knows the last version: list the newest state, whatever its version. */
  #lastVersionUnavailable = false;
  #listed = false;
  #streaming: boolean;

  constructor(listWatch: ListWatch<T>, store: ReflectorStore<T>, options: ReflectorOptions) {
    this.#listWatch = listWatch;
    this.#store = store;
    this.#options = options;
    this.#backoff = new ReflectorBackoff(options.clock, options.random);
    this.#streaming = options.streamingList === true;
  }

  /** "" before the first list. */
  get lastSyncResourceVersion(): string {
    return this.#lastSyncResourceVersion;
  }

  /** Resolves when the signal is aborted; nothing reaches the store after that. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let quick = false;
      try {
        quick = await this.#step(signal);
      } catch (error) {
        if (!signal.aborted) this.#options.onError?.(error);
      }
      if (!quick) await sleep(this.#options.clock, this.#backoff.next(), signal);
    }
  }

  /** One list, if one is due, and one watch. True when the next may follow at once. */
  async #step(signal: AbortSignal): Promise<boolean> {
    let watch: Watch<T> | undefined;
    if (!this.#listed && this.#streaming) watch = await this.#watchList(signal);
    if (!this.#listed && !signal.aborted) await this.#list(signal);
    if (signal.aborted) return true;
    const startedAt = this.#options.clock.now();
    const exact = this.#lastSyncResourceVersion !== "0";
    watch ??= await this.#openWatch({ resourceVersion: this.#lastSyncResourceVersion }, signal);
    if (watch === undefined) return true;
    let count = 0;
    try {
      await this.#consume(watch, signal, (event) => {
        count++;
        this.#apply(event, exact);
      });
    } catch (error) {
      if (isResourceExpired(error)) this.#listed = false;
      throw error;
    } finally {
      if (!exact && count > 0) this.#listed = false;
    }
    // A watch that ends without having told anything may be a server in trouble.
    return count > 0 || this.#options.clock.now() - startedAt >= 1000;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const consistent = this.#lastVersionUnavailable;
    const resourceVersion = consistent ? "" : this.#lastSyncResourceVersion || "0";
    let pages: { items: T[]; resourceVersion: string } | undefined;
    try {
      pages = await untilAborted(this.#pages(resourceVersion), signal);
    } catch (error) {
      if (consistent || !(isResourceExpired(error) || isTooLargeResourceVersion(error))) throw error;
      this.#lastVersionUnavailable = true;
      return this.#list(signal);
    }
    if (pages === undefined) return;
    const order = compareResourceVersions(pages.resourceVersion, this.#lastSyncResourceVersion);
    if (!consistent && order !== undefined && order < 0) {
      throw new Error(
        `list at resource version ${pages.resourceVersion} is older than ${this.#lastSyncResourceVersion}, which was seen before`,
      );
    }
    this.#replace(pages.items, pages.resourceVersion);
  }

  async #pages(resourceVersion: string): Promise<{ items: T[]; resourceVersion: string }> {
    const { pageSize } = this.#options;
    const first = await this.#listWatch.list({
      resourceVersion,
      ...(pageSize === undefined ? {} : { limit: pageSize }),
    });
    const { items } = first;
    let next = first.metadata.continue;
    while (next) {
      const page = await this.#listWatch.list({
        continue: next,
        ...(pageSize === undefined ? {} : { limit: pageSize }),
      });
      for (const item of page.items) items.push(item);
      next = page.metadata.continue;
    }
    return { items, resourceVersion: first.metadata.resourceVersion ?? "" };
  }

  #replace(items: T[], resourceVersion: string): void {
    this.#store.replace(items, resourceVersion);
    this.#lastSyncResourceVersion = resourceVersion;
    this.#lastVersionUnavailable = false;
    this.#listed = true;
  }

  /** A streaming list: the watch that goes on after the initial events, or undefined when a plain list must do. */
  async #watchList(signal: AbortSignal): Promise<Watch<T> | undefined> {
    const resourceVersion = this.#lastVersionUnavailable ? "" : this.#lastSyncResourceVersion;
    let watch: Watch<T> | undefined;
    try {
      watch = await this.#openWatch({ resourceVersion, sendInitialEvents: true }, signal);
    } catch (error) {
      if (isResourceExpired(error) || isTooLargeResourceVersion(error)) {
        this.#lastVersionUnavailable = true;
      } else if (error instanceof StatusError && [400, 415, 422].includes(error.status.code)) {
        this.#streaming = false;
      } else throw error;
    }
    if (watch === undefined) return undefined;
    const iterator = watch[Symbol.asyncIterator]();
    const initial = new Map<string, T>();
    const stop = () => watch.stop();
    const release = onAbort(signal, stop);
    try {
      for (;;) {
        const { done, value } = await iterator.next();
        if (signal.aborted) return undefined;
        if (done) throw new Error("the watch ended before its initial events");
        const { type, object } = value;
        if (type === "ERROR") throw statusErrorOf(object);
        if (type === "BOOKMARK") {
          if (object.metadata.annotations?.[initialEventsAnnotation] !== "true") continue;
          this.#replace([...initial.values()], object.metadata.resourceVersion ?? "");
          return { [Symbol.asyncIterator]: () => iterator, stop };
        }
        if (type === "DELETED") initial.delete(namespacedName(object));
        else initial.set(namespacedName(object), object);
      }
    } catch (error) {
      watch.stop();
      if (isResourceExpired(error)) this.#lastVersionUnavailable = true;
      throw error;
    } finally {
      release();
    }
  }

  async #openWatch(
    options: { resourceVersion: string; sendInitialEvents?: boolean },
    signal: AbortSignal,
  ): Promise<Watch<T> | undefined> {
    const opening = this.#listWatch.watch({
      ...options,
      allowWatchBookmarks: true,
      timeoutSeconds: Math.floor(minWatchTimeoutSeconds * (1 + this.#options.random())),
    });
    const watch = await untilAborted(opening, signal);
    if (watch === undefined) opening.then((late) => late.stop()).catch(() => {});
    return watch;
  }

  async #consume(watch: Watch<T>, signal: AbortSignal, apply: (event: WatchEvent<T>) => void): Promise<void> {
    const release = onAbort(signal, () => watch.stop());
    try {
      for await (const event of watch) {
        if (signal.aborted) break;
        apply(event);
      }
    } finally {
      release();
      watch.stop();
    }
  }

  /** `exact`: the events are in order of their versions, so that one which is not newer is a repetition. */
  #apply({ type, object }: WatchEvent<T>, exact: boolean): void {
    if (type === "ERROR") throw statusErrorOf(object);
    const { resourceVersion } = object.metadata;
    if (type === "BOOKMARK") {
      this.#advance(resourceVersion);
      return;
    }
    const order = compareResourceVersions(resourceVersion, this.#lastSyncResourceVersion);
    if (exact && order !== undefined && order <= 0) return;
    switch (type) {
      case "ADDED":
        this.#store.add(object);
        break;
      case "MODIFIED":
        this.#store.update(object);
        break;
      case "DELETED":
        this.#store.delete(object);
        break;
    }
    this.#advance(resourceVersion);
  }

  #advance(resourceVersion: string | undefined): void {
    if (!resourceVersion) return;
    const order = compareResourceVersions(resourceVersion, this.#lastSyncResourceVersion);
    if (order === undefined || order > 0) this.#lastSyncResourceVersion = resourceVersion;
  }
}

function statusErrorOf(object: KubeObject): Error {
  return new StatusError(object as unknown as Status);
}

/** The server is behind the version that was asked for; it says so in a cause. */
function isTooLargeResourceVersion(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.status.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") ?? false)
  );
}

/** Calls back at the abort, at once if it has been; returns the way out. */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback();
  signal.addEventListener("abort", callback);
  return () => signal.removeEventListener("abort", callback);
}

/** undefined when the signal is first. */
function untilAborted<V>(promise: Promise<V>, signal: AbortSignal): Promise<V | undefined> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => resolve(undefined));
    promise.then(resolve, reject).finally(release);
  });
}
