import type { WatchEvent } from "../../apimachinery/watch-event.ts";
import type { Watch } from "../interfaces.ts";

/** A watch that a test feeds. Events that were pushed before the end are still delivered. */
export class FakeWatch implements Watch {
  readonly #queue: WatchEvent[] = [];
  readonly #onClose: () => void;
  #wakeUp: (() => void) | undefined;
  #ended = false;
  #error: Error | undefined;

  constructor(onClose: () => void = () => {}) {
    this.#onClose = onClose;
  }

  push(event: WatchEvent): void {
    if (this.#ended) return;
    this.#queue.push(event);
    this.#wakeUp?.();
  }

  /** Ends the stream; with an error, as a transport failure does. */
  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#onClose();
    this.#wakeUp?.();
  }

  stop(): void {
    this.#queue.length = 0;
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent> {
    try {
      for (;;) {
        while (this.#queue.length > 0) yield this.#queue.shift()!;
        if (this.#ended) {
          if (this.#error !== undefined) throw this.#error;
          return;
        }
        await new Promise<void>((resolve) => {
          this.#wakeUp = resolve;
        });
        this.#wakeUp = undefined;
      }
    } finally {
      this.end();
    }
  }
}
