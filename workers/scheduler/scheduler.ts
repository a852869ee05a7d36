import type { TimerHandle } from "../apimachinery/clock.ts";
import type { GroupVersionResource } from "../apimachinery/gvk.ts";
import type { Controller, ControllerContext } from "../informers/controller-context.ts";
import type { Lister } from "../informers/interfaces.ts";
import type { EventRecorder } from "../client/events/event-recorder.ts";
import { Cache } from "./cache/cache.ts";
import { Snapshot } from "./cache/snapshot.ts";
import { ApiDispatcher } from "./dispatcher/api-dispatcher.ts";
import { addAllEventHandlers } from "./event-handlers.ts";
import type { Explanation } from "./explanations.ts";
import { Explanations } from "./explanations.ts";
import { CycleState } from "./framework/cycle-state.ts";
import type { Diagnosis } from "./framework/diagnosis.ts";
import { fitErrorMessage } from "./framework/diagnosis.ts";
import { Action } from "./framework/events.ts";
import type { WeightedPlugin } from "./framework/framework.ts";
import { Framework } from "./framework/framework.ts";
import type { Handle } from "./framework/interface.ts";
import type { Node, Pod } from "./framework/pod-info.ts";
import { PodInfo, uidOf } from "./framework/pod-info.ts";
import type { QueuedPodInfo } from "./framework/queued-pod-info.ts";
import type { MaybeStatus } from "./framework/status.ts";
import { asStatus, isRejected, isSuccess } from "./framework/status.ts";
import type { PodScheduledReason } from "./pod-condition.ts";
import { podScheduledCondition, truncateMessage } from "./pod-condition.ts";
import { defaultPlugins } from "./profile.ts";
import { noNodesPlugin, QueueingHints } from "./queue/hints.ts";
import { Nominator } from "./queue/nominator.ts";
import type { SchedulingQueueOptions } from "./queue/scheduling-queue.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { SchedulingAlgorithm } from "./schedule-pod.ts";

const core = (resource: string): GroupVersionResource => ({ group: "", version: "v1", resource });
const apps = (resource: string): GroupVersionResource => ({ group: "apps", version: "v1", resource });

const podsResource = core("pods");
const nodesResource = core("nodes");
const namespacesResource = core("namespaces");
const servicesResource = core("services");
const controllerResources: Record<string, GroupVersionResource> = {
  ReplicationController: core("replicationcontrollers"),
  ReplicaSet: apps("replicasets"),
  StatefulSet: apps("statefulsets"),
};

/** The informers that the scheduler reads; its host starts them. */
export const schedulerInformers: GroupVersionResource[] = [
  podsResource,
  nodesResource,
  namespacesResource,
  servicesResource,
  ...Object.values(controllerResources),
];

export interface SchedulerOptions {
  /** Pods whose spec.schedulerName is this one; "default-scheduler" by default. */
  schedulerName?: string;
  /** 0, the default, adapts to the number of nodes. */
  percentageOfNodesToScore?: number;
  queue?: SchedulingQueueOptions;
  /** Bindings and status patches per request, 200 by default. */
  maxBatchSize?: number;
  assumedPodTtlMilliseconds?: number;
  /** Pods scheduled before the event loop gets its turn, 100 by default. */
  sliceSize?: number;
  explanationLimit?: number;
  plugins?: (handle: Handle) => WeightedPlugin[];
}

export interface Scheduler extends Controller {
  /** When a backoff ends or a long wait is over, milliseconds; undefined while nothing waits for time alone. */
  nextDue(): number | undefined;
  /** The outcome of the pod's last attempt, while it is remembered. */
  explain(namespace: string, name: string): Explanation | undefined;
  /** Numbers of pods by queue, as upstream's scheduler_pending_pods metric has them. */
  pendingPods(): { active: number; backoff: number; unschedulable: number; gated: number };
}

/** Registers its informer handlers at once; schedules while `run` is running. */
export function newScheduler(context: ControllerContext, options: SchedulerOptions = {}): Scheduler {
  return new DefaultScheduler(context, options);
}

/**
 * Serial, synchronous scheduling cycles and asynchronous binding cycles. Mirrors pkg/scheduler/scheduler.go and
 * schedule_one.go (1.36).
 */
class DefaultScheduler implements Scheduler {
  readonly name: string;
  readonly #context: ControllerContext;
  readonly #podLister: Lister<Pod>;
  readonly #recorder: EventRecorder;
  readonly #cache: Cache;
  readonly #queue: SchedulingQueue;
  readonly #snapshot = new Snapshot();
  readonly #nominator = new Nominator();
  readonly #dispatcher: ApiDispatcher;
  readonly #framework: Framework;
  readonly #algorithm: SchedulingAlgorithm;
  readonly #explanations: Explanations;
  readonly #sliceSize: number;
  #bindingCycles = 0;
  #wake: () => void = () => undefined;

  constructor(context: ControllerContext, options: SchedulerOptions) {
    const { clock, client, informers, random } = context;
    this.name = options.schedulerName ?? "default-scheduler";
    this.#context = context;
    this.#recorder = context.recorder(this.name);
    this.#cache = new Cache(clock, {
      ...(options.assumedPodTtlMilliseconds === undefined
        ? {}
        : { assumedPodTtlMilliseconds: options.assumedPodTtlMilliseconds }),
    });
    this.#dispatcher = new ApiDispatcher(client, { maxBatchSize: options.maxBatchSize ?? 200 });
    this.#explanations = new Explanations(options.explanationLimit);
    this.#sliceSize = options.sliceSize ?? 100;

    const pods = informers.forResource<Pod>(podsResource);
    const nodes = informers.forResource<Node>(nodesResource);
    const namespaces = informers.forResource(namespacesResource);
    const services = informers.forResource(servicesResource);
    const controllers = new Map(
      Object.entries(controllerResources).map(([kind, resource]) => [kind, informers.forResource(resource).lister]),
    );
    this.#podLister = pods.lister;
    const handle: Handle = {
      snapshot: this.#snapshot,
      clock,
      random,
      dispatcher: this.#dispatcher,
      nominator: this.#nominator,
      namespaceLabels: (name) => namespaces.lister.get(undefined, name)?.metadata.labels,
      namespacesRevision: () => namespaces.lastSyncResourceVersion(),
      defaultSelectors: {
        services: (namespace) => services.lister.list(namespace),
        controller: (kind, namespace, name) => controllers.get(kind)?.get(namespace, name),
      },
      framework: () => this.#framework,
    };
    const plugins = (options.plugins ?? defaultPlugins)(handle);
    this.#framework = new Framework(this.name, plugins, clock, this.#nominator);
    this.#algorithm = new SchedulingAlgorithm(
      this.#framework,
      this.#snapshot,
      random,
      options.percentageOfNodesToScore ?? 0,
    );
    this.#queue = new SchedulingQueue(
      clock,
      {
        less: (a, b) => this.#framework.less(a, b),
        preEnqueue: (pod) => this.#framework.runPreEnqueue(pod),
        hints: new QueueingHints(
          this.#framework
            .eventRegistrations()
            .set(noNodesPlugin, [{ event: { resource: "Node", action: Action.Add } }]),
        ),
        nominator: this.#nominator,
        onReady: () => this.#wake(),
      },
      options.queue,
    );
    addAllEventHandlers(
      { pods, nodes, namespaces },
      {
        schedulerName: this.name,
        cache: this.#cache,
        queue: this.#queue,
        onPodGone: (pod) => {
          this.#framework.waitingPods.get(uidOf(pod))?.reject("", "removed");
          this.#explanations.forget(`${pod.metadata.namespace}/${pod.metadata.name}`);
        },
        onGated: (pod) =>
          void this.#patchCondition(pod, "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates"),
      },
    );
  }

  get pending(): number {
    return this.#queue.activeSize + this.#queue.backoffSize + this.#bindingCycles + this.#dispatcher.pendingPatches;
  }

  nextDue(): number | undefined {
    return this.#queue.nextDue();
  }

  explain(namespace: string, name: string): Explanation | undefined {
    return this.#explanations.get(namespace, name);
  }

  pendingPods(): { active: number; backoff: number; unschedulable: number; gated: number } {
    return {
      active: this.#queue.activeSize,
      backoff: this.#queue.backoffSize,
      unschedulable: this.#queue.unschedulableSize,
      gated: this.#queue.gatedSize,
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#queue.flush();
      this.#cache.cleanupAssumedPods();
      for (let i = 0; i < this.#sliceSize; i++) {
        const queued = this.#queue.pop();
        if (queued === undefined) break;
        this.#scheduleOne(queued);
      }
      await this.#pause(signal, this.#queue.ready ? 0 : this.#untilDue());
    }
  }

  #untilDue(): number | undefined {
    const due = this.#queue.nextDue();
    return due === undefined ? undefined : Math.max(0, due - this.#context.clock.now());
  }

  /** Lets the event loop run: for so long, or until a pod is ready, or until stopped. 0 only yields. */
  #pause(signal: AbortSignal, milliseconds: number | undefined): Promise<void> {
    const { clock } = this.#context;
    return new Promise((resolve) => {
      let timer: TimerHandle;
      const done = () => {
        this.#wake = () => undefined;
        signal.removeEventListener("abort", done);
        if (timer !== undefined) clock.clearTimeout(timer);
        resolve();
      };
      if (milliseconds !== undefined) timer = clock.setTimeout(done, milliseconds);
      if (milliseconds !== 0) this.#wake = done;
      signal.addEventListener("abort", done);
    });
  }

  /** One scheduling cycle; a pod that gets a node goes on to its binding cycle. */
  #scheduleOne(queued: QueuedPodInfo): void {
    const pod = queued.podInfo;
    if (this.#cache.isAssumedPod(pod.uid)) return;
    const state = new CycleState();
    let reserved: PodInfo | undefined;
    try {
      this.#cache.updateSnapshot(this.#snapshot);
      const result = this.#algorithm.schedulePod(state, pod);
      switch (result.kind) {
        case "noNodes":
          return this.#handleFailure(queued, "Unschedulable", "no nodes available to schedule pods", {
            plugins: new Set([noNodesPlugin]),
            nominatedNodeName: "",
          });
        case "error":
          return this.#handleFailure(queued, "SchedulerError", result.status.message, { nominatedNodeName: "" });
        case "unfit": {
          const { diagnosis, numAllNodes } = result;
          const { result: nomination, status } = this.#framework.runPostFilter(state, pod, diagnosis);
          diagnosis.postFilterMsg = status?.message ?? "";
          return this.#handleFailure(queued, "Unschedulable", fitErrorMessage(numAllNodes, diagnosis), {
            diagnosis,
            ...(nomination === undefined ? {} : { nominatedNodeName: nomination.nominatedNodeName }),
          });
        }
        case "scheduled":
          break;
      }

      const { nodeName, evaluatedNodes, feasibleNodes } = result;
      const assumed = pod.assignedTo(nodeName);
      this.#cache.assumePod(assumed);
      reserved = assumed;
      this.#nominator.deleteNominatedPod(pod.uid);
      const status =
        this.#framework.runReserve(state, assumed, nodeName) ?? this.#framework.runPermit(state, assumed, nodeName);
      if (!isSuccess(status) && status.code !== "Wait") {
        this.#giveUp(state, assumed, nodeName);
        return this.#handleStatus(queued, status);
      }
      const time = this.#context.clock.now();
      this.#explanations.record(pod.key, () => ({
        uid: pod.uid,
        time,
        outcome: "Scheduled",
        nodeName,
        evaluatedNodes,
        feasibleNodes,
      }));
      void this.#bindingCycle(state, queued, assumed, nodeName);
    } catch (error) {
      if (reserved !== undefined) this.#giveUp(state, reserved, reserved.nodeName);
      this.#handleFailure(queued, "SchedulerError", asStatus(error).message, { nominatedNodeName: "" });
    }
  }

  async #bindingCycle(state: CycleState, queued: QueuedPodInfo, assumed: PodInfo, nodeName: string): Promise<void> {
    this.#bindingCycles++;
    let status: MaybeStatus;
    try {
      status = await this.#bind(state, assumed, nodeName);
    } catch (error) {
      status = asStatus(error);
    } finally {
      this.#bindingCycles--;
    }
    if (isSuccess(status)) {
      this.#cache.finishBinding(assumed.uid);
      const { namespace, name } = assumed;
      this.#recorder.event(
        assumed.pod,
        "Normal",
        "Scheduled",
        `Successfully assigned ${namespace}/${name} to ${nodeName}`,
      );
      this.#framework.runPostBind(state, assumed, nodeName);
      return;
    }
    this.#giveUp(state, assumed, nodeName);
    this.#handleStatus(queued, status);
  }

  /** Yields only where a plugin waits, so that the bindings of one slice are sent together. */
  async #bind(state: CycleState, assumed: PodInfo, nodeName: string): Promise<MaybeStatus> {
    const waiting = this.#framework.waitOnPermit(assumed);
    if (waiting !== undefined) {
      const status = await waiting;
      if (!isSuccess(status)) return status;
    }
    if (this.#framework.needsPreBind(state, assumed, nodeName)) {
      const status = await this.#framework.runPreBind(state, assumed, nodeName);
      if (!isSuccess(status)) return status;
    }
    return this.#framework.runBind(state, assumed, nodeName);
  }

  /** Takes an assumed pod back; what it held may help others. */
  #giveUp(state: CycleState, assumed: PodInfo, nodeName: string): void {
    this.#framework.runUnreserve(state, assumed, nodeName);
    if (!this.#cache.forgetPod(assumed.uid)) return;
    this.#queue.moveAllToActiveOrBackoffQueue(
      { resource: "AssignedPod", action: Action.Delete },
      assumed.pod,
      undefined,
    );
  }

  /** A rejection by Reserve, Permit, or a failure of the binding cycle. */
  #handleStatus(queued: QueuedPodInfo, status: MaybeStatus): void {
    if (isRejected(status)) {
      const message = `0/1 nodes are available: 1 ${status!.message}.`;
      this.#handleFailure(queued, "Unschedulable", message, {
        plugins: new Set(status!.plugin === "" ? [] : [status!.plugin]),
        nominatedNodeName: "",
      });
    } else {
      this.#handleFailure(queued, "SchedulerError", status?.message ?? "", { nominatedNodeName: "" });
    }
  }

  /** Puts the pod back into the queue unless it is gone or assigned by now, and tells the user. */
  #handleFailure(
    queued: QueuedPodInfo,
    reason: "Unschedulable" | "SchedulerError",
    message: string,
    details: { diagnosis?: Diagnosis; plugins?: ReadonlySet<string>; nominatedNodeName?: string },
  ): void {
    const { podInfo } = queued;
    const cached = this.#podLister.get(podInfo.namespace, podInfo.name);
    if (cached === undefined || uidOf(cached) !== podInfo.uid || cached.spec?.nodeName) return;
    if (cached !== podInfo.pod) queued.podInfo = new PodInfo(cached);

    const { diagnosis, nominatedNodeName } = details;
    const plugins = diagnosis?.unschedulablePlugins ?? details.plugins ?? noPlugins;
    const pendingPlugins = diagnosis?.pendingPlugins ?? noPlugins;
    if (reason === "Unschedulable" && plugins.size + pendingPlugins.size > 0) {
      this.#queue.addUnschedulable(queued, plugins, pendingPlugins);
    } else {
      this.#queue.addAfterError(queued);
    }
    if (nominatedNodeName !== undefined) this.#nominator.addNominatedPod(queued.podInfo, nominatedNodeName);

    const time = this.#context.clock.now();
    this.#explanations.record(podInfo.key, () => ({
      uid: podInfo.uid,
      time,
      outcome: reason === "Unschedulable" ? "Unschedulable" : "Error",
      message,
      ...(diagnosis === undefined
        ? {}
        : { nodes: new Map([...diagnosis.nodeToStatus.entries()].map(([node, status]) => [node, status.reasons])) }),
      unschedulablePlugins: [...plugins],
    }));
    this.#recorder.event(cached, "Warning", "FailedScheduling", truncateMessage(message));
    if (queued.reportedMessage === message && (nominatedNodeName ?? "") === "") return;
    queued.reportedMessage = message;
    void this.#patchCondition(cached, reason, message, nominatedNodeName).then((patched) => {
      if (!patched) queued.reportedMessage = undefined;
    });
  }

  /** False if the server did not take it: the next attempt reports again. */
  async #patchCondition(
    pod: Pod,
    reason: PodScheduledReason,
    message: string,
    nominatedNodeName?: string,
  ): Promise<boolean> {
    const condition = podScheduledCondition(pod, reason, message, this.#context.clock.now());
    const known: string = pod.status?.nominatedNodeName ?? "";
    const nominate = nominatedNodeName !== undefined && nominatedNodeName !== known;
    if (condition === undefined && !nominate) return true;
    const { code } = await this.#dispatcher.patchStatus(pod.metadata.namespace ?? "", pod.metadata.name ?? "", {
      ...(condition === undefined ? {} : { conditions: [condition] }),
      ...(nominate ? { nominatedNodeName: nominatedNodeName === "" ? null : nominatedNodeName } : {}),
    });
    return code < 300;
  }
}

const noPlugins: ReadonlySet<string> = new Set();
