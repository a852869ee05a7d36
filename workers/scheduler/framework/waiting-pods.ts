import type { Clock, TimerHandle } from "../../apimachinery/clock.ts";
import type { PodInfo } from "./pod-info.ts";
import type { MaybeStatus } from "./status.ts";
import { Status, unschedulable } from "./status.ts";

/** A pod whose binding waits for Permit plugins. Mirrors framework/runtime/waiting_pods_map.go (1.36). */
export class WaitingPod {
  readonly pod: PodInfo;
  readonly decision: Promise<MaybeStatus>;
  readonly #clock: Clock;
  readonly #pending = new Map<string, TimerHandle>();
  #resolve: (status: MaybeStatus) => void = () => undefined;

  constructor(pod: PodInfo, clock: Clock, timeouts: ReadonlyMap<string, number>) {
    this.pod = pod;
    this.#clock = clock;
    this.decision = new Promise((resolve) => (this.#resolve = resolve));
    for (const [plugin, milliseconds] of timeouts) {
      this.#pending.set(
        plugin,
        clock.setTimeout(
          () =>
            this.reject(plugin, `rejected due to timeout after waiting ${milliseconds / 1000}s at plugin ${plugin}`),
          milliseconds,
        ),
      );
    }
  }

  get pendingPlugins(): string[] {
    return [...this.#pending.keys()];
  }

  /** The pod goes on when the last plugin has allowed it. */
  allow(plugin: string): void {
    const timer = this.#pending.get(plugin);
    if (timer === undefined) return;
    this.#clock.clearTimeout(timer);
    this.#pending.delete(plugin);
    if (this.#pending.size === 0) this.#resolve(undefined);
  }

  reject(plugin: string, message: string): void {
    for (const timer of this.#pending.values()) this.#clock.clearTimeout(timer);
    this.#pending.clear();
    this.#resolve(unschedulable(plugin, message));
  }
}

export class WaitingPods {
  readonly #pods = new Map<string, WaitingPod>();

  add(waiting: WaitingPod): void {
    this.#pods.set(waiting.pod.uid, waiting);
  }

  get(uid: string): WaitingPod | undefined {
    return this.#pods.get(uid);
  }

  remove(uid: string): void {
    this.#pods.delete(uid);
  }

  get size(): number {
    return this.#pods.size;
  }
}

/** Upstream's ceiling of a Permit timeout: 15 minutes. */
export const maxPermitTimeoutMilliseconds = 15 * 60_000;

export const waitStatus = new Status("Wait");
