import { StorageError } from "../errors.ts";
import type { StorageErrorShape } from "../interfaces.ts";
import { acknowledgeEvery, closeCode } from "./protocol.ts";
import type { WatchRequest, WatcherMessage } from "./protocol.ts";

/** What opens watches: a WatchCache stub, or anything that answers as one. */
export interface CacherStub {
  fetch(request: Request): Promise<Response>;
}

export type WatchEnd =
  /** A planned end, or a lost connection: the client watches again from where it is. */
  | { kind: "done" }
  /** The watcher did not keep up. */
  | { kind: "slow" }
  | { kind: "error"; error: StorageErrorShape };

/** JSON of a header must be ASCII. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The receiving end of one watch. Acknowledges what its owner reports as consumed. */
export class WatchSocket {
  readonly #socket: WebSocket;
  #unacknowledged = 0;
  #closed = false;

  /** `onFrame` gets text or bytes as the request asked for; `onEnd` is called once, after the last frame. */
  constructor(socket: WebSocket, handlers: { onFrame(frame: string | ArrayBuffer): void; onEnd(end: WatchEnd): void }) {
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    const end = (how: WatchEnd): void => {
      if (this.#closed) return;
      this.#closed = true;
      handlers.onEnd(how);
    };
    socket.addEventListener("message", ({ data }) => {
      if (!this.#closed) handlers.onFrame(data as string | ArrayBuffer);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      end(endOf(code, reason));
      closeQuietly(socket, closeCode.done);
    });
    socket.addEventListener("error", () => end({ kind: "done" }));
    socket.accept();
  }

  /** `length` more of the frames has been consumed: UTF-16 units of text, bytes of binary frames. */
  consumed(length: number): void {
    this.#unacknowledged += length;
    if (this.#unacknowledged < acknowledgeEvery) return;
    this.#send({ ack: this.#unacknowledged });
    this.#unacknowledged = 0;
  }

  /** Asks for the last bookmark and the end. */
  requestEnd(): void {
    this.#send({ end: true });
  }

  /** Releases the watch; no handler is called any more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeQuietly(this.#socket, closeCode.done);
  }

  #send(message: WatcherMessage): void {
    if (this.#closed) return;
    try {
      this.#socket.send(JSON.stringify(message));
    } catch {
      // The close event follows.
    }
  }
}

function closeQuietly(socket: WebSocket, code: number): void {
  try {
    socket.close(code);
  } catch {
    // It is closed already.
  }
}

function endOf(code: number, reason: string): WatchEnd {
  if (code === closeCode.slow) return { kind: "slow" };
  if (code !== closeCode.error) return { kind: "done" };
  try {
    return { kind: "error", error: JSON.parse(reason) as StorageErrorShape };
  } catch {
    return { kind: "error", error: { code: "Unavailable", message: reason } };
  }
}

/** Opens the socket of a watch. Throws StorageError (Unavailable) when the cache does not accept it. */
export async function openWatchSocket(stub: CacherStub, request: WatchRequest): Promise<WebSocket> {
  const headers = { Upgrade: "websocket", "edgeplane-watch": asciiJson(request) };
  const response = await stub.fetch(new Request("https://cache/watch", { headers }));
  if (response.webSocket === null) {
    throw new StorageError({ code: "Unavailable", message: `watch: ${response.status} ${await response.text()}` });
  }
  return response.webSocket;
}
