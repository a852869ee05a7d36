import type { StorageWatchMessage } from "../interfaces.ts";
import type { SavedWatcher, WatcherSocket } from "./watcher.ts";

/** A watcher's socket for tests: keeps what was sent, and what survives hibernation. */
export class FakeSocket implements WatcherSocket {
  readonly frames: string[] = [];
  saved: SavedWatcher | undefined;
  saves = 0;
  closedWith: { code: number; reason: string } | undefined;
  /** Length of the frames not yet acknowledged. */
  unacknowledged = 0;

  send(frame: string | Uint8Array): void {
    if (this.closedWith !== undefined) throw new Error("closed");
    this.frames.push(typeof frame === "string" ? frame : new TextDecoder().decode(frame));
    this.unacknowledged += frame.length;
  }

  close(code: number, reason: string): void {
    this.closedWith ??= { code, reason };
  }

  save(state: SavedWatcher): void {
    this.saves++;
    this.saved = structuredClone(state);
  }

  get lines(): any[] {
    return this.frames
      .join("")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  /** Of a storage watch. */
  get messages(): StorageWatchMessage[] {
    return this.lines as StorageWatchMessage[];
  }
}
