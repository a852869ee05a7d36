import type { WatchEvent } from "../apimachinery/watch-event.ts";
import type { Watch } from "./interfaces.ts";

/**
 * Reads newline-delimited watch events from a response body. All lines of a chunk are handed out without waiting in
 * between. A last line without its newline was cut by the end of the stream and is dropped, as client-go does.
 */
export class JsonWatch<T> implements Watch<T> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #abort: () => void;
  #stopped = false;

  /** `abort` is called once, when reading is over for whatever reason. */
  constructor(body: ReadableStream<Uint8Array>, abort: () => void = () => {}) {
    this.#reader = body.getReader();
    this.#abort = abort;
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    // The peer may have failed already; there is nobody to tell.
    this.#reader.cancel().catch(() => {});
    this.#abort();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent<T>> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for (;;) {
        const { done, value } = await this.#read();
        if (done) return;
        const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
        rest = lines.pop()!;
        for (const line of lines) {
          if (this.#stopped) return;
          if (line.trim() !== "") yield JSON.parse(line) as WatchEvent<T>;
        }
      }
    } finally {
      this.stop();
    }
  }

  async #read(): Promise<{ done: boolean; value?: Uint8Array }> {
    try {
      return await this.#reader.read();
    } catch (error) {
      if (this.#stopped) return { done: true };
      throw error;
    }
  }
}
