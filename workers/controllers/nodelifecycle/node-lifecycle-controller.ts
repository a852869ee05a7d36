import { formatTime } from "../../apimachinery/clock.ts";
import type { TimerHandle } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isConflict, isNotFound } from "../../apimachinery/status-errors.ts";
import { resourcePath } from "../../client/resource-path.ts";
import type { EventRecorder } from "../../client/events/event-recorder.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { Lister } from "../../informers/interfaces.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import { leasesResource, nodesResource, podsResource } from "../gvrs.ts";
import { handleError } from "../handle-error.ts";
import { ensureIndex } from "../indexes.ts";
import { isPodReady, parseTime } from "../pod-utils.ts";
import { runBatch } from "../run-batch.ts";
import { runWorkers } from "../run-workers.ts";
import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import type { Taint } from "../taints.ts";
import { taintsOf } from "../taints.ts";
import { NodeHealthMonitor } from "./node-health.ts";
import {
  hasNoExecuteTaint,
  noExecuteTaint,
  readyStatus,
  withNoExecuteTaint,
  withNoScheduleTaints,
} from "./node-taints.ts";
import { EvictionQueue, evictionRate, zoneOf, zoneStates } from "./zones.ts";
import type { ZoneOptions, ZoneState } from "./zones.ts";

/** A node of this age is announced even by a controller that has just started. */
const newNodeMilliseconds = 60_000;

const leaseNamespace = "kube-node-lease";
export const nodeNameIndex = "spec.nodeName";

/** kube-controller-manager's flags and their defaults. */
export interface NodeLifecycleOptions extends Partial<ZoneOptions> {
  nodeMonitorPeriodMilliseconds?: number;
  nodeMonitorGracePeriodMilliseconds?: number;
  nodeStartupGracePeriodMilliseconds?: number;
}

/**
 * Notices nodes that fall silent: conditions become Unknown, the node is tainted, its pods are marked not ready. Silence
 * counts only while this loop runs: after a gap between two rounds (the host slept) every node has a new grace period.
 * A round that finds nothing new sends nothing. `pending` does not count the rounds themselves: where nobody sends
 * heartbeats and nothing is left to do, the host may sleep.
 * Mirrors pkg/controller/nodelifecycle/node_lifecycle_controller.go (1.36).
 */
export class NodeLifecycleController implements Controller {
  readonly name = "node-lifecycle-controller";
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #queue;
  readonly #nodes: Lister;
  readonly #pods: Lister;
  readonly #leases: Lister;
  readonly #health: NodeHealthMonitor;
  readonly #zoneOptions: ZoneOptions;
  readonly #periodMilliseconds: number;
  readonly #evictions = new Map<string, EvictionQueue>();
  readonly #known = new Set<string>();
  /** Nodes whose pods still have to be marked not ready. */
  readonly #podsToMark = new Set<string>();
  #isFirstRound = true;
  #lastRoundAt: number | undefined;
  #allDisrupted = false;
  /** Nodes whose turn to be tainted for eviction will come. */
  #evictable = 0;

  constructor(context: ControllerContext, options: NodeLifecycleOptions = {}) {
    this.#context = context;
    this.#recorder = context.recorder("node-controller");
    this.#queue = newRateLimitingQueue(context.clock);
    this.#periodMilliseconds = options.nodeMonitorPeriodMilliseconds ?? 5000;
    this.#zoneOptions = {
      evictionRate: options.evictionRate ?? 0.1,
      secondaryEvictionRate: options.secondaryEvictionRate ?? 0.01,
      largeClusterSizeThreshold: options.largeClusterSizeThreshold ?? 50,
      unhealthyZoneThreshold: options.unhealthyZoneThreshold ?? 0.55,
    };
    this.#health = new NodeHealthMonitor({
      gracePeriodMilliseconds: options.nodeMonitorGracePeriodMilliseconds ?? 50_000,
      startupGracePeriodMilliseconds: options.nodeStartupGracePeriodMilliseconds ?? 60_000,
    });
    const nodes = context.informers.forResource(nodesResource);
    const pods = context.informers.forResource(podsResource);
    this.#nodes = nodes.lister;
    this.#pods = pods.lister;
    this.#leases = context.informers.forResource(leasesResource).lister;
    ensureIndex(pods, nodeNameIndex, (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []));
    nodes.addEventHandler({
      onAdd: (node) => this.#queue.add(node.metadata.name!),
      onUpdate: (_previous, node) => this.#queue.add(node.metadata.name!),
    });
  }

  get pending(): number {
    return this.#queue.pending + this.#podsToMark.size + this.#evictable;
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      runWorkers(this.#queue, 1, signal, this.name, (name) => this.syncTaints(name)),
      this.#monitorLoop(signal),
    ]);
  }

  async #monitorLoop(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    while (!signal.aborted) {
      await this.monitorNodeHealth().catch((error: unknown) => handleError(this.name, "error monitoring nodes", error));
      await new Promise<void>((resolve) => {
        const timer: TimerHandle = clock.setTimeout(() => {
          signal.removeEventListener("abort", wake);
          resolve();
        }, this.#periodMilliseconds);
        const wake = (): void => {
          clock.clearTimeout(timer);
          resolve();
        };
        signal.addEventListener("abort", wake, { once: true });
        if (signal.aborted) wake();
      });
    }
  }

  /** Brings the NoSchedule taints of one node in line with its conditions. Public for tests. */
  async syncTaints(name: string): Promise<void> {
    const node = this.#nodes.get(undefined, name);
    if (node === undefined) return;
    await this.#writeTaints(node, (each) => withNoScheduleTaints(each, this.#context.clock.now()));
  }

  /** One round over all nodes. Public for tests. */
  async monitorNodeHealth(): Promise<void> {
    const now = this.#context.clock.now();
    const isLate = this.#lastRoundAt !== undefined && now - this.#lastRoundAt > 3 * this.#periodMilliseconds;
    this.#lastRoundAt = now;
    if (isLate) this.#health.restart(now);
    const nodes = this.#nodes.list();
    this.#classify(nodes, now);
    const current: KubeObject[] = [];
    for (const node of nodes) {
      try {
        current.push(await this.#judge(node, now));
      } catch (error) {
        if (!isNotFound(error)) handleError(this.name, `error judging node ${node.metadata.name}`, error);
      }
    }
    await this.#handleDisruption(current, now);
  }

  #classify(nodes: readonly KubeObject[], now: number): void {
    const names = new Set(nodes.map(({ metadata }) => metadata.name!));
    for (const node of nodes) {
      const name = node.metadata.name!;
      if (this.#known.has(name)) continue;
      this.#known.add(name);
      // After a restart all nodes look new; those that are not were announced before.
      const age = now - (parseTime(node.metadata.creationTimestamp) ?? 0);
      if (this.#isFirstRound && age > newNodeMilliseconds) continue;
      this.#event(node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
    }
    this.#isFirstRound = false;
    for (const name of [...this.#known]) {
      if (names.has(name)) continue;
      this.#known.delete(name);
      this.#health.forget(name);
      this.#podsToMark.delete(name);
      for (const queue of this.#evictions.values()) queue.remove(name);
      const gone = { apiVersion: "v1", kind: "Node", metadata: { name, uid: name } };
      this.#event(gone, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
    }
  }

  #event(node: KubeObject, reason: string, message: string): void {
    this.#recorder.event({ ...node, apiVersion: "v1", kind: "Node" }, "Normal", reason, message);
  }

  /** Updates one node's conditions and what follows from them; gives the node as it is afterwards. */
  async #judge(node: KubeObject, now: number): Promise<KubeObject> {
    const name = node.metadata.name!;
    const conditions = this.#health.judge(node, this.#leases.get(leaseNamespace, name), now);
    if (conditions !== undefined) {
      const wasReady = readyStatus(node) === "True";
      const updated = { ...node, apiVersion: "v1", kind: "Node", status: { ...node.status, conditions } };
      try {
        node = await this.#context.client.update<KubeObject>(nodesResource, updated, "status");
      } catch (error) {
        // The node has changed since: a sign of life, or the next round sees it.
        if (isConflict(error)) return node;
        throw error;
      }
      if (wasReady) {
        this.#event(node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
        this.#podsToMark.add(name);
      }
    }
    if (this.#podsToMark.has(name)) {
      if (readyStatus(node) === "True" || (await this.#markPodsNotReady(name, now))) this.#podsToMark.delete(name);
    }
    return node;
  }

  /** Whether all pods of the node are marked. */
  async #markPodsNotReady(nodeName: string, now: number): Promise<boolean> {
    const pods = this.#pods.byIndex(nodeNameIndex, nodeName).filter(isPodReady);
    const operations = pods.map((pod) => ({
      method: "PUT" as const,
      path: resourcePath(podsResource, pod.metadata.namespace, pod.metadata.name, "status"),
      body: { ...pod, apiVersion: "v1", kind: "Pod", status: { ...pod.status, conditions: notReady(pod, now) } },
    }));
    const outcomes = await runBatch(this.#context.client, operations);
    let done = true;
    for (const [index, pod] of pods.entries()) {
      const error = outcomes[index]!.error;
      if (error === undefined) {
        const about = { ...pod, apiVersion: "v1", kind: "Pod" };
        this.#recorder.event(about, "Warning", "NodeNotReady", "Node is not ready");
      } else if (!isNotFound(error)) {
        done = false;
        handleError(this.name, `error marking pod ${pod.metadata.namespace}/${pod.metadata.name} not ready`, error);
      }
    }
    return done;
  }

  /** Taints nodes for eviction at the rate of their zone; stops all evictions when no zone has a node that is ready. */
  async #handleDisruption(nodes: readonly KubeObject[], now: number): Promise<void> {
    const states = zoneStates(nodes, this.#zoneOptions);
    const allDisrupted = states.size > 0 && [...states.values()].every((state) => state === "FullDisruption");
    if (this.#allDisrupted && !allDisrupted) this.#health.restart(now);
    this.#allDisrupted = allDisrupted;
    for (const node of nodes) {
      const name = node.metadata.name!;
      const queue = this.#evictionQueue(zoneOf(node));
      const ready = readyStatus(node);
      const isReported = (node.status?.conditions ?? []).some(({ type }: any) => type === "Ready");
      if (ready === "True" || allDisrupted) {
        queue.remove(name);
        await this.#taint(node, undefined, now);
      } else if (hasNoExecuteTaint(node)) {
        queue.remove(name);
        await this.#taint(node, noExecuteTaint(ready), now);
      } else if (isReported) {
        queue.add(name);
      }
    }
    await this.#evict(nodes, states, now);
  }

  async #evict(nodes: readonly KubeObject[], states: ReadonlyMap<string, ZoneState>, now: number): Promise<void> {
    const byName = new Map(nodes.map((node) => [node.metadata.name!, node]));
    this.#evictable = 0;
    for (const [zone, queue] of this.#evictions) {
      const state = states.get(zone);
      if (state === undefined) {
        this.#evictions.delete(zone);
        continue;
      }
      const size = nodes.filter((node) => zoneOf(node) === zone).length;
      const rate = evictionRate(state, size, this.#zoneOptions);
      const name = queue.take(now, rate);
      if (rate > 0) this.#evictable += queue.size;
      const node = name === undefined ? undefined : byName.get(name);
      if (node !== undefined) await this.#taint(node, noExecuteTaint(readyStatus(node)), now);
    }
  }

  #evictionQueue(zone: string): EvictionQueue {
    let queue = this.#evictions.get(zone);
    if (queue === undefined) this.#evictions.set(zone, (queue = new EvictionQueue()));
    return queue;
  }

  /** Sets or removes the NoExecute taint, along with the NoSchedule taints that are due. */
  #taint(node: KubeObject, taint: Taint | undefined, now: number): Promise<void> {
    return this.#writeTaints(node, (each) => {
      const spec = { ...each.spec, taints: withNoScheduleTaints(each, now) };
      return withNoExecuteTaint({ ...each, spec }, taint, now);
    });
  }

  /** Writes taints if they differ; a lost race is decided anew on the live node. */
  async #writeTaints(node: KubeObject, taintsFor: (node: KubeObject) => Taint[]): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const taints = taintsFor(node);
      if (semanticEqual(taints, taintsOf(node))) return;
      const { name, uid, resourceVersion } = node.metadata;
      const patch = { metadata: { uid, resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } };
      try {
        await this.#context.client.patch(nodesResource, undefined, name!, "application/merge-patch+json", patch);
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || attempt === 4) throw error;
        node = await this.#context.client.get(nodesResource, undefined, name!);
        if (node.metadata.uid !== uid) return;
      }
    }
  }
}

function notReady(pod: KubeObject, now: number): any[] {
  return pod.status.conditions.map((condition: any) =>
    condition.type === "Ready" ? { ...condition, status: "False", lastTransitionTime: formatTime(now) } : condition,
  );
}

export function newNodeLifecycleController(
  context: ControllerContext,
  options?: NodeLifecycleOptions,
): NodeLifecycleController {
  return new NodeLifecycleController(context, options);
}
