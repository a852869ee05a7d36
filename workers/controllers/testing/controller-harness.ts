import { FakeClock } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { FakeAction, FakeClient } from "../../client/fake/fake-client.ts";
import { newFakeClient } from "../../client/fake/fake-client.ts";
import { settled } from "../../client/fake/settled.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { InformerFactory } from "../../informers/informer-factory.ts";
import { newInformerFactory } from "../../informers/informer-factory.ts";

export interface RecordedEvent {
  component: string;
  about: string;
  type: string;
  reason: string;
  message: string;
}

/** mulberry32: the same numbers for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

/** Runs controllers against an in-memory API, in steps. Everything is deterministic for a seed. */
export class ControllerHarness {
  readonly clock = new FakeClock();
  readonly client: FakeClient = newFakeClient(this.clock);
  readonly events: RecordedEvent[] = [];
  readonly context: ControllerContext;
  readonly informers: InformerFactory;
  readonly #abort = new AbortController();
  readonly #runs: Promise<void>[] = [];

  constructor(seed = 1) {
    const random = seededRandom(seed);
    this.informers = newInformerFactory({ client: this.client, clock: this.clock, random });
    this.context = {
      client: this.client,
      informers: this.informers,
      clock: this.clock,
      random,
      recorder: (component) => ({
        event: (about, type, reason, message) => {
          this.events.push({ component, about: about.metadata.name!, type, reason, message });
        },
      }),
    };
  }

  /** Starts informers and controllers and lets them come to rest. */
  async start(...controllers: Controller[]): Promise<void> {
    this.informers.start(this.#abort.signal);
    await this.settle();
    await this.informers.waitForSync();
    for (const controller of controllers) this.#runs.push(controller.run(this.#abort.signal));
    await this.settle();
  }

  /** Everything that can happen without time passing. */
  async settle(): Promise<void> {
    let before = -1;
    while (before !== this.client.actions.length) {
      before = this.client.actions.length;
      await settled();
    }
  }

  /** Lets the loops come to rest: short delays (coalescing, first retries) pass too. */
  async rest(): Promise<void> {
    let before = -1;
    while (before !== this.client.actions.length) {
      before = this.client.actions.length;
      await this.advance(300, 50);
    }
  }

  /** Lets time pass in steps, settling after each. */
  async advance(milliseconds: number, step = 1000): Promise<void> {
    for (let left = milliseconds; left > 0; left -= step) {
      await this.clock.advance(Math.min(step, left));
      await this.settle();
    }
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.informers.stop();
    await Promise.all(this.#runs);
  }

  /** The writes since the last call. */
  takeWrites(): FakeAction[] {
    const { writes } = this.client;
    this.client.actions.length = 0;
    return writes;
  }

  /** All requests since the last call but the watches' own. */
  takeRequests(): FakeAction[] {
    const requests = this.client.actions.filter(({ verb }) => verb !== "watch");
    this.client.actions.length = 0;
    return requests;
  }

  reasons(): string[] {
    return this.events.map(({ reason }) => reason);
  }
}

/** A condition of an object's status. */
export function conditionOf(object: KubeObject | undefined, type: string): any {
  return object?.status?.conditions?.find((condition: any) => condition.type === type);
}
