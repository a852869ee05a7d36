import type { StorageErrorShape, StorageEvent } from "../interfaces.ts";

/**
 * What a WatchCache Durable Object answers: the shard pushes, watchers connect.
 */
export interface WatchCacheProtocol {
  /**
   * From the shard, after each commit, in order; revisions are consecutive within a batch. The answer is the newest
   * revision that the cache holds: the shard pushes again whatever it does not acknowledge. When `events[0].revision`
   * leaves a gap the cache fills it from the shard's `events()`. `idle`: nobody watches and nobody sleeps, so the shard
   * need not push until the cache asks to follow again.
   */
  push(events: StorageEvent[]): Promise<{ revision: number; idle?: boolean }>;

  /**
   * A loop that goes to sleep asks to be woken: at the next event with a revision above `since` the cache calls
   * `wake()` on the named Durable Object, once.
   */
  wakeOn(sleeper: Sleeper, since: number): Promise<void>;

  /**
   * - Upgrade to WebSocket at https://cache/watch with a {@link WatchRequest} as JSON in the `edgeplane-watch` header:
   *   one socket a watcher; frames are text, see {@link WatchFrame}.
   * - POST https://cache/list: as ResourceShardProtocol, for `notOlderThan` and (after asking the shard for its
   *   revision) consistent lists.
   */
  fetch(request: Request): Promise<Response>;
}

export interface Sleeper {
  /** Name of the binding of the Durable Object namespace, e.g. "SCHEDULER". */
  binding: string;
  /** Name within the namespace, e.g. "default". */
  name: string;
}

/** Everything a watcher needs after hibernation; kept in the socket's attachment (16 KiB). */
export interface WatchRequest {
  prefix: string;
  since?: number;
  initialEvents?: boolean;
  bookmarks?: boolean;
  /** Selectors in their textual form; empty is everything. */
  labelSelector?: string;
  fieldSelector?: string;
  representation: Representation;
  /** Frames carry text, or its UTF-8 bytes, which an HTTP stream passes on as they are. Text unless said otherwise. */
  frames?: "text" | "binary";
}

/** Events that are no text travel in binary frames only. JSON unless said otherwise. */
export type EventEncoding = "protobuf" | "cbor";

/**
 * How an event's object is shown. The encoder that knows kinds and columns is given to the cache by its host;
 * the cache encodes once per (event, representation) and shares the text.
 */
export type Representation =
  | { kind: "object"; apiVersion: string; objectKind: string; encoding?: EventEncoding }
  /** `columns` names the printer (group/resource), or carries a CRD's own columns. */
  | {
      kind: "table";
      apiVersion: string;
      objectKind: string;
      tableVersion: "v1" | "v1beta1";
      includeObject: "None" | "Metadata" | "Object";
      columns: string;
      /** Only the first event of a watch carries the column definitions. */
    }
  | { kind: "partial"; apiVersion: string; objectKind: string; metaVersion: "v1" | "v1beta1"; encoding?: EventEncoding }
  /** Storage events as they are, for the storage contract and in-process informers. */
  | { kind: "storage" };

/**
 * A text frame is the watch stream's own bytes: newline-terminated JSON watch events, ready to be written to an HTTP
 * client; several may share a frame. For `{ kind: "storage" }` each line is a StorageWatchMessage.
 * The cache ends a watch by closing the socket with {@link closeCode}; the reason of `error` is a StorageErrorShape as JSON,
 * which the Worker shows as an ERROR event in the client's representation.
 */
export type WatchFrame = string;

/**
 * What a watcher sends, as JSON text. `ack`: length of the frames consumed since the last acknowledgement (UTF-16 units of
 * text, bytes of binary frames), sent when at least {@link acknowledgeEvery} came together. `end`: send a last bookmark if
 * there is news, then close with {@link closeCode}.done.
 */
export type WatcherMessage = { ack: number } | { end: true };

/** A watcher that never acknowledges gets about {@link maxOutstanding} and is then ended as slow. */
export const acknowledgeEvery = 256 * 1024;

/** Frames that may be on the way to one watcher without having been acknowledged. */
export const maxOutstanding = 1024 * 1024;

export const closeCode = { done: 1000, error: 4000, slow: 4001 } as const;

/** The shape of an error inside a close reason (at most 123 bytes). */
export type CloseReason = StorageErrorShape;
