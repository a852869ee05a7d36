import type { AppContext } from "../request/context.ts";
import type { SnapshotContext } from "../extensions/type-snapshot.ts";
import type { CheckContext } from "./check-availability.ts";

/** What the aggregator needs of the world. */
export interface AggregatorContext extends SnapshotContext, CheckContext {
  /** Lets work go on when its request has been answered. */
  background(work: () => Promise<void>): void;
}

export function aggregatorContext(c: AppContext): AggregatorContext {
  return {
    storage: c.get("storage"),
    clock: c.env.clock,
    fetch: fetchBriefly,
    background: (work) => background(c.env.waitUntil, work),
  };
}

function background(waitUntil: ((promise: Promise<unknown>) => void) | undefined, work: () => Promise<void>): void {
  const promise = work().catch((error: unknown) =>
    console.error(`aggregator: ${String((error as Error).stack ?? error)}`),
  );
  // A Durable Object's work goes on by itself.
  waitUntil?.(promise);
}

/** A GET that is given up, with its body, after so many milliseconds. */
export function fetchBriefly(url: string, headers: Headers, timeout: number): Promise<Response> {
  return fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(timeout) });
}
