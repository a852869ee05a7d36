import type { Status } from "../apimachinery/status-errors.ts";
import { StatusError, newInternalError } from "../apimachinery/status-errors.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import type { BatchOperation, Client } from "../client/interfaces.ts";

/** The most operations that one batch request may carry. */
export const maxBatchOperations = 500;

/** What became of one operation: its object, or the error that a single request would have thrown. */
export type BatchOutcome = { object: KubeObject; error?: undefined } | { object?: undefined; error: Error };

/** Runs independent operations in as few requests as possible; outcomes are in the order of the operations. */
export async function runBatch(client: Client, operations: readonly BatchOperation[]): Promise<BatchOutcome[]> {
  const outcomes: BatchOutcome[] = [];
  for (let start = 0; start < operations.length; start += maxBatchOperations) {
    const chunk = operations.slice(start, start + maxBatchOperations);
    try {
      const results = await client.batch(chunk);
      for (let index = 0; index < chunk.length; index++) {
        const result = results[index];
        if (result === undefined) outcomes.push({ error: newInternalError("the batch gave no result") });
        else if (result.code < 400) outcomes.push({ object: result.body });
        else outcomes.push({ error: new StatusError(result.body as unknown as Status) });
      }
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      for (let index = 0; index < chunk.length; index++) outcomes.push({ error: failure });
    }
  }
  return outcomes;
}
