import type { BatchOperation, BatchResult, Client } from "../../client/interfaces.ts";
import { StatusError } from "../../apimachinery/status-errors.ts";

export interface ApiDispatcherOptions {
  /** Operations per request, 200 by default. */
  maxBatchSize?: number;
  /** Requests in flight at once, 1 by default: while one is under way the next gathers. */
  maxInFlight?: number;
}

interface Queued {
  operation: BatchOperation;
  resolve: (result: BatchResult) => void;
}

/**
 * Sends the scheduler's writes in batches. Bindings go first; of two status patches to one pod that have not been sent
 * only the later goes out. A request that fails as a whole fails each of its operations; promises never reject.
 * Takes the role of pkg/scheduler/backend/api_dispatcher (1.36).
 */
export class ApiDispatcher {
  readonly #client: Client;
  readonly #maxBatchSize: number;
  readonly #maxInFlight: number;
  #bindings: Queued[] = [];
  readonly #patches = new Map<string, Queued>();
  #inFlight = 0;
  #patchesInFlight = 0;
  #flushing = false;

  constructor(client: Client, options: ApiDispatcherOptions = {}) {
    this.#client = client;
    this.#maxBatchSize = options.maxBatchSize ?? 200;
    this.#maxInFlight = options.maxInFlight ?? 1;
  }

  /** Status patches that have not been answered; bindings are counted by their binding cycles. */
  get pendingPatches(): number {
    return this.#patches.size + this.#patchesInFlight;
  }

  /** POST pods/<name>/binding; resolves with the server's answer. */
  bind(namespace: string, name: string, uid: string | undefined, nodeName: string): Promise<BatchResult> {
    return this.#enqueue((queued) => this.#bindings.push(queued), {
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`,
      body: {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { namespace, name, ...(uid === undefined ? {} : { uid }) },
        target: { kind: "Node", name: nodeName },
      },
    });
  }

  /** PATCH pods/<name>/status; a patch of the same pod that still waits is replaced and answered with this one's result. */
  patchStatus(namespace: string, name: string, status: unknown): Promise<BatchResult> {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
    return this.#enqueue(
      (queued) => {
        const replaced = this.#patches.get(path);
        if (replaced !== undefined) {
          const { resolve } = queued;
          queued.resolve = (result) => {
            replaced.resolve(result);
            resolve(result);
          };
        }
        this.#patches.set(path, queued);
      },
      { method: "PATCH", path, contentType: "application/strategic-merge-patch+json", body: { status } },
    );
  }

  #enqueue(put: (queued: Queued) => void, operation: BatchOperation): Promise<BatchResult> {
    return new Promise((resolve) => {
      put({ operation, resolve });
      // A microtask: everything that the current slice of scheduling produces goes out together.
      if (this.#flushing) return;
      this.#flushing = true;
      queueMicrotask(() => {
        this.#flushing = false;
        this.#flush();
      });
    });
  }

  #flush(): void {
    while (this.#inFlight < this.#maxInFlight && this.#bindings.length + this.#patches.size > 0) {
      const batch = this.#bindings.slice(0, this.#maxBatchSize);
      this.#bindings = this.#bindings.slice(this.#maxBatchSize);
      for (const [path, queued] of this.#patches) {
        if (batch.length >= this.#maxBatchSize) break;
        batch.push(queued);
        this.#patches.delete(path);
      }
      void this.#send(batch);
    }
  }

  async #send(batch: readonly Queued[]): Promise<void> {
    const patches = batch.filter(({ operation }) => operation.method === "PATCH").length;
    this.#inFlight++;
    this.#patchesInFlight += patches;
    let results: BatchResult[];
    try {
      results = await this.#client.batch(batch.map(({ operation }) => operation));
    } catch (error) {
      const failed = failureOf(error);
      results = batch.map(() => failed);
    }
    this.#inFlight--;
    this.#patchesInFlight -= patches;
    for (let i = 0; i < batch.length; i++) batch[i]!.resolve(results[i] ?? missing);
    this.#flush();
  }
}

function failureOf(error: unknown): BatchResult {
  if (error instanceof StatusError) return { code: error.status.code, body: error.status };
  return { code: 503, body: { metadata: {}, message: error instanceof Error ? error.message : String(error) } };
}

const missing: BatchResult = {
  code: 500,
  body: { metadata: {}, message: "the batch response has no result for this operation" },
};
