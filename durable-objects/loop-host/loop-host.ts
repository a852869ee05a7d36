import { DurableObject } from "cloudflare:workers";
import { realClock } from "../../workers/apimachinery/clock.ts";
import type { GroupVersionResource } from "../../workers/apimachinery/gvk.ts";
import type { UserInfo } from "../../workers/apiserver/authentication/user-info.ts";
import type { LoopbackFactory } from "../../workers/apiserver/loopback.ts";
import { newEventRecorder } from "../../workers/client/events/recorder.ts";
import type { EventSink } from "../../workers/client/events/recorder.ts";
import { newRestClient } from "../../workers/client/rest-client.ts";
import type { Env, LoopHostProtocol } from "../../workers/env.ts";
import type { Controller, ControllerContext } from "../../workers/informers/controller-context.ts";
import { newInformerFactory } from "../../workers/informers/informer-factory.ts";
import type { InformerFactory } from "../../workers/informers/informer-factory.ts";
import { shardName } from "../../workers/storage/keys.ts";

/** How often a host asks itself whether it may sleep. */
const checkMilliseconds = 2_000;

interface Running {
  abort: AbortController;
  controllers: Controller[];
  /** Leases change all the time and say nothing about work; they have their own informers. */
  heartbeats: InformerFactory;
  informers: InformerFactory;
  watched: Map<string, { gvr: GroupVersionResource; revision: () => string }>;
  sinks: EventSink[];
  startedAt: number;
  timer: ReturnType<typeof setInterval>;
}

/**
 * A Durable Object that hosts loops of one cluster. It runs while there is something to do and then sleeps: informers and
 * timers end, so that the object costs nothing, and the watch caches wake it at the next event of a type that it watches.
 * The cron tick is the safety net.
 */
export abstract class LoopHost extends DurableObject<Env> implements LoopHostProtocol {
  #running: Running | undefined;
  #starting: Promise<void> | undefined;
  #keepAwakeUntil = 0;

  protected abstract readonly binding: string;
  protected abstract readonly user: UserInfo;
  protected abstract readonly loopback: LoopbackFactory;
  protected abstract createControllers(context: ControllerContext): Controller[];
  /** What a host does for others when it starts, every few seconds while it is awake, and when it falls asleep. */
  protected async onStart(): Promise<void> {}
  protected async whileAwake(): Promise<void> {}
  protected async onSleep(): Promise<void> {}
  /** When a sleeping host has to be awake again although nothing happens, in epoch milliseconds. */
  protected nextDue(_controllers: readonly Controller[]): number | undefined {
    return undefined;
  }

  /** `<cluster>` or `<cluster>/<index>`. */
  protected get cluster(): string {
    return this.name.split("/")[0]!;
  }

  protected get name(): string {
    const { name } = this.ctx.id;
    if (name === undefined) throw new Error("a loop host is addressed by name");
    return name;
  }

  /** Nothing pending and nothing changed for this long: sleep. */
  get #idleMilliseconds(): number {
    return Number(this.env.EDGEPLANE_IDLE_SECONDS) * 1_000;
  }

  /** Starts the loops, or keeps them from falling asleep for `keepMilliseconds`. */
  async wake(keepMilliseconds = 0): Promise<void> {
    this.#keepAwakeUntil = Math.max(this.#keepAwakeUntil, Date.now() + keepMilliseconds);
    if (this.#running !== undefined) return;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  /** Answers, awake or asleep, without waking anything. */
  async healthz(): Promise<"ok"> {
    return "ok";
  }

  async tick(): Promise<void> {
    await this.wake();
  }

  override async alarm(): Promise<void> {
    await this.wake();
  }

  /** The controllers that run now; empty while asleep. */
  protected get controllers(): readonly Controller[] {
    return this.#running?.controllers ?? [];
  }

  async #start(): Promise<void> {
    const client = newRestClient(this.loopback(this.env, this.cluster, this.user));
    const clock = realClock;
    const random = Math.random;
    const onError = (error: unknown) =>
      console.error(`${this.binding} ${this.name}: ${String((error as Error)?.stack ?? error)}`);
    const heartbeats = newInformerFactory({ client, clock, random, onError });
    const informers = newInformerFactory({ client, clock, random, onError });
    const watched: Running["watched"] = new Map();
    const sinks: EventSink[] = [];
    const abort = new AbortController();
    const context: ControllerContext = {
      client,
      clock,
      random,
      informers: {
        forResource(gvr) {
          if (gvr.resource === "leases") return heartbeats.forResource(gvr);
          const informer = informers.forResource(gvr);
          watched.set(`${gvr.group}/${gvr.resource}`, { gvr, revision: () => informer.lastSyncResourceVersion() });
          return informer as never;
        },
      },
      recorder: (component) => {
        const recorder = newEventRecorder({ client, clock, component });
        sinks.push(recorder);
        return recorder;
      },
    };
    const controllers = this.createControllers(context);
    heartbeats.start(abort.signal);
    informers.start(abort.signal);
    this.#running = {
      abort,
      controllers,
      heartbeats,
      informers,
      watched,
      sinks,
      startedAt: Date.now(),
      timer: setInterval(() => {
        this.#check().catch(onError);
      }, checkMilliseconds),
    };
    // A caller waits for the decision to run, not for the first lists; and the loops run whatever becomes of `onStart`.
    void Promise.all([heartbeats.waitForSync(), informers.waitForSync()])
      .then(() => Promise.all(controllers.map((controller) => controller.run(abort.signal))))
      .catch(onError);
    await this.onStart();
  }

  async #check(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    const now = Date.now();
    const quietSince = Math.max(running.startedAt, running.informers.lastEventTime ?? 0);
    const busy =
      now < this.#keepAwakeUntil ||
      now - quietSince < this.#idleMilliseconds ||
      running.controllers.some((controller) => controller.pending > 0) ||
      running.sinks.some((sink) => sink.pending > 0);
    if (busy) return this.whileAwake();
    await this.#sleep(running);
  }

  async #sleep(running: Running): Promise<void> {
    clearInterval(running.timer);
    const due = this.nextDue(running.controllers);
    running.abort.abort();
    const since = [...running.watched.values()].map(({ gvr, revision }) => ({
      gvr,
      revision: Number(revision() || 0),
    }));
    await Promise.all([running.informers.stop(), running.heartbeats.stop()]);
    this.#running = undefined;
    // From here on an event wakes a new set of loops; one that came since the last seen revision does so at once.
    await Promise.all(
      since.map(({ gvr, revision }) => {
        const cache = this.env.WATCH_CACHE.get(this.env.WATCH_CACHE.idFromName(shardName(this.cluster, gvr)));
        return cache.wakeOn({ binding: this.binding, name: this.name }, revision);
      }),
    );
    if (due !== undefined) await this.ctx.storage.setAlarm(due);
    await this.onSleep();
  }
}
