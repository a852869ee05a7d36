import type { Clock } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { ClusterEvent } from "../framework/events.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { QueuedPodInfo } from "../framework/queued-pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { isSuccess } from "../framework/status.ts";
import { Heap } from "./heap.ts";
import type { QueueingHints } from "./hints.ts";
import type { Nominator } from "./nominator.ts";

export interface SchedulingQueueOptions {
  podInitialBackoffMilliseconds?: number;
  podMaxBackoffMilliseconds?: number;
  podMaxInUnschedulablePodsMilliseconds?: number;
}

export interface SchedulingQueueHooks {
  less(a: QueuedPodInfo, b: QueuedPodInfo): boolean;
  preEnqueue(pod: PodInfo): MaybeStatus;
  hints: QueueingHints;
  nominator: Nominator;
  /** Called whenever a pod may have become ready to be popped. */
  onReady?: () => void;
}

/**
 * Pods that wait to be scheduled, each in exactly one place: active (ready), backoff (ready later), unschedulable (until
 * something changes) or gated (until the pod itself changes). While nothing is active, pods whose backoff follows a rejection, not an
 * error, are handed out early. Scheduling cycles are synchronous, so no event can fall between a pop and the answer.
 * Mirrors pkg/scheduler/backend/queue/scheduling_queue.go (1.36).
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #hooks: SchedulingQueueHooks;
  readonly #initialBackoff: number;
  readonly #maxBackoff: number;
  readonly #maxInUnschedulable: number;
  readonly #active: Heap<QueuedPodInfo>;
  readonly #backoff = new Heap<QueuedPodInfo>(uidOf, expiresEarlier);
  readonly #errorBackoff = new Heap<QueuedPodInfo>(uidOf, expiresEarlier);
  /** Oldest first: pods are always added at the end. */
  readonly #unschedulable = new Map<string, QueuedPodInfo>();
  readonly #gated = new Map<string, QueuedPodInfo>();
  /** Unschedulable pods by each plugin that rejected them; an event touches only those it may help. */
  readonly #byPlugin = new Map<string, Set<QueuedPodInfo>>();
  #sequence = 0;

  constructor(clock: Clock, hooks: SchedulingQueueHooks, options: SchedulingQueueOptions = {}) {
    this.#clock = clock;
    this.#hooks = hooks;
    this.#initialBackoff = options.podInitialBackoffMilliseconds ?? 1000;
    this.#maxBackoff = options.podMaxBackoffMilliseconds ?? 10_000;
    this.#maxInUnschedulable = options.podMaxInUnschedulablePodsMilliseconds ?? 5 * 60_000;
    this.#active = new Heap<QueuedPodInfo>(
      uidOf,
      (a, b) => hooks.less(a, b) || (!hooks.less(b, a) && a.sequence < b.sequence),
    );
  }

  get activeSize(): number {
    return this.#active.size;
  }

  get backoffSize(): number {
    return this.#backoff.size + this.#errorBackoff.size;
  }

  get unschedulableSize(): number {
    return this.#unschedulable.size;
  }

  get gatedSize(): number {
    return this.#gated.size;
  }

  /** Something can be popped now. */
  get ready(): boolean {
    return this.#active.size > 0 || this.#backoff.size > 0;
  }

  has(uid: string): boolean {
    return this.#find(uid) !== undefined;
  }

  isGated(uid: string): boolean {
    return this.#gated.has(uid);
  }

  /** A new pod. */
  add(pod: PodInfo): void {
    if (this.has(pod.uid)) return this.update(undefined, pod, []);
    const queued = new QueuedPodInfo(pod, this.#clock.now());
    queued.sequence = ++this.#sequence;
    this.#hooks.nominator.addNominatedPod(pod, pod.pod.status?.nominatedNodeName ?? "");
    this.#toActive(queued);
  }

  /** `events` is what the difference means to the pod itself; without one an unschedulable pod stays where it is. */
  update(previous: KubeObject | undefined, pod: PodInfo, events: readonly ClusterEvent[]): void {
    const queued = this.#find(pod.uid);
    if (queued === undefined) return this.add(pod);
    const nominated = pod.pod.status?.nominatedNodeName ?? "";
    // An update that carries no nomination does not undo one that is recorded here and still on its way to the server.
    const before = previous?.status?.nominatedNodeName ?? "";
    if (nominated !== "" || before !== "") this.#hooks.nominator.addNominatedPod(pod, nominated);
    else {
      const recorded = this.#hooks.nominator.nominatedNode(pod.uid);
      if (recorded !== undefined) this.#hooks.nominator.addNominatedPod(pod, recorded);
    }

    queued.podInfo = pod;
    if (this.#active.has(pod.uid)) return this.#active.addOrUpdate(queued);
    if (this.#gated.has(pod.uid)) {
      if (isSuccess(this.#hooks.preEnqueue(pod))) {
        this.#gated.delete(pod.uid);
        this.#toActive(queued);
      }
      return;
    }
    if (!this.#unschedulable.has(pod.uid)) return;
    for (const event of events) {
      if (this.#helps(queued, event, previous, pod.pod)) return this.#move(queued);
    }
  }

  delete(uid: string): void {
    this.#hooks.nominator.deleteNominatedPod(uid);
    if (this.#active.delete(uid) ?? this.#backoff.delete(uid) ?? this.#errorBackoff.delete(uid)) return;
    if (this.#gated.delete(uid)) return;
    const queued = this.#unschedulable.get(uid);
    if (queued !== undefined) this.#removeUnschedulable(queued);
  }

  /** The next pod; the caller puts it back with {@link addUnschedulable} or {@link addAfterError}, or drops it. */
  pop(): QueuedPodInfo | undefined {
    const queued = this.#active.pop() ?? this.#backoff.pop();
    if (queued === undefined) return undefined;
    queued.attempts++;
    queued.initialAttemptTimestamp ??= this.#clock.now();
    queued.unschedulablePlugins = none;
    queued.pendingPlugins = none;
    return queued;
  }

  /** After a rejection: waits until one of the plugins may answer otherwise. */
  addUnschedulable(
    queued: QueuedPodInfo,
    unschedulablePlugins: ReadonlySet<string>,
    pendingPlugins: ReadonlySet<string>,
  ): void {
    if (this.has(queued.uid)) return;
    queued.timestamp = this.#clock.now();
    queued.unschedulableCount++;
    queued.consecutiveErrorsCount = 0;
    queued.unschedulablePlugins = unschedulablePlugins;
    queued.pendingPlugins = pendingPlugins;
    this.#toUnschedulable(queued);
  }

  /** After an error: is tried again when its backoff ends. */
  addAfterError(queued: QueuedPodInfo): void {
    if (this.has(queued.uid)) return;
    queued.timestamp = this.#clock.now();
    queued.consecutiveErrorsCount++;
    this.#toBackoff(queued);
  }

  /** Moves the unschedulable pods that the event may help. The objects are passed to the plugins' hints. */
  moveAllToActiveOrBackoffQueue(
    event: ClusterEvent,
    previous: KubeObject | undefined,
    current: KubeObject | undefined,
  ): void {
    if (this.#unschedulable.size === 0) return;
    let moved: Set<QueuedPodInfo> | undefined;
    for (const { plugin, hint } of this.#hooks.hints.forEvent(event)) {
      for (const queued of this.#byPlugin.get(plugin) ?? []) {
        if (moved?.has(queued)) continue;
        if (hint === undefined || hint(queued.podInfo, previous, current)) (moved ??= new Set()).add(queued);
      }
    }
    for (const queued of moved ?? []) this.#move(queued);
  }

  /** Moves what is due: ended backoffs, and pods that nothing has moved for five minutes. */
  flush(): void {
    const now = this.#clock.now();
    for (const heap of [this.#backoff, this.#errorBackoff]) {
      for (let first = heap.peek(); first !== undefined && first.backoffExpiration <= now; first = heap.peek()) {
        heap.pop();
        this.#toActive(first);
      }
    }
    for (const queued of this.#unschedulable.values()) {
      if (queued.timestamp + this.#maxInUnschedulable > now) break;
      this.#move(queued);
    }
  }

  /** When {@link flush} has something to do next, milliseconds; undefined if never. */
  nextDue(): number | undefined {
    let due: number | undefined;
    const consider = (time: number | undefined) => {
      if (time !== undefined && (due === undefined || time < due)) due = time;
    };
    consider(this.#backoff.peek()?.backoffExpiration);
    consider(this.#errorBackoff.peek()?.backoffExpiration);
    for (const queued of this.#unschedulable.values()) {
      consider(queued.timestamp + this.#maxInUnschedulable);
      break;
    }
    return due;
  }

  #find(uid: string): QueuedPodInfo | undefined {
    return (
      this.#active.get(uid) ??
      this.#backoff.get(uid) ??
      this.#errorBackoff.get(uid) ??
      this.#unschedulable.get(uid) ??
      this.#gated.get(uid)
    );
  }

  #helps(
    queued: QueuedPodInfo,
    event: ClusterEvent,
    previous: KubeObject | undefined,
    current: KubeObject | undefined,
  ): boolean {
    return this.#hooks.hints
      .forEvent(event)
      .some(
        ({ plugin, hint }) =>
          (queued.unschedulablePlugins.has(plugin) || queued.pendingPlugins.has(plugin)) &&
          (hint === undefined || hint(queued.podInfo, previous, current)),
      );
  }

  /** From unschedulable to backoff while that lasts, else to active. */
  #move(queued: QueuedPodInfo): void {
    this.#removeUnschedulable(queued);
    if (queued.pendingPlugins.size === 0 && this.#expiration(queued) > this.#clock.now()) {
      this.#toBackoff(queued);
    } else {
      this.#toActive(queued);
    }
  }

  #toActive(queued: QueuedPodInfo): void {
    const status = this.#hooks.preEnqueue(queued.podInfo);
    if (!isSuccess(status)) {
      this.#gated.set(queued.uid, queued);
      return;
    }
    this.#active.addOrUpdate(queued);
    this.#hooks.onReady?.();
  }

  #toBackoff(queued: QueuedPodInfo): void {
    queued.backoffExpiration = this.#expiration(queued);
    (queued.consecutiveErrorsCount > 0 ? this.#errorBackoff : this.#backoff).addOrUpdate(queued);
    this.#hooks.onReady?.();
  }

  #toUnschedulable(queued: QueuedPodInfo): void {
    this.#unschedulable.set(queued.uid, queued);
    for (const plugin of queued.unschedulablePlugins) this.#index(plugin, queued);
    for (const plugin of queued.pendingPlugins) this.#index(plugin, queued);
  }

  #removeUnschedulable(queued: QueuedPodInfo): void {
    this.#unschedulable.delete(queued.uid);
    for (const plugin of queued.unschedulablePlugins) this.#byPlugin.get(plugin)?.delete(queued);
    for (const plugin of queued.pendingPlugins) this.#byPlugin.get(plugin)?.delete(queued);
  }

  #index(plugin: string, queued: QueuedPodInfo): void {
    const pods = this.#byPlugin.get(plugin) ?? new Set<QueuedPodInfo>();
    pods.add(queued);
    this.#byPlugin.set(plugin, pods);
  }

  /** Doubles with each failed attempt from the initial to the maximal backoff. */
  #expiration(queued: QueuedPodInfo): number {
    const count = queued.consecutiveErrorsCount > 0 ? queued.consecutiveErrorsCount : queued.unschedulableCount;
    if (count === 0) return queued.timestamp;
    const backoff = this.#initialBackoff * 2 ** Math.min(count - 1, 30);
    return queued.timestamp + Math.min(backoff, this.#maxBackoff);
  }
}

function uidOf(queued: QueuedPodInfo): string {
  return queued.uid;
}

function expiresEarlier(a: QueuedPodInfo, b: QueuedPodInfo): boolean {
  return a.backoffExpiration !== b.backoffExpiration
    ? a.backoffExpiration < b.backoffExpiration
    : a.podInfo.priority !== b.podInfo.priority
      ? a.podInfo.priority > b.podInfo.priority
      : a.sequence < b.sequence;
}

const none: ReadonlySet<string> = new Set();
