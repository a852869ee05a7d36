import type { QueuedTimer, TimerQueue } from "../timer-queue.ts";
import { hash32, hexDigest } from "../hash.ts";
import { behaviourOf, parseDuration, simulationAnnotations } from "./behaviour.ts";
import { normalizedImageName, parseImageReference } from "./image-reference.ts";
import { CriError } from "./interfaces.ts";
import type {
  ContainerConfig,
  ContainerEvent,
  ContainerEventType,
  CriContainerStatus,
  CriImage,
  ImageService,
  ImageSpec,
  PodSandboxConfig,
  PodSandboxStatus,
  RuntimeService,
} from "./interfaces.ts";

/** All in milliseconds. */
export interface RuntimeDelays {
  sandbox: number;
  /** Of an image that is not on the node; a present one takes no time. */
  pull: number;
  create: number;
  start: number;
  /** From the stop signal to the exit, bounded by the grace period. */
  stop: number;
}

export const defaultDelays: RuntimeDelays = { sandbox: 10, pull: 40, create: 10, start: 10, stop: 30 };

/** Hands out addresses to sandboxes, as a CNI plugin does. */
export interface PodNetwork {
  allocate(sandboxId: string): string[];
  release(sandboxId: string): void;
  /** Notes an address that a sandbox already holds. */
  hold(sandboxId: string, ips: string[]): void;
}

export interface SimulatedRuntimeOptions {
  timers: TimerQueue;
  network: PodNetwork;
  delays?: Partial<RuntimeDelays>;
  /** Images whose pull fails; the default fails names that contain "does-not-exist". */
  imageExists?: (image: string) => boolean;
}

/** What is known of a pod's sandbox from the pod's status, see {@link SimulatedRuntime.restore}. */
export interface SandboxSnapshot {
  sandbox: PodSandboxStatus;
  containers: { config: ContainerConfig; status: CriContainerStatus }[];
}

interface SimulatedContainer {
  config: ContainerConfig;
  sandboxId: string;
  status: CriContainerStatus;
  exitTimer?: QueuedTimer | undefined;
  /** Callers of stopContainer that wait for the exit. */
  waiters: (() => void)[];
}

interface SimulatedSandbox {
  status: PodSandboxStatus;
  /** Newest first. */
  containers: SimulatedContainer[];
}

/**
 * A container runtime that runs nothing: containers are rows with due times. State is lost with the process, but
 * {@link restore} rebuilds it from pod statuses, so running containers survive a restart of the host.
 */
export class SimulatedRuntime implements RuntimeService, ImageService {
  readonly #timers: TimerQueue;
  readonly #network: PodNetwork;
  readonly #delays: RuntimeDelays;
  readonly #imageExists: (image: string) => boolean;
  readonly #sandboxes = new Map<string, SimulatedSandbox>();
  readonly #containers = new Map<string, SimulatedContainer>();
  readonly #images = new Map<string, CriImage>();
  readonly #handlers = new Set<(event: ContainerEvent) => void>();

  constructor(options: SimulatedRuntimeOptions) {
    this.#timers = options.timers;
    this.#network = options.network;
    this.#delays = { ...defaultDelays, ...options.delays };
    this.#imageExists = options.imageExists ?? ((image) => !image.includes("does-not-exist"));
  }

  getContainerEvents(handler: (event: ContainerEvent) => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Puts a sandbox and its containers back as they were reported; those whose end is past end now. Emits no event. */
  restore(snapshot: SandboxSnapshot): void {
    const sandbox: SimulatedSandbox = { status: snapshot.sandbox, containers: [] };
    this.#sandboxes.set(sandbox.status.id, sandbox);
    if (sandbox.status.state === "SANDBOX_READY") this.#network.hold(sandbox.status.id, sandbox.status.ips);
    for (const { config, status } of snapshot.containers) {
      const container: SimulatedContainer = { config, sandboxId: sandbox.status.id, status, waiters: [] };
      sandbox.containers.push(container);
      this.#containers.set(status.id, container);
      if (config.imageRef !== "") this.#addImage(config.image);
      if (status.state === "CONTAINER_RUNNING") this.#scheduleExit(container);
    }
    sandbox.containers.sort((a, b) => b.status.createdAt - a.status.createdAt || b.status.attempt - a.status.attempt);
  }

  async runPodSandbox(config: PodSandboxConfig, signal?: AbortSignal): Promise<string> {
    const id = hexDigest(`sandbox/${config.uid}/${config.attempt}`, 64);
    await this.#timers.sleep(this.#delays.sandbox, signal);
    const ips = config.hostNetwork ? [] : this.#network.allocate(id);
    const status: PodSandboxStatus = { ...config, id, state: "SANDBOX_READY", createdAt: this.#timers.now(), ips };
    const sandbox: SimulatedSandbox = { status, containers: [] };
    this.#sandboxes.set(id, sandbox);
    this.#emit("CONTAINER_STARTED_EVENT", id, sandbox);
    return id;
  }

  async stopPodSandbox(sandboxId: string): Promise<void> {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined || sandbox.status.state === "SANDBOX_NOTREADY") return;
    for (const container of sandbox.containers) this.#exit(container, 137);
    sandbox.status = { ...sandbox.status, state: "SANDBOX_NOTREADY" };
    this.#network.release(sandboxId);
    this.#emit("CONTAINER_STOPPED_EVENT", sandboxId, sandbox);
  }

  async removePodSandbox(sandboxId: string): Promise<void> {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) return;
    await this.stopPodSandbox(sandboxId);
    for (const container of sandbox.containers) this.#containers.delete(container.status.id);
    this.#sandboxes.delete(sandboxId);
    this.#emit("CONTAINER_DELETED_EVENT", sandboxId, { ...sandbox, containers: [] });
  }

  async createContainer(sandboxId: string, config: ContainerConfig, signal?: AbortSignal): Promise<string> {
    await this.#timers.sleep(this.#delays.create, signal);
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) throw new CriError("NotFound", `failed to find sandbox id "${sandboxId}": not found`);
    const id = hexDigest(`container/${sandbox.status.uid}/${config.name}/${config.attempt}`, 64);
    const status: CriContainerStatus = {
      id,
      name: config.name,
      attempt: config.attempt,
      state: "CONTAINER_CREATED",
      createdAt: this.#timers.now(),
      startedAt: 0,
      finishedAt: 0,
      exitCode: 0,
      image: normalizedImageName(config.image),
      imageRef: config.imageRef,
      reason: "",
      message: "",
    };
    const container: SimulatedContainer = { config, sandboxId, status, waiters: [] };
    sandbox.containers.unshift(container);
    this.#containers.set(id, container);
    this.#removeOldAttempts(sandbox, config.name);
    this.#emit("CONTAINER_CREATED_EVENT", id, sandbox);
    return id;
  }

  async startContainer(containerId: string, signal?: AbortSignal): Promise<void> {
    await this.#timers.sleep(this.#delays.start, signal);
    const container = this.#find(containerId);
    container.status = { ...container.status, state: "CONTAINER_RUNNING", startedAt: this.#timers.now() };
    this.#scheduleExit(container);
    this.#emitOf("CONTAINER_STARTED_EVENT", container);
  }

  async stopContainer(containerId: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    const container = this.#containers.get(containerId);
    if (container === undefined || container.status.state === "CONTAINER_EXITED") return;
    const delay = parseDuration(container.config.annotations[simulationAnnotations.stopDelay]) ?? this.#delays.stop;
    const killed = delay > timeoutSeconds * 1000;
    const exited = new Promise<void>((resolve) => container.waiters.push(resolve));
    const stopped = this.#timers
      .sleep(killed ? timeoutSeconds * 1000 : delay, signal)
      .then(() => this.#exit(container, killed ? 137 : 143));
    await Promise.race([exited, stopped]);
  }

  async removeContainer(containerId: string): Promise<void> {
    const container = this.#containers.get(containerId);
    if (container === undefined) return;
    this.#timers.cancel(container.exitTimer);
    this.#containers.delete(containerId);
    const sandbox = this.#sandboxes.get(container.sandboxId);
    if (sandbox === undefined) return;
    sandbox.containers = sandbox.containers.filter((other) => other !== container);
    this.#emit("CONTAINER_DELETED_EVENT", containerId, sandbox);
  }

  async listContainers(filter: { podSandboxId?: string } = {}): Promise<CriContainerStatus[]> {
    const all = [...this.#containers.values()];
    const { podSandboxId } = filter;
    return all
      .filter((container) => podSandboxId === undefined || container.sandboxId === podSandboxId)
      .map((container) => container.status);
  }

  async containerStatus(containerId: string): Promise<CriContainerStatus> {
    return this.#find(containerId).status;
  }

  async pullImage(image: ImageSpec, signal?: AbortSignal): Promise<string> {
    const name = normalizedImageName(image.image);
    const present = this.#images.get(name);
    if (present !== undefined) return present.repoDigests[0]!;
    const delay = parseDuration(image.annotations?.[simulationAnnotations.pullDelay]) ?? this.#delays.pull;
    await this.#timers.sleep(delay, signal);
    if (!this.#imageExists(image.image)) {
      throw new CriError(
        "NotFound",
        `failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found`,
      );
    }
    return this.#addImage(image.image).repoDigests[0]!;
  }

  async imageStatus(image: string): Promise<CriImage | undefined> {
    return this.#images.get(normalizedImageName(image));
  }

  async listImages(): Promise<CriImage[]> {
    return [...this.#images.values()];
  }

  async removeImage(image: string): Promise<void> {
    this.#images.delete(normalizedImageName(image));
  }

  #addImage(text: string): CriImage {
    const name = normalizedImageName(text);
    const known = this.#images.get(name);
    if (known !== undefined) return known;
    const reference = parseImageReference(text);
    const image: CriImage = {
      id: `sha256:${hexDigest(`config/${name}`, 64)}`,
      repoTags: reference.digest === undefined ? [name] : [],
      repoDigests: [`${reference.name}@${reference.digest ?? `sha256:${hexDigest(name, 64)}`}`],
      size: 1_000_000 + (hash32(name) % 150_000_000),
    };
    this.#images.set(name, image);
    return image;
  }

  #find(containerId: string): SimulatedContainer {
    const container = this.#containers.get(containerId);
    if (container !== undefined) return container;
    throw new CriError("NotFound", `an error occurred when try to find container "${containerId}": not found`);
  }

  #scheduleExit(container: SimulatedContainer): void {
    const behaviour = behaviourOf(container.config);
    if (behaviour === undefined) return;
    const due = container.status.startedAt + behaviour.exitAfterMilliseconds;
    container.exitTimer = this.#timers.at(due, () => this.#exit(container, behaviour.exitCode, due));
  }

  #exit(container: SimulatedContainer, exitCode: number, finishedAt = this.#timers.now()): void {
    if (container.status.state === "CONTAINER_EXITED") return;
    this.#timers.cancel(container.exitTimer);
    const reason = exitCode === 0 ? "Completed" : "Error";
    container.status = { ...container.status, state: "CONTAINER_EXITED", finishedAt, exitCode, reason };
    for (const waiter of container.waiters.splice(0)) waiter();
    this.#emitOf("CONTAINER_STOPPED_EVENT", container);
  }

  /** Keeps the newest two of a name: the current one, and the one that `lastState` and `logs --previous` name. */
  #removeOldAttempts(sandbox: SimulatedSandbox, name: string): void {
    const old = sandbox.containers.filter((container) => container.config.name === name).slice(2);
    if (old.length === 0) return;
    for (const container of old) this.#containers.delete(container.status.id);
    sandbox.containers = sandbox.containers.filter((container) => !old.includes(container));
  }

  #emitOf(type: ContainerEventType, container: SimulatedContainer): void {
    const sandbox = this.#sandboxes.get(container.sandboxId);
    if (sandbox !== undefined) this.#emit(type, container.status.id, sandbox);
  }

  #emit(type: ContainerEventType, containerId: string, sandbox: SimulatedSandbox): void {
    if (this.#handlers.size === 0) return;
    const containers = sandbox.containers.map((container) => container.status);
    for (const handler of this.#handlers) handler({ type, containerId, sandbox: sandbox.status, containers });
  }
}
