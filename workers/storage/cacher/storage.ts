import type {
  EncodedObject,
  ListOptions,
  ListResult,
  Storage,
  StorageWatch,
  StoredObject,
  WatchOptions,
} from "../interfaces.ts";
import { requestList } from "../shard/client.ts";
import { newCacherWatch } from "./client.ts";
import type { CacherStub } from "./client.ts";

/** Storage over a type's shard and its watch cache: watches, and lists that may be older than the newest state, go to the cache. */
export function newCacherStorage(stub: CacherStub, shard: Storage): Storage {
  return new CacherStorage(stub, shard);
}

class CacherStorage implements Storage {
  readonly #stub: CacherStub;
  readonly #shard: Storage;

  constructor(stub: CacherStub, shard: Storage) {
    this.#stub = stub;
    this.#shard = shard;
  }

  create(key: string, value: EncodedObject): Promise<StoredObject> {
    return this.#shard.create(key, value);
  }

  get(key: string): Promise<StoredObject | undefined> {
    return this.#shard.get(key);
  }

  update(key: string, value: EncodedObject, expectedRevision: number): Promise<StoredObject> {
    return this.#shard.update(key, value, expectedRevision);
  }

  delete(key: string, value: EncodedObject, expectedRevision: number): Promise<StoredObject> {
    return this.#shard.delete(key, value, expectedRevision);
  }

  list(options: ListOptions): Promise<ListResult> {
    if (options.match?.kind === "notOlderThan") return listFromCache(this.#stub, options);
    return this.#shard.list(options);
  }

  watch(options: WatchOptions): Promise<StorageWatch> {
    return newCacherWatch(this.#stub, { ...options, representation: { kind: "storage" } });
  }

  currentRevision(): Promise<number> {
    return this.#shard.currentRevision();
  }
}

/** Any list; what the cache does not know it asks its shard for. Throws StorageError. */
export function listFromCache(stub: CacherStub, options: ListOptions): Promise<ListResult> {
  return requestList(stub, "https://cache/list", options);
}
