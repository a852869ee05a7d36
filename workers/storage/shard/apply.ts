import { completeObject } from "../encode-object.ts";
import type { StorageErrorShape, StorageEvent, StoredObject } from "../interfaces.ts";
import { valueTooLarge } from "../value-size.ts";
import type { ShardOperation, ShardOperationResult } from "./protocol.ts";
import type { ShardTables } from "./tables.ts";
import { eventTypes } from "./tables.ts";

/** Applies operations one after the other inside the caller's transaction; each sees what came before it. */
export class Applier {
  readonly #tables: ShardTables;
  readonly #committedAt: number;
  /** The revision after what has been applied. */
  revision: number;
  readonly events: StorageEvent[] = [];

  constructor(tables: ShardTables, revision: number, committedAt: number) {
    this.#tables = tables;
    this.revision = revision;
    this.#committedAt = committedAt;
  }

  apply(operation: ShardOperation): ShardOperationResult {
    switch (operation.kind) {
      case "get":
        return { ok: true, object: readObject(this.#tables, operation.key) };
      case "create":
        return this.#create(operation);
      case "update":
      case "delete":
        return this.#change(operation);
    }
  }

  #create(operation: Extract<ShardOperation, { kind: "create" }>): ShardOperationResult {
    const { key } = operation;
    const revision = this.revision + 1;
    const tooLarge = valueTooLarge(operation.value, revision);
    if (tooLarge !== undefined) return failure(tooLarge);
    if (this.#tables.read(key) !== undefined) return failure({ code: "KeyExists", key });
    const value = completeObject(operation.value, revision);
    this.#tables.insert(key, revision);
    this.#tables.append(revision, 0, eventTypes.ADDED, this.#committedAt, key, value);
    return this.#applied({ type: "ADDED", key, revision, value });
  }

  #change(operation: Extract<ShardOperation, { kind: "update" | "delete" }>): ShardOperationResult {
    const { key } = operation;
    const revision = this.revision + 1;
    const tooLarge = valueTooLarge(operation.value, revision);
    if (tooLarge !== undefined) return failure(tooLarge);
    const existing = this.#tables.read(key);
    if (existing === undefined) return failure({ code: "KeyNotFound", key });
    if (existing.revision !== operation.expectedRevision) {
      const current: StoredObject = { key, value: existing.value, revision: existing.revision };
      return failure({ code: "RevisionConflict", key, actual: existing.revision, current });
    }
    const value = completeObject(operation.value, revision);
    const type = operation.kind === "update" ? "MODIFIED" : "DELETED";
    if (type === "MODIFIED") this.#tables.replace(key, revision);
    else this.#tables.remove(key);
    this.#tables.append(revision, existing.revision, eventTypes[type], this.#committedAt, key, value);
    return this.#applied({ type, key, revision, value, previous: existing.value });
  }

  #applied(event: StorageEvent): ShardOperationResult {
    this.revision = event.revision;
    this.events.push(event);
    return { ok: true, object: { key: event.key, value: event.value, revision: event.revision } };
  }
}

export function readObject(tables: ShardTables, key: string): StoredObject | undefined {
  const row = tables.read(key);
  return row === undefined ? undefined : { key, value: row.value, revision: row.revision };
}

function failure(error: StorageErrorShape): ShardOperationResult {
  return { ok: false, error };
}
