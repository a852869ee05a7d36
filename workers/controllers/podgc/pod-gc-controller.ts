import { formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { namespacedName } from "../../apimachinery/meta.ts";
import { isNotFound } from "../../apimachinery/status-errors.ts";
import type { BatchOperation } from "../../client/interfaces.ts";
import { resourcePath } from "../../client/resource-path.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { Lister } from "../../informers/interfaces.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import { nodesResource, podsResource } from "../gvrs.ts";
import { ensureIndex } from "../indexes.ts";
import { readyStatus } from "../nodelifecycle/node-taints.ts";
import { nodeNameIndex } from "../nodelifecycle/node-lifecycle-controller.ts";
import { isPodTerminal, parseTime } from "../pod-utils.ts";
import { runBatch } from "../run-batch.ts";
import { runWorkers } from "../run-workers.ts";
import { taintsOf } from "../taints.ts";

export interface PodGCOptions {
  /** Finished pods beyond this number are deleted, the oldest first; 0 keeps all. */
  terminatedPodThreshold?: number;
}

const gcPeriodMilliseconds = 20_000;
/** A node that is missing this long, and in a live read too, is gone. */
const quarantineMilliseconds = 40_000;

const outOfServiceTaint = "node.kubernetes.io/out-of-service";

const disruptionTarget = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByPodGC",
  message: "PodGC: node no longer exists",
};

/** The only key of the queue: a round looks at all pods. */
const round = "gc";

/**
 * Force-deletes pods that nobody else will: of nodes that are gone, terminating ones that were never scheduled or sit on
 * nodes out of service, finished ones beyond a threshold. A round is due only after something that it may act upon was
 * seen; an ordinary cluster has none. Mirrors pkg/controller/podgc/gc_controller.go (1.36), which polls.
 */
export class PodGCController implements Controller {
  readonly name = "pod-garbage-collector-controller";
  readonly #context: ControllerContext;
  readonly #queue;
  readonly #pods: Lister;
  readonly #nodes: Lister;
  readonly #threshold: number;
  readonly #finished = new Set<string>();
  /** Missing nodes and since when. */
  readonly #quarantine = new Map<string, number>();

  constructor(context: ControllerContext, options: PodGCOptions = {}) {
    this.#context = context;
    this.#threshold = options.terminatedPodThreshold ?? 12_500;
    this.#queue = newRateLimitingQueue(context.clock);
    const pods = context.informers.forResource(podsResource);
    const nodes = context.informers.forResource(nodesResource);
    this.#pods = pods.lister;
    this.#nodes = nodes.lister;
    ensureIndex(pods, nodeNameIndex, (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []));
    pods.addEventHandler({
      onAdd: (pod) => this.#observe(pod),
      onUpdate: (_previous, pod) => this.#observe(pod),
      onDelete: (pod) => this.#finished.delete(namespacedName(pod)),
    });
    nodes.addEventHandler({
      onUpdate: (_previous, node) => {
        if (isOutOfService(node)) this.#requestRound();
      },
      onDelete: ({ metadata }) => {
        if (this.#pods.byIndex(nodeNameIndex, metadata.name!).length > 0) this.#requestRound();
      },
    });
  }

  #observe(pod: KubeObject): void {
    if (isPodTerminal(pod)) this.#finished.add(namespacedName(pod));
    const tooMany = this.#threshold > 0 && this.#finished.size > this.#threshold;
    if (tooMany || this.#isOrphan(pod) || this.#isStuck(pod)) this.#requestRound();
  }

  #requestRound(): void {
    this.#queue.addAfter(round, gcPeriodMilliseconds);
  }

  #isOrphan({ spec }: KubeObject): boolean {
    return Boolean(spec?.nodeName) && this.#nodes.get(undefined, spec.nodeName) === undefined;
  }

  /** Terminating, and no kubelet will finish it. */
  #isStuck({ metadata, spec }: KubeObject): boolean {
    if (metadata.deletionTimestamp === undefined) return false;
    if (!spec?.nodeName) return true;
    const node = this.#nodes.get(undefined, spec.nodeName);
    return node !== undefined && isOutOfService(node);
  }

  get pending(): number {
    return this.#queue.pending;
  }

  run(signal: AbortSignal): Promise<void> {
    return runWorkers(this.#queue, 1, signal, this.name, () => this.gc());
  }

  /** One round; throws to be retried. Public for tests. */
  async gc(): Promise<void> {
    const pods = this.#pods.list();
    const excess = this.#threshold > 0 ? this.#finished.size - this.#threshold : 0;
    if (excess > 0) {
      await this.#failAndDelete(pods.filter(isPodTerminal).sort(byEvictionAndCreation).slice(0, excess));
    }
    await this.#failAndDelete(pods.filter((pod) => this.#isStuck(pod)));
    const gone = await this.#discoverDeletedNodes(pods);
    const orphans = pods.filter(({ spec }) => gone.has(spec?.nodeName));
    await this.#failAndDelete(orphans, {
      ...disruptionTarget,
      lastTransitionTime: formatTime(this.#context.clock.now()),
    });
  }

  /** Nodes of pods that have been missing long enough, after a live read. */
  async #discoverDeletedNodes(pods: readonly KubeObject[]): Promise<Set<string>> {
    const now = this.#context.clock.now();
    const missing = new Set<string>(pods.filter((pod) => this.#isOrphan(pod)).map(({ spec }) => spec.nodeName));
    for (const name of this.#quarantine.keys()) if (!missing.has(name)) this.#quarantine.delete(name);
    const gone = new Set<string>();
    for (const name of missing) {
      const since = this.#quarantine.get(name) ?? now;
      this.#quarantine.set(name, since);
      const wait = since + quarantineMilliseconds - now;
      if (wait > 0) this.#queue.addAfter(round, wait);
      else if (await this.#isGone(name)) gone.add(name);
      else this.#requestRound();
    }
    return gone;
  }

  async #isGone(nodeName: string): Promise<boolean> {
    try {
      await this.#context.client.get(nodesResource, undefined, nodeName);
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  /** Marks pods failed, so that whoever counts them knows, and deletes them without grace. */
  async #failAndDelete(pods: readonly KubeObject[], condition?: object): Promise<void> {
    const { client } = this.#context;
    const unfinished = pods.filter((pod) => !isPodTerminal(pod));
    const marks: BatchOperation[] = unfinished.map(({ metadata }) => ({
      method: "PATCH",
      path: resourcePath(podsResource, metadata.namespace, metadata.name, "status"),
      contentType: "application/strategic-merge-patch+json",
      body: {
        metadata: { uid: metadata.uid },
        status: { phase: "Failed", ...(condition === undefined ? {} : { conditions: [condition] }) },
      },
    }));
    const failed = new Set<KubeObject>();
    let failure: Error | undefined;
    for (const [index, { error }] of (await runBatch(client, marks)).entries()) {
      if (error === undefined) continue;
      failed.add(unfinished[index]!);
      if (!isNotFound(error)) failure ??= error;
    }
    const deletions: BatchOperation[] = pods
      .filter((pod) => !failed.has(pod))
      .map(({ metadata }) => ({
        method: "DELETE",
        path: resourcePath(podsResource, metadata.namespace, metadata.name),
        body: {
          kind: "DeleteOptions",
          apiVersion: "v1",
          gracePeriodSeconds: 0,
          preconditions: { uid: metadata.uid },
        },
      }));
    for (const { error } of await runBatch(client, deletions)) {
      if (error !== undefined && !isNotFound(error)) failure ??= error;
    }
    if (failure !== undefined) throw failure;
  }
}

function isOutOfService(node: KubeObject): boolean {
  return readyStatus(node) !== "True" && taintsOf(node).some(({ key }) => key === outOfServiceTaint);
}

/** Evicted pods first, then the oldest. */
function byEvictionAndCreation(a: KubeObject, b: KubeObject): number {
  const evicted = Number(b.status?.reason === "Evicted") - Number(a.status?.reason === "Evicted");
  if (evicted !== 0) return evicted;
  const age = (parseTime(a.metadata.creationTimestamp) ?? 0) - (parseTime(b.metadata.creationTimestamp) ?? 0);
  return age !== 0 ? age : a.metadata.name! < b.metadata.name! ? -1 : 1;
}

export function newPodGCController(context: ControllerContext, options?: PodGCOptions): PodGCController {
  return new PodGCController(context, options);
}
