import { FakeClock } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { FakeClient } from "../../client/fake/fake-client.ts";
import { newFakeClient } from "../../client/fake/fake-client.ts";
import { settled } from "../../client/fake/settled.ts";
import { newInformerFactory } from "../../informers/informer-factory.ts";
import type { Scheduler, SchedulerOptions } from "../scheduler.ts";
import { newScheduler, schedulerInformers } from "../scheduler.ts";

export interface RecordedEvent {
  about: string;
  type: string;
  reason: string;
  message: string;
}

export interface Harness {
  clock: FakeClock;
  client: FakeClient;
  scheduler: Scheduler;
  events: RecordedEvent[];
  /** Lets everything run that needs no time; then `milliseconds` pass. */
  advance(milliseconds?: number): Promise<void>;
  pod(name: string, namespace?: string): KubeObject | undefined;
  message(name: string): string | undefined;
  stop(): Promise<void>;
}

export const pods = { group: "", version: "v1", resource: "pods" };
export const nodes = { group: "", version: "v1", resource: "nodes" };

/** A scheduler that runs against an in-memory API, with a clock that the test moves. */
export async function startHarness(objects: KubeObject[], options: SchedulerOptions = {}, seed = 1): Promise<Harness> {
  const clock = new FakeClock();
  const client = newFakeClient(clock);
  const random = seededRandom(seed);
  client.seed(objects);
  const events: RecordedEvent[] = [];
  const informers = newInformerFactory({ client, clock, random });
  const scheduler = newScheduler(
    {
      client,
      informers,
      clock,
      random,
      recorder: () => ({
        event: (about, type, reason, message) =>
          void events.push({ about: about.metadata.name ?? "", type, reason, message }),
      }),
    },
    options,
  );
  for (const gvr of schedulerInformers) informers.forResource(gvr);
  const abort = new AbortController();
  informers.start(abort.signal);
  const synced = informers.waitForSync();
  await settled();
  await clock.advance(100);
  await synced;
  const running = scheduler.run(abort.signal);
  const pod = (name: string, namespace = "default") =>
    client.all(pods).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  const harness: Harness = {
    clock,
    client,
    scheduler,
    events,
    advance: async (milliseconds = 0) => {
      await settled();
      await clock.advance(milliseconds);
      for (let turn = 0; turn < 5; turn++) {
        await settled();
        await clock.advance(0);
      }
    },
    pod,
    message: (name) =>
      pod(name)?.status?.conditions?.find((condition: any) => condition.type === "PodScheduled")?.message,
    stop: async () => {
      abort.abort();
      await informers.stop();
      await running;
    },
  };
  await harness.advance();
  return harness;
}

/** mulberry32: small, good enough for tests. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
