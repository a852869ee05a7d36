import type { Clock } from "../../apimachinery/clock.ts";
import { formatTime } from "../../apimachinery/clock.ts";
import type { CoreEvent } from "./core-event.ts";
import { eventName } from "./core-event.ts";
import { LruCache } from "./lru-cache.ts";

const cacheEntries = 4096;
/** Events that differ only in their message: from this many in the interval on they become one. */
const aggregateMaxEvents = 10;
const aggregateIntervalMilliseconds = 600_000;
/** Events of a source about an object: this many at once, one more each 300 s. */
const spamBurst = 25;
const spamRefillMilliseconds = 300_000;

interface AggregateRecord {
  messages: Set<string>;
  lastTimestamp: number;
}

interface Observation {
  count: number;
  firstTimestamp: string;
  name: string;
}

interface TokenBucket {
  tokens: number;
  last: number;
}

/**
 * Thins out events: similar ones are combined, equal ones counted, too many dropped.
 * Mirrors EventCorrelator of client-go tools/record/events_cache.go (1.36).
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #nanoseconds: () => bigint;
  readonly #aggregates = new LruCache<string, AggregateRecord>(cacheEntries);
  readonly #observations = new LruCache<string, Observation>(cacheEntries);
  readonly #buckets = new LruCache<string, TokenBucket>(cacheEntries);

  /** `nanoseconds` gives a new time at each call, for names. */
  constructor(clock: Clock, nanoseconds: () => bigint) {
    this.#clock = clock;
    this.#nanoseconds = nanoseconds;
  }

  /** The event to write, undefined to write none. A count above 1: the event of that name is there already. */
  correlate(event: CoreEvent): CoreEvent | undefined {
    const { event: aggregated, key } = this.#aggregate(event);
    const observed = this.#observe(aggregated, key);
    return this.#accept(observed) ? observed : undefined;
  }

  #aggregate(event: CoreEvent): { event: CoreEvent; key: string } {
    const now = this.#clock.now();
    const aggregateKey = join(
      sourceAndObject(event),
      event.type,
      event.reason,
      event.reportingComponent,
      event.reportingInstance,
    );
    let record = this.#aggregates.get(aggregateKey);
    if (record === undefined || now - record.lastTimestamp > aggregateIntervalMilliseconds) {
      record = { messages: new Set(), lastTimestamp: now };
    }
    record.messages.add(event.message);
    record.lastTimestamp = now;
    this.#aggregates.set(aggregateKey, record);
    if (record.messages.size < aggregateMaxEvents) {
      const fieldPath = event.involvedObject.fieldPath ?? "";
      return { event, key: join(sourceAndObject(event), fieldPath, event.type, event.reason, event.message) };
    }
    record.messages.delete(record.messages.values().next().value!);
    const time = formatTime(now);
    const combined: CoreEvent = {
      ...event,
      metadata: {
        name: eventName(event.involvedObject.name, this.#nanoseconds()),
        namespace: event.metadata.namespace,
      },
      message: `(combined from similar events): ${event.message}`,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      reportingComponent: "",
      reportingInstance: "",
    };
    return { event: combined, key: aggregateKey };
  }

  #observe(event: CoreEvent, key: string): CoreEvent {
    const last = this.#observations.get(key);
    const observed: CoreEvent =
      last === undefined
        ? event
        : {
            ...event,
            metadata: { ...event.metadata, name: last.name },
            firstTimestamp: last.firstTimestamp,
            count: last.count + 1,
          };
    const { count, firstTimestamp } = observed;
    this.#observations.set(key, { count, firstTimestamp, name: observed.metadata.name });
    return observed;
  }

  #accept(event: CoreEvent): boolean {
    const now = this.#clock.now();
    const key = sourceAndObject(event);
    const bucket = this.#buckets.get(key) ?? { tokens: spamBurst, last: now };
    bucket.tokens = Math.min(spamBurst, bucket.tokens + (now - bucket.last) / spamRefillMilliseconds);
    bucket.last = now;
    this.#buckets.set(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

function sourceAndObject({ source, involvedObject }: CoreEvent): string {
  return join(
    source.component,
    source.host ?? "",
    involvedObject.kind,
    involvedObject.namespace ?? "",
    involvedObject.name,
    involvedObject.uid ?? "",
    involvedObject.apiVersion,
  );
}

function join(...parts: string[]): string {
  return parts.join("\0");
}
