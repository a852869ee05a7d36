import type { KubeObject } from "../apimachinery/meta.ts";
import type { ResourceEventHandler } from "./interfaces.ts";

export type Notification<T> =
  | { type: "add"; object: T; isInInitialList: boolean }
  | { type: "update"; previous: T; object: T }
  | { type: "delete"; object: T; finalStateUnknown: boolean };

/** Notifications that may wait; when there are more, the producer runs the handler itself. */
const maxPending = 10_000;

/**
 * Calls one handler, one notification at a time and in order. What arrives together is delivered in one microtask. A
 * handler that throws is reported and loses nothing but that notification.
 * Mirrors processorListener of client-go tools/cache/shared_informer.go (1.36).
 */
export class ProcessorListener<T extends KubeObject> {
  readonly #handler: ResourceEventHandler<T>;
  readonly #onError: (error: unknown) => void;
  readonly #whenIdle: (() => void)[] = [];
  #pending: Notification<T>[] = [];
  #scheduled = false;
  #draining = false;
  #removed = false;

  constructor(handler: ResourceEventHandler<T>, onError: (error: unknown) => void) {
    this.#handler = handler;
    this.#onError = onError;
  }

  add(notification: Notification<T>): void {
    if (this.#removed) return;
    this.#pending.push(notification);
    if (this.#pending.length > maxPending && !this.#draining) {
      this.#drain();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      queueMicrotask(() => {
        this.#scheduled = false;
        this.#drain();
      });
    }
  }

  /** Nothing waits and nothing is being handled. */
  get idle(): boolean {
    return this.#pending.length === 0 && !this.#draining;
  }

  /** Calls back once everything that is pending has been handled. */
  whenIdle(callback: () => void): void {
    if (this.idle) callback();
    else this.#whenIdle.push(callback);
  }

  remove(): void {
    this.#removed = true;
    this.#pending = [];
    this.#settle();
  }

  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      for (const notification of batch) {
        if (this.#removed) break;
        this.#deliver(notification);
      }
    }
    this.#draining = false;
    this.#settle();
  }

  #settle(): void {
    for (const callback of this.#whenIdle.splice(0)) callback();
  }

  #deliver(notification: Notification<T>): void {
    try {
      switch (notification.type) {
        case "add":
          this.#handler.onAdd?.(notification.object, notification.isInInitialList);
          break;
        case "update":
          this.#handler.onUpdate?.(notification.previous, notification.object);
          break;
        case "delete":
          this.#handler.onDelete?.(notification.object, notification.finalStateUnknown);
          break;
        default:
          notification satisfies never;
      }
    } catch (error) {
      this.#onError(error);
    }
  }
}
