import type { SimulatedRuntime } from "./cri/simulated-runtime.ts";
import type { PodEvents } from "./events.ts";
import { containersOf, initContainersOf } from "./container-policy.ts";
import { ImageManager } from "./images/image-manager.ts";
import { RuntimeManager } from "./kuberuntime/runtime-manager.ts";
import { EventedPleg } from "./pleg.ts";
import { PodManager } from "./pod-manager.ts";
import { PodWorkers } from "./pod-workers.ts";
import type { PodSyncer } from "./pod-workers.ts";
import { latestContainer } from "./runtime-status.ts";
import { snapshotOf } from "./restore.ts";
import { generateApiPodStatus } from "./status/api-pod-status.ts";
import type { StartFailure } from "./status/container-statuses.ts";
import type { StatusManager } from "./status/status-manager.ts";
import type { TimerQueue } from "./timer-queue.ts";
import type { Pod, PodStatus } from "./types.ts";

export interface KubeletOptions {
  nodeName: string;
  hostIP: string;
  runtime: SimulatedRuntime;
  timers: TimerQueue;
  statusManager: StatusManager;
  events: PodEvents;
  onError: (error: unknown) => void;
  /** Counts pods with a sync in progress. */
  onPending: (delta: 1 | -1) => void;
}

/** How long the reason of a failure stands before the next one replaces it, as far as no event comes first. */
const nextReasonMilliseconds = 1000;

/**
 * One node's kubelet: everything but its Node object and Lease, which the pool keeps for all. Mirrors
 * pkg/kubelet/kubelet.go (1.36), where SyncPod and its two successors are described; the handlers are called by the
 * sync loop.
 */
export class Kubelet implements PodSyncer {
  readonly nodeName: string;
  readonly podManager = new PodManager();
  readonly #options: KubeletOptions;
  readonly #pleg: EventedPleg;
  readonly #images: ImageManager;
  readonly #runtimeManager: RuntimeManager;
  readonly #podWorkers: PodWorkers;
  /** Why containers did not start, by pod uid and container name. */
  readonly #reasonCache = new Map<string, Map<string, StartFailure>>();

  constructor(options: KubeletOptions) {
    const { runtime, timers, events } = options;
    this.nodeName = options.nodeName;
    this.#options = options;
    this.#images = new ImageManager(runtime, events, () => timers.now());
    this.#runtimeManager = new RuntimeManager(runtime, this.#images, events, timers);
    this.#podWorkers = new PodWorkers(this, timers, options.onError, options.onPending);
    this.#pleg = new EventedPleg(runtime, ({ uid }) => this.#podWorkers.wake(uid));
  }

  /** A pod that this kubelet sees for the first time. */
  handlePodAddition(pod: Pod): void {
    const { statusManager } = this.#options;
    this.podManager.update(pod);
    if (isFinished(pod)) {
      this.#podWorkers.addTerminated(pod);
      statusManager.addFinishedPod(pod);
      return;
    }
    this.#restore(pod);
    this.#podWorkers.updatePod(pod);
  }

  /** The spec, the deletion or a readiness gate changed. */
  handlePodUpdate(pod: Pod): void {
    this.podManager.update(pod);
    this.#options.statusManager.reconcile(pod);
    this.#podWorkers.updatePod(pod);
  }

  /** Only the status or labels changed, as a rule by this kubelet itself. */
  handlePodReconcile(pod: Pod): void {
    this.podManager.update(pod);
    this.#options.statusManager.reconcile(pod);
  }

  /** The API object is gone. */
  handlePodRemove(pod: Pod): void {
    this.podManager.remove(pod.metadata.uid!);
    this.#options.statusManager.removePod(pod.metadata.uid!);
    this.#podWorkers.removePod(pod);
  }

  stop(): void {
    this.#pleg.stop();
    this.#podWorkers.stop();
  }

  async syncPod(pod: Pod, signal: AbortSignal): Promise<{ terminal: boolean; wakeAt: number | undefined }> {
    const { statusManager, timers } = this.#options;
    const uid = pod.metadata.uid!;
    const { status, nextChange } = this.#generate(pod, false);
    const deadline = activeDeadlineOf(pod, statusManager.getPodStatus(uid) ?? pod.status);
    if (deadline !== undefined && timers.now() >= deadline) {
      status.phase = "Failed";
      status.reason = "DeadlineExceeded";
      status.message = "Pod was active on the node longer than the specified deadline";
      this.#options.events.about(pod, "Normal", status.reason, status.message);
    }
    statusManager.setPodStatus(pod, status);
    if (status.phase === "Succeeded" || status.phase === "Failed") return { terminal: true, wakeAt: undefined };

    const result = await this.#runtimeManager.syncPod(pod, this.#pleg.get(uid), signal);
    const retryAt = this.#rememberReasons(uid, result.started, result.failures, result.retryAt);
    return { terminal: false, wakeAt: earliest(retryAt, nextChange, deadline) };
  }

  async syncTerminatingPod(pod: Pod, signal: AbortSignal): Promise<void> {
    const { statusManager } = this.#options;
    const uid = pod.metadata.uid!;
    const known = this.podManager.get(uid) !== undefined;
    if (known) statusManager.setPodStatus(pod, this.#generate(pod, false).status);
    await this.#runtimeManager.killPod(pod, this.#pleg.get(uid), undefined, signal);
    if (this.podManager.get(uid) !== undefined) statusManager.setPodStatus(pod, this.#generate(pod, true).status);
  }

  syncTerminatedPod(pod: Pod): void {
    const current = this.podManager.get(pod.metadata.uid!);
    if (current !== undefined) this.#options.statusManager.terminatePod(current);
  }

  forgetPod(pod: Pod): void {
    const uid = pod.metadata.uid!;
    const { sandbox } = this.#pleg.get(uid);
    this.#reasonCache.delete(uid);
    this.#runtimeManager.forget(pod);
    if (sandbox !== undefined) void this.#options.runtime.removePodSandbox(sandbox.id);
    this.#pleg.delete(uid);
  }

  #generate(pod: Pod, podIsTerminal: boolean): { status: PodStatus; nextChange: number | undefined } {
    const uid = pod.metadata.uid!;
    const reasons = this.#reasonCache.get(uid);
    return generateApiPodStatus({
      pod,
      runtime: this.#pleg.get(uid),
      oldStatus: this.#options.statusManager.getPodStatus(uid) ?? pod.status,
      podIsTerminal,
      failureOf: (name) => reasons?.get(name),
      hostIP: this.#options.hostIP,
      now: this.#options.timers.now(),
    });
  }

  /**
   * Returns when to sync again. A failure is reported by the sync after it, so one that is new leads to another sync
   * soon: at once where the reported state says nothing yet, else after a second in which clients see the end itself.
   */
  #rememberReasons(
    uid: string,
    started: string[],
    failures: Map<string, StartFailure>,
    retryAt: number | undefined,
  ): number | undefined {
    const now = this.#options.timers.now();
    const known = this.#reasonCache.get(uid);
    for (const name of started) known?.delete(name);
    if (failures.size === 0) return retryAt;
    let next = retryAt;
    for (const [name, failure] of failures) {
      if (known?.get(name)?.reason === failure.reason) continue;
      const soon = failure.reason === "CrashLoopBackOff" || failure.reason === "ImagePullBackOff";
      next = earliest(next, now + (soon ? nextReasonMilliseconds : 0));
    }
    this.#reasonCache.set(uid, new Map([...(known ?? []), ...failures]));
    return next;
  }

  /** Puts back what the runtime had and what back-offs were running, after a restart of the host. */
  #restore(pod: Pod): void {
    const uid = pod.metadata.uid!;
    if (this.#pleg.has(uid)) return;
    const snapshot = snapshotOf(pod);
    const containers = snapshot?.containers.map(({ status }) => status) ?? [];
    containers.sort((a, b) => b.createdAt - a.createdAt);
    const runtime = { sandbox: snapshot?.sandbox, ips: snapshot?.sandbox.ips ?? [], containers };
    const reasons = new Map<string, StartFailure>();
    for (const container of [...containersOf(pod), ...initContainersOf(pod)]) {
      const status = latestContainer(runtime, container.name);
      if (status !== undefined) {
        this.#runtimeManager.restoreBackoff(pod, container, status.attempt, status.startedAt);
      }
      const failure = reportedFailure(pod, container.name);
      if (failure === undefined || status?.state === "CONTAINER_RUNNING") continue;
      reasons.set(container.name, failure);
      this.#images.restoreBackoff(pod, container, failure);
    }
    if (reasons.size > 0) this.#reasonCache.set(uid, reasons);
    if (snapshot === undefined) return;
    this.#pleg.set(uid, runtime);
    this.#options.runtime.restore(snapshot);
  }
}

/** Why the API server's status says that a container does not run, beyond "not yet". */
function reportedFailure(pod: Pod, name: string): StartFailure | undefined {
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  const waiting = statuses.find((status) => status.name === name)?.state?.waiting;
  const reason: string = waiting?.reason ?? "";
  if (reason === "" || reason === "ContainerCreating" || reason === "PodInitializing") return undefined;
  return { reason, message: waiting.message ?? "" };
}

/** The phase is terminal and no container is reported as running. */
function isFinished(pod: Pod): boolean {
  const phase = pod.status?.phase;
  if (phase !== "Succeeded" && phase !== "Failed") return false;
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return statuses.every((status) => status.state?.running === undefined);
}

/** When the pod has been active for as long as it may, milliseconds. */
function activeDeadlineOf(pod: Pod, status: Partial<PodStatus> | undefined): number | undefined {
  const seconds: number | undefined = pod.spec?.activeDeadlineSeconds;
  if (seconds === undefined || status?.startTime === undefined) return undefined;
  return Date.parse(status.startTime) + seconds * 1000;
}

function earliest(...times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
