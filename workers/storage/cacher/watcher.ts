import type { StorageErrorShape } from "../interfaces.ts";
import { closeCode, maxOutstanding } from "./protocol.ts";
import type { WatchRequest } from "./protocol.ts";
import type { Frame, WatchView } from "./watch-view.ts";

/** The other end of a watcher: a hibernatable WebSocket. Sending to one that is gone may throw. */
export interface WatcherSocket {
  send(frame: string | Uint8Array): void;
  close(code: number, reason: string): void;
  /** Keeps the state for the time after hibernation. */
  save(state: SavedWatcher): void;
}

/**
 * - initial: the current objects are being sent; the position is not known yet.
 * - catchingUp: events after `position` come from the buffer or from the shard's history.
 * - live: everything up to the cacher's cursor has been sent; each dispatch sends what follows.
 * - behind: was live, but its window is full; continues from the buffer when it acknowledges.
 */
export type WatcherMode = "initial" | "catchingUp" | "live" | "behind";

/** What survives hibernation, in the socket's attachment. */
export interface SavedWatcher {
  request: WatchRequest;
  mode: WatcherMode;
  /** Newest revision that was sent, or where the watch started. */
  position: number;
  /** The cacher's cursor at that time, see Cacher. -1: none. */
  cursor: number;
  /** Nothing has been sent yet: the next line carries a table's columns. */
  first: boolean;
}

/** One watcher's position and its window of unacknowledged frames. */
export class Watcher {
  readonly socket: WatcherSocket;
  readonly request: WatchRequest;
  readonly view: WatchView;
  mode: WatcherMode;
  /** Every matching event up to here has been sent. */
  position: number;
  /** Newest revision that the client knows of. */
  told: number;
  first: boolean;
  nextBookmark = 0;
  /** When it began to wait for an acknowledgement; undefined when it does not. */
  stalledSince: number | undefined;
  closed = false;
  #outstanding = 0;
  #room: (() => void) | undefined;

  constructor(socket: WatcherSocket, view: WatchView, saved: SavedWatcher) {
    this.socket = socket;
    this.view = view;
    this.request = saved.request;
    this.mode = saved.mode;
    this.position = this.told = saved.position;
    this.first = saved.first;
  }

  get hasRoom(): boolean {
    return this.#outstanding < maxOutstanding;
  }

  /** Length of the frames that have not been acknowledged. */
  get outstanding(): number {
    return this.#outstanding;
  }

  /** Resolves when there is room, or when the watcher is closed. */
  async room(now: number): Promise<void> {
    if (this.hasRoom || this.closed) return;
    this.stalledSince ??= now;
    await new Promise<void>((resolve) => (this.#room = resolve));
  }

  acknowledge(length: number): void {
    this.#outstanding = Math.max(0, this.#outstanding - length);
    if (!this.hasRoom) return;
    this.stalledSince = undefined;
    this.#release();
  }

  /** Sends frames while there is room; false when some were left out. Moves the position to the last one sent. */
  deliver(frames: readonly Frame[]): boolean {
    for (const frame of frames) {
      if (this.closed) return true;
      if (!this.hasRoom) return false;
      this.send(frame);
    }
    return true;
  }

  send(frame: Frame): void {
    this.#outstanding += frame.length;
    this.first = false;
    this.position = Math.max(this.position, frame.revision);
    this.told = this.position;
    try {
      this.socket.send(frame.data);
    } catch {
      this.closed = true;
      this.#release();
    }
  }

  save(cursor: number | undefined): void {
    if (this.closed) return;
    const { request, mode, position, first } = this;
    this.socket.save({ request, mode, position, cursor: cursor ?? -1, first });
  }

  close(code: number, reason = ""): void {
    if (!this.closed) {
      this.closed = true;
      try {
        this.socket.close(code, reason);
      } catch {
        // It is gone already.
      }
    }
    this.#release();
  }

  fail(error: StorageErrorShape): void {
    const shape = error.code === "Unavailable" ? { ...error, message: error.message.slice(0, 60) } : error;
    this.close(closeCode.error, JSON.stringify(shape));
  }

  #release(): void {
    const resolve = this.#room;
    this.#room = undefined;
    resolve?.();
  }
}
