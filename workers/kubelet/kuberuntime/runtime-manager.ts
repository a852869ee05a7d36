import { Backoff } from "../backoff.ts";
import type { RuntimeService } from "../cri/interfaces.ts";
import { formatDuration } from "../duration.ts";
import { formatPod } from "../events.ts";
import type { PodEvents } from "../events.ts";
import type { ImageManager } from "../images/image-manager.ts";
import { containersOf, ephemeralContainersOf, initContainersOf, isSidecar } from "../container-policy.ts";
import { latestContainer } from "../runtime-status.ts";
import type { RuntimePodStatus } from "../runtime-status.ts";
import type { StartFailure } from "../status/container-statuses.ts";
import { isAborted } from "../timer-queue.ts";
import type { TimerQueue } from "../timer-queue.ts";
import type { Container, Pod } from "../types.ts";
import { computePodActions } from "./compute-pod-actions.ts";
import { generateContainerConfig, generateSandboxConfig } from "./container-config.ts";

export interface SyncPodResult {
  started: string[];
  failures: Map<string, StartFailure>;
  /** When another sync can get further, milliseconds; undefined when only an event can bring that about. */
  retryAt: number | undefined;
}

const sandboxRetryMilliseconds = 10_000;
const minimumGracePeriodSeconds = 2;
const defaultGracePeriodSeconds = 30;

/** Brings one pod's containers to what its spec asks for, pkg/kubelet/kuberuntime/kuberuntime_manager.go (1.36). */
export class RuntimeManager {
  readonly #runtime: RuntimeService;
  readonly #images: ImageManager;
  readonly #events: PodEvents;
  readonly #timers: TimerQueue;
  /** 10 s doubling to 5 min, forgotten after 10 min (MaxContainerBackOff). */
  readonly #crashBackoff = new Backoff(10_000, 300_000);

  constructor(runtime: RuntimeService, images: ImageManager, events: PodEvents, timers: TimerQueue) {
    this.#runtime = runtime;
    this.#images = images;
    this.#events = events;
    this.#timers = timers;
  }

  async syncPod(pod: Pod, runtime: RuntimePodStatus, signal: AbortSignal): Promise<SyncPodResult> {
    const result: SyncPodResult = { started: [], failures: new Map(), retryAt: undefined };
    const actions = computePodActions(pod, runtime, this.#timers.now());
    if (actions.killPod) {
      await this.killPod(pod, runtime, undefined, signal);
      return result;
    }
    for (const { container, status, message } of actions.containersToKill) {
      this.#events.aboutContainer(pod, container, "Normal", "Killing", message);
      await this.#runtime.stopContainer(status.id, gracePeriodOf(pod, undefined), signal);
    }
    let sandboxId = runtime.sandbox?.id ?? "";
    if (actions.createSandbox) {
      const attempt = runtime.sandbox === undefined ? 0 : runtime.sandbox.attempt + 1;
      try {
        sandboxId = await this.#runtime.runPodSandbox(generateSandboxConfig(pod, attempt), signal);
      } catch (error) {
        if (isAborted(error)) throw error;
        const message = `Failed to create pod sandbox: ${(error as Error).message}`;
        this.#events.about(pod, "Warning", "FailedCreatePodSandBox", message);
        result.retryAt = this.#timers.now() + sandboxRetryMilliseconds;
        return result;
      }
    }
    for (const container of actions.ephemeralContainersToStart) {
      await this.#start(pod, runtime, sandboxId, container, result, signal);
    }
    for (const container of actions.initContainersToStart) {
      const started = await this.#start(pod, runtime, sandboxId, container, result, signal);
      if (!started && !isSidecar(container)) return result;
    }
    for (const container of actions.containersToStart) {
      await this.#start(pod, runtime, sandboxId, container, result, signal);
    }
    return result;
  }

  /** Stops all containers (sidecars last, in reverse order), then the sandbox. */
  async killPod(
    pod: Pod,
    runtime: RuntimePodStatus,
    gracePeriodOverride: number | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    const grace = gracePeriodOf(pod, gracePeriodOverride);
    const kill = async (container: Container): Promise<void> => {
      const status = latestContainer(runtime, container.name);
      if (status === undefined || status.state === "CONTAINER_EXITED") return;
      this.#events.aboutContainer(pod, container, "Normal", "Killing", `Stopping container ${container.name}`);
      const preStop = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
      const hook = Math.min(preStop, grace);
      if (hook > 0) await this.#timers.sleep(hook * 1000, signal);
      await this.#runtime.stopContainer(status.id, grace - hook, signal);
    };
    const init = initContainersOf(pod);
    const first = [
      ...containersOf(pod),
      ...ephemeralContainersOf(pod),
      ...init.filter((container) => !isSidecar(container)),
    ];
    await Promise.all(first.map(kill));
    for (const container of init.filter(isSidecar).reverse()) await kill(container);
    if (runtime.sandbox !== undefined) await this.#runtime.stopPodSandbox(runtime.sandbox.id);
  }

  /** Puts back the crash back-off that a restart of the host has lost: the delay follows from the restart count. */
  restoreBackoff(pod: Pod, container: Container, restartCount: number, lastStart: number): void {
    this.#crashBackoff.restore(backoffKey(pod, container), restartCount, lastStart);
  }

  forget(pod: Pod): void {
    for (const container of [...containersOf(pod), ...initContainersOf(pod)]) {
      this.#crashBackoff.delete(backoffKey(pod, container));
      this.#images.forget(pod, container);
    }
  }

  /** Back-off, image, create, start. Returns whether it was started; a failure goes into the result. */
  async #start(
    pod: Pod,
    runtime: RuntimePodStatus,
    sandboxId: string,
    container: Container,
    result: SyncPodResult,
    signal: AbortSignal,
  ): Promise<boolean> {
    const fail = (failure: StartFailure, retryAt: number | undefined): false => {
      result.failures.set(container.name, failure);
      if (retryAt !== undefined) result.retryAt = Math.min(result.retryAt ?? retryAt, retryAt);
      return false;
    };
    const latest = latestContainer(runtime, container.name);
    if (latest?.state === "CONTAINER_EXITED") {
      const key = backoffKey(pod, container);
      const end = this.#crashBackoff.endSince(key, latest.finishedAt);
      if (end !== undefined && this.#timers.now() < end) {
        const where = `${container.name} in pod ${formatPod(pod)}`;
        const message = `Back-off restarting failed container ${where}`;
        this.#events.aboutContainer(pod, container, "Warning", "BackOff", message);
        const delay = formatDuration(this.#crashBackoff.get(key));
        const reason = `back-off ${delay} restarting failed container=${container.name} pod=${formatPod(pod)}`;
        return fail({ reason: "CrashLoopBackOff", message: reason }, end);
      }
      this.#crashBackoff.next(key, latest.finishedAt, this.#timers.now());
    }
    const image = await this.#images.ensureImageExists(pod, container, signal);
    if ("failure" in image) {
      this.#events.aboutContainer(pod, container, "Warning", "Failed", `Error: ${image.failure.reason}`);
      return fail(image.failure, image.retryAt);
    }
    const attempt = latest === undefined ? 0 : latest.attempt + 1;
    const config = generateContainerConfig(pod, container, attempt, image.imageRef);
    const id = await this.#runtime.createContainer(sandboxId, config, signal);
    this.#events.aboutContainer(pod, container, "Normal", "Created", "Container created");
    await this.#runtime.startContainer(id, signal);
    this.#events.aboutContainer(pod, container, "Normal", "Started", "Container started");
    result.started.push(container.name);
    return true;
  }
}

function backoffKey(pod: Pod, container: Container): string {
  return `${pod.metadata.uid}_${container.name}_${container.image}`;
}

/** Seconds that a container has to end by itself. */
function gracePeriodOf(pod: Pod, override: number | undefined): number {
  if (override !== undefined) return override;
  const asked =
    pod.metadata.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? defaultGracePeriodSeconds;
  return Math.max(minimumGracePeriodSeconds, asked);
}
