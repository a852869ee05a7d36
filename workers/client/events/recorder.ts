import type { Clock, TimerHandle } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { StatusError } from "../../apimachinery/status-errors.ts";
import type { Status } from "../../apimachinery/status-errors.ts";
import type { BatchOperation, BatchResult, Client } from "../interfaces.ts";
import { resourcePath } from "../resource-path.ts";
import type { CoreEvent } from "./core-event.ts";
import { newCoreEvent } from "./core-event.ts";
import { EventCorrelator } from "./correlator.ts";
import type { EventOptions, EventRecorder } from "./event-recorder.ts";

export interface EventRecorderOptions {
  client: Pick<Client, "batch">;
  clock: Clock;
  /** source.component and reportingComponent, e.g. "deployment-controller". */
  component: string;
  /** source.host and reportingInstance, for components that belong to a node. */
  host?: string;
  /** In [0, 1); spreads the first retry. */
  random?: () => number;
  /** How long events are gathered into one request. */
  flushMilliseconds?: number;
  /** Told of events that the server refused or that were given up. */
  onError?: (error: unknown) => void;
}

/** What a host asks before it sleeps. */
export interface EventSink {
  /** Events that are not at the server yet. */
  readonly pending: number;
  /** Events given up so far: queue full, server unreachable or refusing. */
  readonly dropped: number;
  /** Sends what is queued now; resolves when it has been answered or must be tried again later. */
  flush(): Promise<void>;
}

const events = { group: "", version: "v1", resource: "events" };
const maxQueued = 1000;
const maxTries = 12;
const retryMilliseconds = 10_000;
const batchSize = 500;

/**
 * Records core/v1 Events about objects: thinned out by a correlator, gathered for a moment, sent in batches. A repeated
 * event patches the count of the one that is there. Mirrors client-go tools/record/event.go (1.36), which sends one by one
 * and drops the newest when its queue is full; here the oldest goes.
 */
export function newEventRecorder(options: EventRecorderOptions): EventRecorder & EventSink {
  return new BatchingRecorder(options);
}

/** An event to write: `update` when the server has one of this name. */
interface Queued {
  event: CoreEvent;
  update: boolean;
}

class BatchingRecorder implements EventRecorder, EventSink {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #correlator: EventCorrelator;
  /** By namespace and name, oldest first. */
  readonly #queue = new Map<string, Queued>();
  #inFlight = 0;
  #sending: Promise<void> | undefined;
  #timer: TimerHandle;
  #tries = 0;
  #dropped = 0;
  #lastNanoseconds = 0n;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#correlator = new EventCorrelator(options.clock, () => this.#nanoseconds());
  }

  get pending(): number {
    return this.#queue.size + this.#inFlight;
  }

  get dropped(): number {
    return this.#dropped;
  }

  event(
    about: KubeObject,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
    options: EventOptions = {},
  ): void {
    if (!about.kind || !about.apiVersion) {
      this.#fail(
        new Error(`could not construct reference to "${about.metadata.name}", will not report event ${reason}`),
        1,
      );
      return;
    }
    const host = options.host ?? this.#options.host;
    const event = newCoreEvent({
      component: this.#options.component,
      about,
      type,
      reason,
      message,
      options: host === undefined ? options : { ...options, host },
      now: this.#clock.now(),
      nanoseconds: this.#nanoseconds(),
    });
    const correlated = this.#correlator.correlate(event);
    if (correlated === undefined) return;
    this.#enqueue({ event: correlated, update: correlated.count > 1 });
    this.#arm(this.#options.flushMilliseconds ?? 50);
  }

  flush(): Promise<void> {
    this.#disarm();
    this.#sending ??= this.#send().then((retryAfter) => {
      this.#sending = undefined;
      if (retryAfter !== undefined) this.#arm(retryAfter);
    });
    return this.#sending;
  }

  /** A later state of an event that still waits replaces it; it is new to the server if the earlier one was. */
  #enqueue(queued: Queued): void {
    const key = keyOf(queued.event);
    const waiting = this.#queue.get(key);
    this.#queue.set(
      key,
      waiting === undefined ? queued : { event: queued.event, update: queued.update && waiting.update },
    );
    if (this.#queue.size > maxQueued) {
      this.#queue.delete(this.#queue.keys().next().value!);
      this.#dropped++;
    }
  }

  #arm(milliseconds: number): void {
    if (this.#timer !== undefined || this.#sending !== undefined || this.#queue.size === 0) return;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, milliseconds);
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Until the queue is empty, or the server cannot be reached: then the milliseconds to wait. */
  async #send(): Promise<number | undefined> {
    while (this.#queue.size > 0) {
      const batch = [...this.#queue.values()].slice(0, batchSize);
      for (const { event } of batch) this.#queue.delete(keyOf(event));
      this.#inFlight = batch.length;
      let results: BatchResult[];
      try {
        results = await this.#options.client.batch(batch.map(operationOf));
      } catch (error) {
        this.#inFlight = 0;
        return this.#putBack(batch, error);
      }
      this.#inFlight = 0;
      this.#tries = 0;
      batch.forEach((queued, index) => this.#settle(queued, results[index]));
    }
    return undefined;
  }

  #settle(queued: Queued, result: BatchResult | undefined): void {
    if (result !== undefined && result.code < 300) return;
    if (queued.update && result?.code === 404) {
      // It has expired meanwhile.
      this.#enqueue({ event: queued.event, update: false });
      return;
    }
    this.#fail(
      result === undefined
        ? new Error("the server did not answer an operation of a batch")
        : new StatusError(result.body as unknown as Status),
      1,
    );
  }

  /** The server could not be reached: everything waits, newer states of the same events win. */
  #putBack(batch: Queued[], error: unknown): number {
    this.#tries++;
    if (error instanceof StatusError || this.#tries >= maxTries) {
      this.#tries = 0;
      this.#fail(error, batch.length);
    } else {
      const newer = [...this.#queue.values()];
      this.#queue.clear();
      for (const queued of [...batch, ...newer]) this.#enqueue(queued);
    }
    return retryMilliseconds * (this.#tries === 1 ? (this.#options.random?.() ?? 1) : 1);
  }

  #fail(error: unknown, count: number): void {
    this.#dropped += count;
    this.#options.onError?.(error);
  }

  /** Strictly increasing, so that two events of one millisecond have two names. */
  #nanoseconds(): bigint {
    const now = BigInt(Math.floor(this.#clock.now())) * 1_000_000n;
    this.#lastNanoseconds = now > this.#lastNanoseconds ? now : this.#lastNanoseconds + 1n;
    return this.#lastNanoseconds;
  }
}

function keyOf({ metadata }: CoreEvent): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function operationOf({ event, update }: Queued): BatchOperation {
  const { name, namespace } = event.metadata;
  if (!update) return { method: "POST", path: resourcePath(events, namespace), body: event };
  const { count, lastTimestamp, message } = event;
  return {
    method: "PATCH",
    path: resourcePath(events, namespace, name),
    contentType: "application/strategic-merge-patch+json",
    body: { count, lastTimestamp, message },
  };
}
