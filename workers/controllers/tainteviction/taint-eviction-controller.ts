import { formatTime } from "../../apimachinery/clock.ts";
import type { TimerHandle } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { namespacedName, splitNamespacedName } from "../../apimachinery/meta.ts";
import { isNotFound } from "../../apimachinery/status-errors.ts";
import type { EventRecorder } from "../../client/events/event-recorder.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { Lister } from "../../informers/interfaces.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import { nodesResource, podsResource } from "../gvrs.ts";
import { ensureIndex } from "../indexes.ts";
import { nodeNameIndex } from "../nodelifecycle/node-lifecycle-controller.ts";
import { runWorkers } from "../run-workers.ts";
import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import type { Taint } from "../taints.ts";
import { taintsOf } from "../taints.ts";
import { tolerationTime } from "./matching-tolerations.ts";

interface Scheduled {
  createdAt: number;
  fireAt: number;
  timer: TimerHandle;
  uid: string;
}

/**
 * Deletes pods from nodes with NoExecute taints that they do not tolerate, or no longer. The time that a pod tolerates
 * counts from when this controller first sees the taint. Mirrors pkg/controller/tainteviction/taint_eviction.go (1.36).
 */
export class TaintEvictionController implements Controller {
  readonly name = "taint-eviction-controller";
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #nodes: Lister;
  readonly #pods: Lister;
  readonly #scheduled = new Map<string, Scheduled>();
  /** Pods whose time is up. */
  readonly #due;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#recorder = context.recorder(this.name);
    this.#due = newRateLimitingQueue(context.clock);
    const nodes = context.informers.forResource(nodesResource);
    const pods = context.informers.forResource(podsResource);
    this.#nodes = nodes.lister;
    this.#pods = pods.lister;
    ensureIndex(pods, nodeNameIndex, (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []));
    nodes.addEventHandler({
      onAdd: (node) => this.#nodeChanged(node),
      onUpdate: (previous, node) => {
        if (!semanticEqual(noExecuteTaints(previous), noExecuteTaints(node))) this.#nodeChanged(node);
      },
      onDelete: (node) => this.#nodeChanged({ ...node, spec: { ...node.spec, taints: [] } }),
    });
    pods.addEventHandler({
      onAdd: (pod) => this.#podChanged(pod),
      onUpdate: (previous, pod) => {
        const isSame =
          previous.spec?.nodeName === pod.spec?.nodeName &&
          semanticEqual(previous.spec?.tolerations, pod.spec?.tolerations);
        if (!isSame) this.#podChanged(pod);
      },
      onDelete: (pod) => this.#cancel(namespacedName(pod)),
    });
  }

  get pending(): number {
    return this.#scheduled.size + this.#due.pending;
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      for (const key of [...this.#scheduled.keys()]) this.#cancel(key);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    await runWorkers(this.#due, 8, signal, this.name, (key) => this.#evict(key), 5);
  }

  #nodeChanged(node: KubeObject): void {
    const taints = noExecuteTaints(node);
    for (const pod of this.#pods.byIndex(nodeNameIndex, node.metadata.name!)) this.#schedule(pod, taints);
  }

  #podChanged(pod: KubeObject): void {
    const node = pod.spec?.nodeName ? this.#nodes.get(undefined, pod.spec.nodeName) : undefined;
    if (node !== undefined) this.#schedule(pod, noExecuteTaints(node));
  }

  #schedule(pod: KubeObject, taints: readonly Taint[]): void {
    const key = namespacedName(pod);
    const existing = this.#scheduled.get(key);
    if (pod.metadata.deletionTimestamp !== undefined) return this.#cancel(key);
    const time = taints.length === 0 ? Infinity : tolerationTime(taints, pod.spec?.tolerations ?? []);
    if (time === Infinity) {
      if (existing !== undefined) this.#event(pod, `Cancelling deletion of Pod ${key}`);
      return this.#cancel(key);
    }
    const { clock } = this.#context;
    const now = clock.now();
    if (existing !== undefined && existing.uid === pod.metadata.uid) {
      if (existing.createdAt + time >= existing.fireAt) return;
    }
    const createdAt = existing?.uid === pod.metadata.uid ? existing!.createdAt : now;
    this.#cancel(key);
    const fireAt = Math.max(now, createdAt + time);
    const timer = clock.setTimeout(() => {
      this.#scheduled.delete(key);
      this.#due.add(key);
    }, fireAt - now);
    this.#scheduled.set(key, { createdAt, fireAt, timer, uid: pod.metadata.uid! });
  }

  #cancel(key: string): void {
    const existing = this.#scheduled.get(key);
    if (existing === undefined) return;
    this.#context.clock.clearTimeout(existing.timer);
    this.#scheduled.delete(key);
  }

  #event(pod: KubeObject, message: string): void {
    const about = { ...pod, apiVersion: "v1", kind: "Pod" };
    this.#recorder.event(about, "Normal", "TaintManagerEviction", message);
  }

  async #evict(key: string): Promise<void> {
    const { namespace, name } = splitNamespacedName(key);
    const pod = this.#pods.get(namespace, name);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    const { client, clock } = this.#context;
    this.#event(pod, `Marking for deletion Pod ${key}`);
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      lastTransitionTime: formatTime(clock.now()),
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
    };
    const { uid } = pod.metadata;
    try {
      if (
        !(pod.status?.conditions ?? []).some(
          ({ type, status }: any) => type === "DisruptionTarget" && status === "True",
        )
      ) {
        const patch = { metadata: { uid }, status: { conditions: [condition] } };
        const type = "application/strategic-merge-patch+json";
        await client.patch(podsResource, namespace, name, type, patch, "status");
      }
      await client.delete(podsResource, namespace, name, { preconditions: { uid: uid! } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function noExecuteTaints(node: KubeObject): Taint[] {
  return taintsOf(node).filter(({ effect }) => effect === "NoExecute");
}

export function newTaintEvictionController(context: ControllerContext): TaintEvictionController {
  return new TaintEvictionController(context);
}
