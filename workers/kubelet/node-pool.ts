import type { GroupVersionResource } from "../apimachinery/gvk.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import type { Controller, ControllerContext } from "../informers/controller-context.ts";
import type { RuntimeDelays } from "./cri/simulated-runtime.ts";
import { SimulatedRuntime } from "./cri/simulated-runtime.ts";
import { PodEvents } from "./events.ts";
import { Kubelet } from "./kubelet.ts";
import { Leases } from "./node/lease.ts";
import { NodeEvents } from "./node/node-events.ts";
import { NodeRegistration } from "./node/node-registration.ts";
import { defaultMachineSize, hostIPOf } from "./node/simulated-machine.ts";
import type { MachineSize, SimulatedMachine } from "./node/simulated-machine.ts";
import { defaultPodCidr, PodAddresses } from "./pod-network.ts";
import { StatusManager } from "./status/status-manager.ts";
import { startSyncLoop } from "./sync-loop.ts";
import { TimerQueue } from "./timer-queue.ts";
import type { Pod } from "./types.ts";

const pods: GroupVersionResource = { group: "", version: "v1", resource: "pods" };
const nodes: GroupVersionResource = { group: "", version: "v1", resource: "nodes" };

/** The informers that the host starts and syncs before {@link NodePool.run}. */
export const kubeletInformers: GroupVersionResource[] = [pods, nodes];

export interface NodePoolOptions {
  /** Names, or so many of the form `<prefix><index>`. */
  nodes: string[] | { count: number; prefix?: string };
  /** Index of the first node: pools of one cluster must not overlap, since addresses follow from it. Default 0. */
  firstIndex?: number;
  /** When the simulated machines were booted, milliseconds; default: when the pool is made. */
  hostStart?: number;
  delays?: Partial<RuntimeDelays>;
  /** Pod states that follow each other within this time are sent as one. Default 50. */
  statusWindowMilliseconds?: number;
  size?: Partial<MachineSize>;
  labels?: (name: string, index: number) => Record<string, string>;
  taints?: SimulatedMachine["taints"];
  imageExists?: (image: string) => boolean;
  /** Failures that the pool handles by trying again; console.error by default. */
  onError?: (error: unknown) => void;
}

export interface NodePool extends Controller {
  readonly nodeNames: readonly string[];
  /** When something is due next, milliseconds since the epoch; heartbeats count unless they are paused. */
  nextDue(): number | undefined;
  /** Stops Leases and node status reports; pods go on. */
  pauseHeartbeats(): void;
  /** Renews all Leases at once and goes on. */
  resumeHeartbeats(): void;
}

/** All kubelets of a pool, over one pod informer, one timer, one status manager. */
export function newNodePool(context: ControllerContext, options: NodePoolOptions): NodePool {
  return new SimulatedNodePool(context, options);
}

const registrationRetryMilliseconds = { first: 200, last: 7000 };

class SimulatedNodePool implements NodePool {
  readonly name = "kubelet";
  readonly nodeNames: readonly string[];
  readonly #context: ControllerContext;
  readonly #timers: TimerQueue;
  readonly #statusManager: StatusManager;
  readonly #registration: NodeRegistration;
  readonly #leases: Leases;
  readonly #kubelets = new Map<string, Kubelet>();
  readonly #onError: (error: unknown) => void;
  #syncing = 0;
  #heartbeats = true;
  #registered = false;

  constructor(context: ControllerContext, options: NodePoolOptions) {
    this.#context = context;
    const { client, clock } = context;
    const timers = new TimerQueue(clock);
    const onError = options.onError ?? ((error: unknown) => console.error(error));
    const machines = machinesOf(options, clock.now());
    const runtimes = new Map<string, SimulatedRuntime>();
    const nodeLister = context.informers.forResource(nodes).lister;
    const recorder = context.recorder("kubelet");
    this.nodeNames = machines.map(({ name }) => name);
    this.#timers = timers;
    this.#onError = onError;
    this.#statusManager = new StatusManager({
      client,
      timers,
      windowMilliseconds: options.statusWindowMilliseconds ?? 50,
      onError,
    });
    for (const machine of machines) {
      const { name, index } = machine;
      const network = new PodAddresses(() => nodeLister.get(undefined, name)?.spec?.podCIDR ?? defaultPodCidr(index));
      const runtime = new SimulatedRuntime({
        timers,
        network,
        ...(options.delays === undefined ? {} : { delays: options.delays }),
        ...(options.imageExists === undefined ? {} : { imageExists: options.imageExists }),
      });
      runtimes.set(name, runtime);
      const kubelet = new Kubelet({
        nodeName: name,
        hostIP: hostIPOf(machine),
        runtime,
        timers,
        statusManager: this.#statusManager,
        events: new PodEvents(recorder, name),
        onError,
        onPending: (delta) => {
          this.#syncing += delta;
        },
      });
      this.#kubelets.set(name, kubelet);
    }
    this.#registration = new NodeRegistration({
      client,
      timers,
      nodes: nodeLister,
      machines,
      imagesOf: async (name) => (await runtimes.get(name)?.listImages()) ?? [],
      events: new NodeEvents(recorder),
      onError,
    });
    this.#leases = new Leases({ client, timers, nodes: () => this.#registration.registeredNodes(), onError });
  }

  get pending(): number {
    return this.#syncing + this.#statusManager.pending + this.#registration.unregistered;
  }

  nextDue(): number | undefined {
    return this.#timers.nextDue();
  }

  pauseHeartbeats(): void {
    this.#heartbeats = false;
    this.#leases.stop();
    this.#registration.pause();
  }

  resumeHeartbeats(): void {
    this.#heartbeats = true;
    if (!this.#registered) return;
    this.#registration.resume();
    this.#leases.start();
  }

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { informers } = this.#context;
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    const removeNodeHandler = informers.forResource<KubeObject>(nodes).addEventHandler({
      onAdd: (node) => this.#registration.handleNode(node),
      onUpdate: (_previous, node) => this.#registration.handleNode(node),
      onDelete: (node) => this.#registration.handleNodeDeletion(node),
    });
    const removePodHandler = startSyncLoop(informers.forResource<Pod>(pods), (name) => this.#kubelets.get(name));
    try {
      await Promise.race([this.#register(signal), stopped]);
      await stopped;
    } finally {
      removeNodeHandler();
      removePodHandler();
      this.#leases.stop();
      this.#registration.pause();
      this.#statusManager.stop();
      for (const kubelet of this.#kubelets.values()) kubelet.stop();
      this.#timers.stop();
    }
  }

  async #register(signal: AbortSignal): Promise<void> {
    for (let delay = registrationRetryMilliseconds.first; !signal.aborted; delay *= 2) {
      try {
        await this.#registration.register();
      } catch (error) {
        this.#onError(error);
      }
      if (this.#registration.unregistered === 0) break;
      await this.#timers.sleep(Math.min(delay, registrationRetryMilliseconds.last));
    }
    if (signal.aborted) return;
    this.#registered = true;
    if (this.#heartbeats) this.#leases.start();
  }
}

function machinesOf(options: NodePoolOptions, now: number): SimulatedMachine[] {
  const first = options.firstIndex ?? 0;
  const names = Array.isArray(options.nodes)
    ? options.nodes
    : Array.from({ length: options.nodes.count }, (_, offset) => `${prefixOf(options)}${first + offset}`);
  return names.map((name, offset) => ({
    name,
    index: first + offset,
    size: { ...defaultMachineSize, ...options.size },
    labels: options.labels?.(name, first + offset) ?? {},
    taints: options.taints ?? [],
    bootTime: options.hostStart ?? now,
  }));
}

function prefixOf(options: NodePoolOptions): string {
  return Array.isArray(options.nodes) ? "" : (options.nodes.prefix ?? "node-");
}
