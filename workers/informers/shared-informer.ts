import type { Clock, TimerHandle } from "../apimachinery/clock.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import type { ListWatch } from "../client/list-watch.ts";
import { DeltaFifo } from "./delta-fifo.ts";
import type { Delta } from "./delta-fifo.ts";
import { Indexer } from "./indexer.ts";
import type { Lister, ResourceEventHandler, SharedInformer } from "./interfaces.ts";
import { ProcessorListener } from "./processor-listener.ts";
import type { Notification } from "./processor-listener.ts";
import { Reflector } from "./reflector.ts";
import type { ReflectorOptions } from "./reflector.ts";

export interface SharedInformerOptions extends ReflectorOptions {
  clock: Clock;
  /** Called when anything has arrived, bookmarks aside. */
  onEvent?: () => void;
}

interface Registration<T extends KubeObject> {
  listener: ProcessorListener<T>;
  resyncs: boolean;
}

/** A {@link SharedInformer} that can be run. */
export interface RunnableInformer<T extends KubeObject = KubeObject> extends SharedInformer<T> {
  /** Once. Resolves when the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export function newSharedInformer<T extends KubeObject>(
  listWatch: ListWatch<T>,
  options: SharedInformerOptions,
): RunnableInformer<T> {
  return new StoreInformer(listWatch, options);
}

/**
 * Reflector → delta FIFO → indexer → handlers. The store is changed before the handlers hear of it, and a handler never
 * sees an object older than one it saw before. Mirrors client-go tools/cache/shared_informer.go (1.36).
 */
class StoreInformer<T extends KubeObject> implements RunnableInformer<T> {
  readonly #options: SharedInformerOptions;
  readonly #onError: (error: unknown) => void;
  readonly #indexer = new Indexer<T>();
  readonly #fifo: DeltaFifo<T>;
  readonly #reflector: Reflector<T>;
  readonly #registrations = new Set<Registration<T>>();
  readonly #syncWaiters: (() => void)[] = [];
  #synced = false;
  #scheduled = false;
  #stopped = false;

  constructor(listWatch: ListWatch<T>, options: SharedInformerOptions) {
    this.#options = options;
    this.#onError = options.onError ?? ((error) => console.error(error));
    this.#fifo = new DeltaFifo(this.#indexer, () => this.#schedule());
    this.#reflector = new Reflector(listWatch, this.#fifo, { ...options, onError: this.#onError });
  }

  get lister(): Lister<T> {
    return this.#indexer;
  }

  addIndex(name: string, valuesOf: (object: T) => string[]): void {
    this.#indexer.addIndex(name, valuesOf);
  }

  addEventHandler(handler: ResourceEventHandler<T>, options: { resyncMilliseconds?: number } = {}): () => void {
    const listener = new ProcessorListener(handler, this.#onError);
    const { resyncMilliseconds = 0 } = options;
    const registration = { listener, resyncs: resyncMilliseconds > 0 };
    this.#registrations.add(registration);
    for (const object of this.#indexer.list()) listener.add({ type: "add", object, isInInitialList: true });
    let timer: TimerHandle;
    const resync = () => {
      if (this.#stopped) return;
      for (const object of this.#indexer.list()) listener.add({ type: "update", previous: object, object });
      timer = this.#options.clock.setTimeout(resync, resyncMilliseconds);
    };
    if (registration.resyncs) timer = this.#options.clock.setTimeout(resync, resyncMilliseconds);
    return () => {
      this.#registrations.delete(registration);
      if (registration.resyncs) this.#options.clock.clearTimeout(timer);
      listener.remove();
    };
  }

  hasSynced(): boolean {
    return this.#synced;
  }

  waitForSync(): Promise<void> {
    if (this.#synced) return Promise.resolve();
    return new Promise((resolve) => this.#syncWaiters.push(resolve));
  }

  lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#reflector.run(signal);
    this.#stopped = true;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#drain();
    });
  }

  #drain(): void {
    if (this.#fifo.size > 0) this.#options.onEvent?.();
    while (this.#fifo.pop((key, deltas, isInInitialList) => this.#handle(key, deltas, isInInitialList)));
    if (!this.#synced && this.#fifo.hasSynced) this.#awaitHandlers();
  }

  /** Synced means: in the store and with every handler that was there. */
  #awaitHandlers(): void {
    let waiting = this.#registrations.size + 1;
    const arrived = () => {
      if (--waiting > 0 || this.#synced) return;
      this.#synced = true;
      for (const resolve of this.#syncWaiters.splice(0)) resolve();
    };
    for (const { listener } of this.#registrations) listener.whenIdle(arrived);
    arrived();
  }

  #handle(key: string, deltas: Delta<T>[], isInInitialList: boolean): void {
    for (const { type, object, finalStateUnknown } of deltas) {
      const previous = this.#indexer.getByKey(key);
      if (type === "Deleted") {
        if (previous === undefined) continue;
        this.#indexer.delete(key);
        this.#distribute({ type: "delete", object, finalStateUnknown: finalStateUnknown === true }, false);
      } else if (previous === undefined) {
        this.#indexer.set(key, object);
        this.#distribute({ type: "add", object, isInInitialList }, false);
      } else {
        this.#indexer.set(key, object);
        const unchanged = previous.metadata.resourceVersion === object.metadata.resourceVersion;
        this.#distribute({ type: "update", previous, object }, unchanged);
      }
    }
  }

  /** What did not change goes only to handlers that asked for resyncs. */
  #distribute(notification: Notification<T>, unchanged: boolean): void {
    for (const { listener, resyncs } of this.#registrations) {
      if (!unchanged || resyncs) listener.add(notification);
    }
  }
}
