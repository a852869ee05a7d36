/**
 * The storage contract. One instance serves one resource type of one cluster. Three implementations:
 * `memory/` (reference, for tests), the ResourceShard Durable Object through `shard/client.ts`, and the
 * WatchCache Durable Object through `cacher/storage.ts` for what it may serve. `test/contracts/storage-contract.ts`
 * runs against all of them. Counterpart of k8s.io/apiserver pkg/storage/interfaces.go (1.36).
 *
 * What a reader may rely on (rules are numbered in docs/spec/storage.md):
 * - Every committed change gets the next revision of its type, beginning at 2; an object's resourceVersion is the
 *   revision that wrote it, in decimal, inside its value.
 * - Values are immutable JSON text of one object, without apiVersion and kind, serialised once at write and never
 *   again: reads and events return the same text.
 * - Keys are `/registry/…` (storage/keys.ts); lists come in key order (by code unit).
 * - A method either resolves or throws one of the errors of `storage/errors.ts`.
 */
export interface Storage {
  /** Writes a new object. Throws KeyExists. */
  create(key: string, value: EncodedObject): Promise<StoredObject>;

  /** The newest committed object, or undefined. */
  get(key: string): Promise<StoredObject | undefined>;

  list(options: ListOptions): Promise<ListResult>;

  /**
   * Compare-and-swap: replaces the object if its revision is `expectedRevision`. Throws KeyNotFound, RevisionConflict.
   * Callers use {@link guaranteedUpdate}, which retries.
   */
  update(key: string, value: EncodedObject, expectedRevision: number): Promise<StoredObject>;

  /**
   * Removes the object if its revision is `expectedRevision`. The tombstone event carries `value` (the last state with
   * the deletion's own revision as resourceVersion, as upstream). Throws KeyNotFound, RevisionConflict.
   */
  delete(key: string, value: EncodedObject, expectedRevision: number): Promise<StoredObject>;

  /** Events after `options.since`, in revision order, gap-free and without duplicates, until closed or ended. */
  watch(options: WatchOptions): Promise<StorageWatch>;

  /** The newest committed revision; 1 before the first write. */
  currentRevision(): Promise<number>;
}

/**
 * JSON text of an object cut where the revision belongs, so that a store can complete it without parsing:
 * the stored value is `head + revision + tail`. Made by {@link encodeObject}.
 */
export interface EncodedObject {
  head: string;
  tail: string;
}

export interface StoredObject {
  key: string;
  /** JSON text without apiVersion and kind, resourceVersion inside. */
  value: string;
  revision: number;
}

export interface ListOptions {
  /** `/registry/pods/` or `/registry/pods/default/`: ends in a slash. */
  prefix: string;
  /**
   * - undefined: the newest committed state (consistent).
   * - `notOlderThan`: any state at least this revision; 0 is "whatever is at hand".
   *   Throws RevisionTooLarge if the store has not reached it.
   * - `exact`: the state at this revision. Throws RevisionCompacted, RevisionTooLarge.
   */
  match?: { kind: "notOlderThan" | "exact"; revision: number };
  /** Maximum number of objects; 0 or undefined is no limit. */
  limit?: number;
  /** Continues a paginated list after this key, at `match: { kind: "exact" }` of the first page. */
  after?: string;
}

export interface ListResult {
  /** The revision of the snapshot. */
  revision: number;
  /** Number of objects in this page. -1 while a streamed body has not been read. */
  count: number;
  /** Set when there is more: the last key of this page. */
  lastKey?: string;
  /** Objects after this page, when there are any. */
  remaining?: number;
  /** The objects' JSON texts joined by commas, in key order. Read it once, in one of two ways. */
  text(): Promise<string>;
  stream(): ReadableStream<Uint8Array>;
}

export interface StorageEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  key: string;
  /** The revision of the change. */
  revision: number;
  /** The object after the change; for DELETED its last state with `revision` as resourceVersion. */
  value: string;
  /** The object before the change; absent for ADDED. Selector transitions need it. */
  previous?: string;
}

export interface WatchOptions {
  prefix: string;
  /**
   * Where to start: events with a revision above `since`.
   * - a positive number: exactly there. Throws RevisionCompacted when history does not reach that far.
   * - 0: the current objects first, as ADDED (synthetic, any recent state), then what follows.
   * - undefined: as 0 but the state is consistent with the newest commit ("get state and start at most recent").
   * With `initialEvents`: the objects at a state not older than `since`, as ADDED, then a bookmark marked as
   * the end of the initial events, then what follows.
   */
  since?: number;
  initialEvents?: boolean;
  /** Ask for bookmarks: about once a minute, and before a planned end. */
  bookmarks?: boolean;
}

export type StorageWatchMessage =
  | { kind: "event"; event: StorageEvent }
  /** Everything up to `revision` has been delivered. */
  | { kind: "bookmark"; revision: number; initialEventsEnd?: boolean }
  /** The watch cannot go on; the last message. */
  | { kind: "error"; error: StorageErrorShape };

export interface StorageWatch extends AsyncIterable<StorageWatchMessage> {
  close(): void;
}

/** Storage errors as plain data, since classes do not survive RPC. `errors.ts` has constructors and isX. */
export type StorageErrorShape =
  | { code: "KeyExists"; key: string }
  | { code: "KeyNotFound"; key: string }
  /** The object is at `actual`, not at the expected revision. `current` is the object that is there. */
  | { code: "RevisionConflict"; key: string; actual: number; current?: StoredObject }
  /** History begins after `requested`; `oldest` is the oldest revision that still can be asked for. */
  | { code: "RevisionCompacted"; requested: number; oldest: number }
  | { code: "RevisionTooLarge"; requested: number; current: number }
  /** The value is above 1.5 MiB (upstream: etcd's request limit, answered as 413). */
  | { code: "ValueTooLarge"; size: number; limit: number }
  /** The store cannot answer now (shutting down, overloaded); the caller may retry. */
  | { code: "Unavailable"; message: string };

/**
 * The revision of a type before its first change. Not 0, since a watch from 0 begins with whatever is at hand: a list of
 * an empty type must show a revision from which it can be watched.
 */
export const emptyRevision = 1;

/** Bytes of UTF-8 that one stored value may have. */
export const maxObjectBytes = 1.5 * 1024 * 1024;
