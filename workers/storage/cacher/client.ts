import type { StorageWatch, StorageWatchMessage } from "../interfaces.ts";
import type { WatchRequest } from "./protocol.ts";
import { openWatchSocket, WatchSocket } from "./watch-socket.ts";
import type { CacherStub } from "./watch-socket.ts";

export type { CacherStub } from "./watch-socket.ts";

/** A storage watch through the cache; selectors may narrow it. Always shows storage events, whatever is asked. */
export async function newCacherWatch(stub: CacherStub, request: WatchRequest): Promise<StorageWatch> {
  const socket = await openWatchSocket(stub, { ...request, representation: { kind: "storage" }, frames: "text" });
  return new CacherWatch(socket);
}

/** Messages wait here until they are asked for; the cache's window of unacknowledged frames bounds them. */
class CacherWatch implements StorageWatch {
  readonly #socket: WatchSocket;
  readonly #frames: string[] = [];
  #ended = false;
  #news: (() => void) | undefined;

  constructor(socket: WebSocket) {
    this.#socket = new WatchSocket(socket, {
      onFrame: (frame) => {
        this.#frames.push(frame as string);
        this.#notify();
      },
      onEnd: (end) => {
        if (end.kind === "error") this.#frames.push(JSON.stringify({ kind: "error", error: end.error }));
        this.#ended = true;
        this.#notify();
      },
    });
  }

  close(): void {
    this.#ended = true;
    this.#frames.length = 0;
    this.#socket.close();
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StorageWatchMessage> {
    try {
      for (;;) {
        const frame = this.#frames.shift();
        if (frame !== undefined) {
          for (const line of frame.split("\n")) if (line !== "") yield JSON.parse(line) as StorageWatchMessage;
          this.#socket.consumed(frame.length);
        } else if (this.#ended) {
          return;
        } else {
          await new Promise<void>((resolve) => (this.#news = resolve));
        }
      }
    } finally {
      this.close();
    }
  }

  #notify(): void {
    const resolve = this.#news;
    this.#news = undefined;
    resolve?.();
  }
}
