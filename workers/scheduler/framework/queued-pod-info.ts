import type { PodInfo } from "./pod-info.ts";

/** A waiting pod with the history of its attempts. Mirrors framework.QueuedPodInfo (1.36). */
export class QueuedPodInfo {
  podInfo: PodInfo;
  /** When it entered the queue last, milliseconds. */
  timestamp: number;
  attempts = 0;
  /** Attempts that ended with a rejection; drives the backoff. */
  unschedulableCount = 0;
  consecutiveErrorsCount = 0;
  initialAttemptTimestamp: number | undefined;
  /** Plugins that rejected the last attempt. */
  unschedulablePlugins: ReadonlySet<string> = empty;
  /** Plugins that wait for something of their own; their event skips the backoff. */
  pendingPlugins: ReadonlySet<string> = empty;
  /** What the last failed attempt told the user; the informer may not show it yet. */
  reportedMessage: string | undefined;
  /** Set by the queue: when the backoff ends, milliseconds. */
  backoffExpiration = 0;
  /** Order of arrival, so that equal timestamps stay first in, first out. */
  sequence = 0;

  constructor(podInfo: PodInfo, timestamp: number) {
    this.podInfo = podInfo;
    this.timestamp = timestamp;
  }

  get uid(): string {
    return this.podInfo.uid;
  }
}

const empty: ReadonlySet<string> = new Set();
