import type { Clock, TimerHandle } from "../../apimachinery/clock.ts";
import type { StorageEvent, StorageWatch, StorageWatchMessage, WatchOptions } from "../interfaces.ts";

const bookmarkMilliseconds = 60_000;

/** A watch with an unbounded queue: the reference has no slow watchers. */
export class MemoryWatch implements StorageWatch {
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #onClose: (watch: MemoryWatch) => void;
  readonly #queue: StorageWatchMessage[] = [];
  #revision: number;
  #wake: (() => void) | undefined;
  #timer: TimerHandle | undefined;
  #closed = false;

  constructor(clock: Clock, options: WatchOptions, revision: number, onClose: (watch: MemoryWatch) => void) {
    this.#clock = clock;
    this.#prefix = options.prefix;
    this.#revision = revision;
    this.#onClose = onClose;
    if (options.bookmarks) this.#startTimer();
  }

  deliver(event: StorageEvent): void {
    this.#revision = Math.max(this.#revision, event.revision);
    if (event.key.startsWith(this.#prefix)) this.#send({ kind: "event", event });
  }

  endInitialEvents(revision: number): void {
    this.#send({ kind: "bookmark", revision, initialEventsEnd: true });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#onClose(this);
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<StorageWatchMessage> {
    try {
      while (!this.#closed) {
        const message = this.#queue.shift();
        if (message !== undefined) yield message;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.close();
    }
  }

  #startTimer(): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#send({ kind: "bookmark", revision: this.#revision });
      this.#startTimer();
    }, bookmarkMilliseconds);
  }

  #send(message: StorageWatchMessage): void {
    this.#queue.push(message);
    this.#wake?.();
    this.#wake = undefined;
  }
}
