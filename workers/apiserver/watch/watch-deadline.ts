import type { Clock } from "../../apimachinery/clock.ts";

export interface WatchDeadlineOptions {
  /** What the client asked for; 0 or undefined leaves it to the server. */
  timeoutSeconds?: number;
  /** Without a timeout a watch ends after a random time between this and twice this (--min-request-timeout). */
  minimumSeconds?: number;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
}

/** Streams end with each deployment, so they are ended in good order before that is likely. */
const defaultMinimumSeconds = 300;
/** How long the last bookmark may take. */
const graceMilliseconds = 2_000;

/**
 * Ends a watch in good order: `onDue` asks for the last bookmark, `onOver` follows a little later if the watch has not
 * ended by itself. Returns what cancels it.
 */
export function startWatchDeadline(options: WatchDeadlineOptions, onDue: () => void, onOver: () => void): () => void {
  const { clock, random, timeoutSeconds, minimumSeconds = defaultMinimumSeconds } = options;
  const seconds = timeoutSeconds ? timeoutSeconds : minimumSeconds * (1 + random());
  let handle = clock.setTimeout(() => {
    handle = clock.setTimeout(onOver, graceMilliseconds);
    onDue();
  }, seconds * 1000);
  return () => clock.clearTimeout(handle);
}
