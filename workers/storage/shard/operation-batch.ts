import { StorageError } from "../errors.ts";
import type { StoredObject } from "../interfaces.ts";
import { maxOperations } from "./check-input.ts";
import type { ShardOperation, ShardTransactResult } from "./protocol.ts";

/** Characters of values in one call; the message limit of RPC is 32 MiB. */
const maxCallSize = 8 * 1024 * 1024;
/** A batch leaves when this many promise turns brought no new operation. */
const quietTurns = 4;
const maxTurns = 64;

type Transact = (operations: ShardOperation[]) => Promise<ShardTransactResult>;

interface Pending {
  operation: ShardOperation;
  resolve(object: StoredObject | undefined): void;
  reject(error: unknown): void;
}

interface RevisionWaiter {
  resolve(revision: number): void;
  reject(error: unknown): void;
}

/**
 * Gathers the operations of one macrotask into one call, because a hop costs more than the work behind it. It waits
 * only for promise callbacks that are ready anyway, never for a timer, so a single operation is not delayed.
 */
export class OperationBatch {
  readonly #transact: Transact;
  #pending: Pending[] = [];
  #revisionWaiters: RevisionWaiter[] = [];
  #scheduled = false;

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  run(operation: ShardOperation): Promise<StoredObject | undefined> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ operation, resolve, reject });
      this.#schedule();
    });
  }

  /** The shard's revision, from the same call as the operations around it. */
  currentRevision(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#revisionWaiters.push({ resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    void this.#sendWhenQuiet();
  }

  async #sendWhenQuiet(): Promise<void> {
    let seen = 0;
    for (let turn = 0, quiet = 0; turn < maxTurns && quiet < quietTurns; turn++) {
      await Promise.resolve();
      const count = this.#pending.length + this.#revisionWaiters.length;
      quiet = count === seen ? quiet + 1 : 0;
      seen = count;
      if (this.#pending.length >= maxOperations) break;
    }
    this.#scheduled = false;
    const pending = this.#pending;
    const waiters = this.#revisionWaiters;
    this.#pending = [];
    this.#revisionWaiters = [];
    const calls = split(pending);
    if (calls.length === 0) calls.push([]);
    // The revision of the last call is not older than any of the others'.
    calls.forEach((call, index) => void this.#send(call, index === calls.length - 1 ? waiters : []));
  }

  async #send(call: Pending[], waiters: RevisionWaiter[]): Promise<void> {
    try {
      const { revision, results } = await this.#transact(call.map(({ operation }) => operation));
      const again: Pending[] = [];
      call.forEach(({ resolve, reject }, index) => {
        const result = results[index]!;
        if (result.ok) resolve(result.object);
        else if (result.again) again.push(call[index]!);
        else reject(new StorageError(result.error));
      });
      for (const waiter of waiters) waiter.resolve(revision);
      if (again.length > 0) void this.#send(again, []);
    } catch (error) {
      const failure = unavailable(error);
      for (const { reject } of [...call, ...waiters]) reject(failure);
    }
  }
}

/** In order, none above what one call may carry. */
function split(pending: Pending[]): Pending[][] {
  const calls: Pending[][] = [];
  let size = Infinity;
  for (const item of pending) {
    const itemSize = sizeOf(item.operation);
    let call = calls.at(-1);
    if (call === undefined || call.length >= maxOperations || size + itemSize > maxCallSize) {
      calls.push((call = []));
      size = 0;
    }
    call.push(item);
    size += itemSize;
  }
  return calls;
}

function sizeOf(operation: ShardOperation): number {
  return operation.kind === "get" ? 0 : operation.value.head.length + operation.value.tail.length;
}

/** What a stub throws says that the shard was not there: overloaded, restarting, gone. */
export function unavailable(error: unknown): StorageError {
  return new StorageError({ code: "Unavailable", message: error instanceof Error ? error.message : String(error) });
}
