import type { EncodedObject, StorageErrorShape, StorageEvent, StoredObject } from "../interfaces.ts";

/**
 * What a ResourceShard Durable Object answers. Nothing throws: results are plain data, because errors lose their class
 * over RPC. All calls that arrive within one macrotask share one commit and one output gate.
 */
export interface ResourceShardProtocol {
  /** Independent operations, each with its own result, in order, in one commit. At most 1,000. */
  transact(operations: ShardOperation[]): Promise<ShardTransactResult>;

  /** `follow`: as in {@link events}. */
  currentRevision(follow?: boolean): Promise<number>;

  /**
   * Events with a revision above `since`, at most `limit`, for the cache. RevisionCompacted when history does not reach
   * back to `since`. `follow`: whatever the answer, changes after its revision are pushed from now on, until the cache
   * answers a push with `idle`.
   */
  events(since: number, limit: number, follow?: boolean): Promise<ShardEventsResult>;

  /** Drops history up to what the retention settings allow; normally called by the alarm. */
  compact(): Promise<{ compactedRevision: number }>;

  /**
   * Lists travel over `fetch` (a string or a stream beats an array over RPC): POST https://shard/list with a
   * {@link ShardListRequest} as JSON body. The answer's body is the objects' JSON texts joined by commas (or lines with
   * their keys); its `edgeplane-list` header holds a {@link ShardListHeader}, or an error shape with status 409.
   */
  fetch(request: Request): Promise<Response>;
}

export type ShardOperation =
  | { kind: "get"; key: string }
  | { kind: "create"; key: string; value: EncodedObject }
  | { kind: "update"; key: string; value: EncodedObject; expectedRevision: number }
  | { kind: "delete"; key: string; value: EncodedObject; expectedRevision: number };

export type ShardOperationResult =
  | { ok: true; object: StoredObject | undefined }
  /**
   * `again`: a get that was left out because its call's answer was full; ask for it in another call. For the same reason
   * a RevisionConflict may lack `current`.
   */
  | { ok: false; error: StorageErrorShape; again?: true };

export interface ShardTransactResult {
  /** The shard's revision after the commit. */
  revision: number;
  results: ShardOperationResult[];
}

export type ShardEventsResult =
  | { ok: true; events: StorageEvent[]; revision: number }
  | { ok: false; error: StorageErrorShape };

export interface ShardListRequest {
  prefix: string;
  match?: { kind: "notOlderThan" | "exact"; revision: number };
  limit?: number;
  after?: string;
  /** Two lines for each object instead: its key as a JSON string, and its text. */
  keys?: boolean;
}

export interface ShardListHeader {
  revision: number;
  /** -1 when the body is streamed and the number is not known beforehand. */
  count: number;
  lastKey?: string;
  remaining?: number;
}

/** How a type is kept. The shard takes them from `storage/settings.ts` by its own name. */
export interface ShardSettings {
  /** Milliseconds of history that are always kept; 0 keeps none beyond what the cache has not acknowledged. */
  historyMilliseconds: number;
  /** Number of revisions that are always kept. */
  historyRevisions: number;
  /** Objects disappear this long after their last write (Events: one hour); undefined is never. */
  objectTtlMilliseconds?: number;
  /** Bounds of the watch cache's cyclic buffer. */
  watchCacheCapacity: { minimum: number; maximum: number };
}
