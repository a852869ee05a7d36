import type { Clock } from "../apimachinery/clock.ts";
import type { GroupVersionResource } from "../apimachinery/gvk.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import type { Client } from "../client/interfaces.ts";
import { newListWatch } from "../client/list-watch.ts";
import type { ListWatchScope } from "../client/list-watch.ts";
import type { SharedInformerFactory } from "./controller-context.ts";
import type { SharedInformer } from "./interfaces.ts";
import { newSharedInformer } from "./shared-informer.ts";
import type { RunnableInformer } from "./shared-informer.ts";

export interface InformerFactoryOptions {
  client: Client;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  /** Initial state through the watch instead of a list. */
  streamingList?: boolean;
  /** Told of failures of reflectors and handlers; console.error by default. */
  onError?: (error: unknown) => void;
}

/** One informer per resource and scope, started and stopped together. Mirrors client-go informers/factory.go (1.36). */
export interface InformerFactory extends SharedInformerFactory {
  /**
   * The shared informer of a resource, or of a part of it. After `start`, a new informer starts by itself once the
   * caller's synchronous code (handlers, indices) has run.
   */
  forResource<T extends KubeObject>(gvr: GroupVersionResource, scope?: ListWatchScope): SharedInformer<T>;
  /** Starts all informers; they end when the signal is aborted or `stop` is called. Once. */
  start(signal?: AbortSignal): void;
  /** Resolves when every informer has synced, those included that appear meanwhile. */
  waitForSync(): Promise<void>;
  /** Resolves when all informers have ended. */
  stop(): Promise<void>;
  /** When the last change of any informer arrived, in epoch milliseconds; undefined before the first. */
  readonly lastEventTime: number | undefined;
}

export function newInformerFactory(options: InformerFactoryOptions): InformerFactory {
  return new Factory(options);
}

class Factory implements InformerFactory {
  readonly #options: InformerFactoryOptions;
  readonly #informers = new Map<string, RunnableInformer<any>>();
  readonly #running: Promise<void>[] = [];
  readonly #abort = new AbortController();
  #started = false;
  #lastEventTime: number | undefined;

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
  }

  get lastEventTime(): number | undefined {
    return this.#lastEventTime;
  }

  forResource<T extends KubeObject>(gvr: GroupVersionResource, scope: ListWatchScope = {}): SharedInformer<T> {
    const key = JSON.stringify([
      gvr.group,
      gvr.version,
      gvr.resource,
      scope.namespace ?? "",
      scope.labelSelector ?? "",
      scope.fieldSelector ?? "",
    ]);
    const existing = this.#informers.get(key);
    if (existing !== undefined) return existing;
    const { client, clock, random, streamingList, onError } = this.#options;
    const informer = newSharedInformer<T>(newListWatch<T>(client, gvr, scope), {
      clock,
      random,
      ...(streamingList === undefined ? {} : { streamingList }),
      ...(onError === undefined ? {} : { onError }),
      onEvent: () => {
        this.#lastEventTime = clock.now();
      },
    });
    this.#informers.set(key, informer);
    if (this.#started) queueMicrotask(() => this.#run(informer));
    return informer;
  }

  start(signal?: AbortSignal): void {
    if (this.#started) return;
    this.#started = true;
    if (signal?.aborted) this.#abort.abort();
    signal?.addEventListener("abort", () => this.#abort.abort(), { once: true });
    for (const informer of this.#informers.values()) this.#run(informer);
  }

  async waitForSync(): Promise<void> {
    let count = -1;
    while (count !== this.#informers.size) {
      count = this.#informers.size;
      await Promise.all([...this.#informers.values()].map((informer) => informer.waitForSync()));
    }
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await Promise.all(this.#running);
  }

  #run(informer: RunnableInformer): void {
    this.#running.push(informer.run(this.#abort.signal));
  }
}
