import { problemOfOperation } from "./check-input.ts";
import type { ShardOperation, ShardOperationResult } from "./protocol.ts";

/** Characters of objects in the answer to one call; two bytes each at worst, and RPC's limit is 32 MiB. */
const maxAnswerSize = 8 * 1024 * 1024;

/**
 * The results of a call's operations, in order. What was written is always answered; objects that were only read are
 * left out once the answer is full (but never the first).
 */
export function answer(
  operations: readonly ShardOperation[],
  run: (operation: ShardOperation) => ShardOperationResult,
): ShardOperationResult[] {
  let size = 0;
  return operations.map((operation) => {
    const problem = problemOfOperation(operation);
    if (problem !== undefined) return { ok: false, error: problem };
    const result = run(operation);
    const added = sizeOf(result);
    if (size > 0 && size + added > maxAnswerSize) {
      if (operation.kind === "get") return leftOut;
      if (!result.ok && result.error.code === "RevisionConflict") return withoutCurrent(result.error);
    }
    size += added;
    return result;
  });
}

const leftOut: ShardOperationResult = {
  ok: false,
  error: { code: "Unavailable", message: "the answer is full" },
  again: true,
};

function sizeOf(result: ShardOperationResult): number {
  if (result.ok) return result.object?.value.length ?? 0;
  return result.error.code === "RevisionConflict" ? (result.error.current?.value.length ?? 0) : 0;
}

function withoutCurrent(error: { code: "RevisionConflict"; key: string; actual: number }): ShardOperationResult {
  return { ok: false, error: { code: "RevisionConflict", key: error.key, actual: error.actual } };
}
