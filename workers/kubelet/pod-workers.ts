import type { QueuedTimer, TimerQueue } from "./timer-queue.ts";
import { isAborted } from "./timer-queue.ts";
import type { Pod } from "./types.ts";

/** The three phases of a pod's life on a node; each call runs alone for its pod and may be aborted and repeated. */
export interface PodSyncer {
  /** `terminal`: nothing will be started again. `wakeAt`: when to sync again without an event, milliseconds. */
  syncPod(pod: Pod, signal: AbortSignal): Promise<{ terminal: boolean; wakeAt: number | undefined }>;
  /** Resolves when no container runs. */
  syncTerminatingPod(pod: Pod, signal: AbortSignal): Promise<void>;
  syncTerminatedPod(pod: Pod): void;
  /** The API object and all containers are gone. */
  forgetPod(pod: Pod): void;
}

type WorkState = "sync" | "terminating" | "terminated";

interface PodWorker {
  pod: Pod;
  state: WorkState;
  /** The API object is gone. */
  removed: boolean;
  working: boolean;
  /** Something changed since the current or last sync began. */
  queued: boolean;
  abort: AbortController | undefined;
  timer: QueuedTimer | undefined;
}

const errorRetryMilliseconds = 10_000;

/**
 * One logical worker a pod: syncs of a pod never overlap, changes that arrive meanwhile lead to one more, a pod moves
 * only forwards from syncing over terminating to terminated. Mirrors pkg/kubelet/pod_workers.go (1.36). A worker
 * without work holds no timer and no promise.
 */
export class PodWorkers {
  readonly #workers = new Map<string, PodWorker>();
  readonly #syncer: PodSyncer;
  readonly #timers: TimerQueue;
  readonly #onError: (error: unknown) => void;
  readonly #onPending: (delta: 1 | -1) => void;
  #stopped = false;

  constructor(
    syncer: PodSyncer,
    timers: TimerQueue,
    onError: (error: unknown) => void,
    onPending: (delta: 1 | -1) => void,
  ) {
    this.#syncer = syncer;
    this.#timers = timers;
    this.#onError = onError;
    this.#onPending = onPending;
  }

  /** A new or changed pod. */
  updatePod(pod: Pod): void {
    const uid = pod.metadata.uid!;
    const known = this.#workers.get(uid);
    const worker = known ?? this.#add(uid, pod, "sync");
    const grace = worker.pod.metadata.deletionGracePeriodSeconds;
    worker.pod = pod;
    const phase = pod.status?.phase;
    if (pod.metadata.deletionTimestamp !== undefined || phase === "Succeeded" || phase === "Failed") {
      if (worker.state === "sync") this.#terminate(worker);
      else if (worker.state === "terminating" && (pod.metadata.deletionGracePeriodSeconds ?? 0) < (grace ?? 0)) {
        worker.abort?.abort();
      }
    }
    this.#enqueue(worker);
  }

  /** A pod whose containers had all ended before this process started. */
  addTerminated(pod: Pod): void {
    this.#add(pod.metadata.uid!, pod, "terminated");
  }

  /** The API object is gone: whatever still runs is stopped. */
  removePod(pod: Pod): void {
    const worker = this.#workers.get(pod.metadata.uid!);
    if (worker === undefined) return;
    worker.removed = true;
    if (worker.state === "sync") this.#terminate(worker);
    this.#enqueue(worker);
  }

  /** The runtime or the clock changed something about a pod. */
  wake(uid: string): void {
    const worker = this.#workers.get(uid);
    if (worker !== undefined && worker.state !== "terminated") this.#enqueue(worker);
  }

  stop(): void {
    this.#stopped = true;
    for (const worker of this.#workers.values()) {
      this.#timers.cancel(worker.timer);
      worker.abort?.abort();
    }
  }

  #add(uid: string, pod: Pod, state: WorkState): PodWorker {
    const worker: PodWorker = {
      pod,
      state,
      removed: false,
      working: false,
      queued: false,
      abort: undefined,
      timer: undefined,
    };
    this.#workers.set(uid, worker);
    return worker;
  }

  #terminate(worker: PodWorker): void {
    worker.state = "terminating";
    worker.abort?.abort();
  }

  #enqueue(worker: PodWorker): void {
    worker.queued = true;
    if (worker.working || this.#stopped) return;
    worker.working = true;
    this.#onPending(1);
    void this.#work(worker);
  }

  async #work(worker: PodWorker): Promise<void> {
    try {
      while (worker.queued && !this.#stopped) {
        worker.queued = false;
        this.#timers.cancel(worker.timer);
        worker.timer = undefined;
        worker.abort = new AbortController();
        try {
          await this.#step(worker, worker.abort.signal);
        } catch (error) {
          if (isAborted(error)) continue;
          this.#onError(error);
          this.#wakeAt(worker, this.#timers.now() + errorRetryMilliseconds);
        }
      }
    } finally {
      worker.working = false;
      worker.abort = undefined;
      this.#onPending(-1);
    }
  }

  async #step(worker: PodWorker, signal: AbortSignal): Promise<void> {
    switch (worker.state) {
      case "sync": {
        const { terminal, wakeAt } = await this.#syncer.syncPod(worker.pod, signal);
        if (terminal) {
          worker.state = "terminating";
          worker.queued = true;
        } else if (wakeAt !== undefined) {
          this.#wakeAt(worker, wakeAt);
        }
        return;
      }
      case "terminating": {
        await this.#syncer.syncTerminatingPod(worker.pod, signal);
        worker.state = "terminated";
        this.#syncer.syncTerminatedPod(worker.pod);
        worker.queued ||= worker.removed;
        return;
      }
      case "terminated": {
        if (!worker.removed) return;
        this.#workers.delete(worker.pod.metadata.uid!);
        this.#syncer.forgetPod(worker.pod);
      }
    }
  }

  #wakeAt(worker: PodWorker, due: number): void {
    if (this.#stopped) return;
    this.#timers.cancel(worker.timer);
    worker.timer = this.#timers.at(due, () => this.#enqueue(worker));
  }
}
