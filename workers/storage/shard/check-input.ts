import type { StorageErrorShape } from "../interfaces.ts";
import type { ShardListRequest, ShardOperation } from "./protocol.ts";

export const maxOperations = 1_000;
/** Far above what names and namespaces allow, far below what a row holds. */
const maxKeyLength = 2_048;

/** Why a call cannot be taken at all; undefined if it can. Input crosses RPC, so its type is a wish. */
export function problemOfCall(operations: readonly ShardOperation[]): StorageErrorShape | undefined {
  if (!Array.isArray(operations)) return refused("operations are not a list");
  if (operations.length > maxOperations) return refused(`more than ${maxOperations} operations in one call`);
  return undefined;
}

export function problemOfOperation(operation: ShardOperation): StorageErrorShape | undefined {
  if (typeof operation !== "object" || operation === null) return refused("an operation is not an object");
  const { kind, key } = operation;
  if (typeof key !== "string" || !key.startsWith("/") || key.length > maxKeyLength) return refused("key");
  if (kind === "get") return undefined;
  if (kind !== "create" && kind !== "update" && kind !== "delete") return refused(`kind ${String(kind)}`);
  const { value } = operation;
  if (typeof value?.head !== "string" || typeof value.tail !== "string") return refused("value");
  if (kind !== "create" && !isRevision(operation.expectedRevision)) return refused("expectedRevision");
  return undefined;
}

export function problemOfList(request: ShardListRequest): StorageErrorShape | undefined {
  if (typeof request !== "object" || request === null) return refused("the list request is not an object");
  const { prefix, match, limit, after } = request;
  if (typeof prefix !== "string" || !prefix.startsWith("/") || !prefix.endsWith("/")) return refused("prefix");
  if (match !== undefined) {
    if (match === null || (match.kind !== "notOlderThan" && match.kind !== "exact")) return refused("match");
    if (!isRevision(match.revision)) return refused("match.revision");
  }
  if (limit !== undefined && !isRevision(limit)) return refused("limit");
  if (after !== undefined && typeof after !== "string") return refused("after");
  return undefined;
}

export function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** There is no code for a caller's mistake: no caller in this repository makes one. */
export function refused(what: string): StorageErrorShape {
  return { code: "Unavailable", message: `invalid request to the shard: ${what}` };
}
