import { StorageError } from "../errors.ts";
import type {
  EncodedObject,
  ListOptions,
  ListResult,
  Storage,
  StorageErrorShape,
  StorageWatch,
  StoredObject,
  WatchOptions,
} from "../interfaces.ts";
import { valueTooLarge } from "../value-size.ts";
import { OperationBatch, unavailable } from "./operation-batch.ts";
import type { ShardListHeader, ShardListRequest, ShardOperation, ShardTransactResult } from "./protocol.ts";

/** What the client needs of the stub of a ResourceShard Durable Object. */
export interface ShardStub {
  transact(operations: ShardOperation[]): Promise<ShardTransactResult>;
  fetch(request: Request): Promise<Response>;
}

/** Opens watches: the shard has none, its WatchCache does. */
export type Watcher = (options: WatchOptions) => Promise<StorageWatch>;

/**
 * Storage over a ResourceShard. An instance belongs to one request context (its stub does). Operations issued in one
 * macrotask travel together; each succeeds or fails by itself. Never repeats a write by itself: when the shard goes
 * away in between, the caller gets Unavailable and the write may or may not have happened.
 */
export function newShardStorage(stub: ShardStub, watcher?: Watcher): Storage {
  return new ShardStorage(stub, watcher);
}

class ShardStorage implements Storage {
  readonly #stub: ShardStub;
  readonly #watcher: Watcher | undefined;
  readonly #batch: OperationBatch;

  constructor(stub: ShardStub, watcher: Watcher | undefined) {
    this.#stub = stub;
    this.#watcher = watcher;
    this.#batch = new OperationBatch((operations) => stub.transact(operations));
  }

  create(key: string, value: EncodedObject): Promise<StoredObject> {
    return this.#write({ kind: "create", key, value });
  }

  get(key: string): Promise<StoredObject | undefined> {
    return this.#batch.run({ kind: "get", key });
  }

  update(key: string, value: EncodedObject, expectedRevision: number): Promise<StoredObject> {
    return this.#write({ kind: "update", key, value, expectedRevision });
  }

  delete(key: string, value: EncodedObject, expectedRevision: number): Promise<StoredObject> {
    return this.#write({ kind: "delete", key, value, expectedRevision });
  }

  currentRevision(): Promise<number> {
    return this.#batch.currentRevision();
  }

  list(options: ListOptions): Promise<ListResult> {
    return requestList(this.#stub, "https://shard/list", options);
  }

  watch(options: WatchOptions): Promise<StorageWatch> {
    if (this.#watcher !== undefined) return this.#watcher(options);
    return Promise.reject(new StorageError({ code: "Unavailable", message: "this storage client has no watcher" }));
  }

  async #write(operation: Exclude<ShardOperation, { kind: "get" }>): Promise<StoredObject> {
    // Checked here too, so that what is far too large does not travel.
    const tooLarge = valueTooLarge(operation.value, 0);
    if (tooLarge !== undefined) throw new StorageError(tooLarge);
    return (await this.#batch.run(operation))!;
  }
}

/** Asks a shard, or a cache that answers as one, for a list. Throws StorageError. */
export async function requestList(
  target: Pick<ShardStub, "fetch">,
  url: string,
  options: ListOptions,
): Promise<ListResult> {
  const { prefix, match, limit, after } = options;
  const request: ShardListRequest = { prefix };
  if (match !== undefined) request.match = match;
  if (limit !== undefined) request.limit = limit;
  if (after !== undefined) request.after = after;
  let response: Response;
  try {
    response = await target.fetch(new Request(url, { method: "POST", body: JSON.stringify(request) }));
  } catch (error) {
    throw unavailable(error);
  }
  const header = response.headers.get("edgeplane-list");
  if (header === null) throw unavailable(`the list was answered with status ${response.status}`);
  if (!response.ok) throw new StorageError(JSON.parse(header) as StorageErrorShape);
  return {
    ...(JSON.parse(header) as ShardListHeader),
    text: () => response.text().catch((error: unknown) => Promise.reject(unavailable(error))),
    stream: () => response.body ?? emptyStream(),
  };
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
