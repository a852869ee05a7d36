import type { RateLimitingQueue } from "../workqueue/interfaces.ts";
import { handleError } from "./handle-error.ts";

/**
 * Runs `workers` loops of get, sync, forget or retry, until the signal aborts and the queue has drained.
 * A key is never synced twice at the same time (the queue holds it back). A sync that throws is retried with the
 * limiter's delay, without end unless `maxRetries` is given (upstream gives up on a Deployment after 15).
 */
export async function runWorkers<K>(
  queue: RateLimitingQueue<K>,
  workers: number,
  signal: AbortSignal,
  controller: string,
  sync: (key: K) => Promise<void>,
  maxRetries = Infinity,
): Promise<void> {
  if (signal.aborted) queue.shutDown();
  else signal.addEventListener("abort", () => queue.shutDown(), { once: true });
  const loops: Promise<void>[] = [];
  for (let index = 0; index < workers; index++) loops.push(loop(queue, controller, sync, maxRetries));
  await Promise.all(loops);
}

async function loop<K>(
  queue: RateLimitingQueue<K>,
  controller: string,
  sync: (key: K) => Promise<void>,
  maxRetries: number,
): Promise<void> {
  for (;;) {
    const key = await queue.get();
    if (key === undefined) return;
    try {
      await sync(key);
      queue.forget(key);
    } catch (error) {
      handleError(controller, `error syncing ${String(key)}`, error);
      if (queue.numRequeues(key) < maxRetries) queue.addRateLimited(key);
      else queue.forget(key);
    } finally {
      queue.done(key);
    }
  }
}
