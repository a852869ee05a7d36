import type { KubeObject } from "../../apimachinery/meta.ts";
import type { BatchOperation, BatchResult, Client } from "../../client/interfaces.ts";
import type { Lister } from "../../informers/interfaces.ts";
import type { CriImage } from "../cri/interfaces.ts";
import type { NodeEvents } from "./node-events.ts";
import type { QueuedTimer, TimerQueue } from "../timer-queue.ts";
import { initialNode, isReady, nodeStatusPatch } from "./node-status.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";

export interface NodeRegistrationOptions {
  client: Client;
  timers: TimerQueue;
  nodes: Lister;
  machines: readonly SimulatedMachine[];
  imagesOf: (nodeName: string) => Promise<CriImage[]>;
  events: NodeEvents;
  onError: (error: unknown) => void;
}

interface NodeRecord {
  machine: SimulatedMachine;
  /** "unknown": not yet registered; "gone": someone deleted the Node, and it stays deleted. */
  state: "unknown" | "registered" | "gone";
  /** Registered by this process, so its Lease does not exist yet. */
  created: boolean;
  uid: string;
  lastReport: number;
  unschedulable: boolean;
}

const batchLimit = 500;
/** nodeStatusReportFrequency */
const reportMilliseconds = 300_000;
/** nodeStatusUpdateFrequency: how soon a status that someone changed is put right. */
const repairMilliseconds = 10_000;

/**
 * The Node objects of a pool's kubelets: registration, and a status that is written when it has changed or is five
 * minutes old, for all nodes in one batch (pkg/kubelet/kubelet_node_status.go, 1.36). Reports can be paused.
 */
export class NodeRegistration {
  readonly #options: NodeRegistrationOptions;
  readonly #records = new Map<string, NodeRecord>();
  #paused = false;
  #timer: QueuedTimer | undefined;
  #syncing = false;

  constructor(options: NodeRegistrationOptions) {
    this.#options = options;
    for (const machine of options.machines) {
      this.#records.set(machine.name, {
        machine,
        state: "unknown",
        created: false,
        uid: "",
        lastReport: 0,
        unschedulable: false,
      });
    }
  }

  has(name: string): boolean {
    return this.#records.has(name);
  }

  /** Nodes that have not been registered. */
  get unregistered(): number {
    return [...this.#records.values()].filter(({ state }) => state === "unknown").length;
  }

  /** Nodes that renew Leases. */
  registeredNodes(): { name: string; uid: string; created: boolean }[] {
    return [...this.#records.values()]
      .filter(({ state }) => state === "registered")
      .map(({ machine, uid, created }) => ({ name: machine.name, uid, created }));
  }

  /** Creates the Nodes that do not exist. Throws when the API server cannot be reached; those that failed stay unregistered. */
  async register(): Promise<void> {
    const { nodes, client, timers } = this.#options;
    const missing: NodeRecord[] = [];
    const stale: NodeRecord[] = [];
    for (const record of this.#records.values()) {
      if (record.state !== "unknown") continue;
      const known = nodes.get(undefined, record.machine.name);
      if (known === undefined) missing.push(record);
      else if (this.#adopt(record, known)) stale.push(record);
    }
    await this.#batch(
      missing.map((record) => ({
        operation: { method: "POST", path: "/api/v1/nodes", body: initialNode(record.machine, timers.now()) },
        done: (result) => {
          if (result.code !== 201) return false;
          record.created = true;
          this.#options.events.started(record.machine.name);
          if (this.#adopt(record, result.body)) stale.push(record);
          return true;
        },
      })),
    );
    const unanswered = missing.filter(({ state }) => state === "unknown");
    if (unanswered.length > 0) {
      // Created by an earlier life of this pool that the informer has not told of yet.
      for (const record of unanswered) {
        const found = await client
          .get({ group: "", version: "v1", resource: "nodes" }, undefined, record.machine.name)
          .catch(() => undefined);
        if (found !== undefined && this.#adopt(record, found)) stale.push(record);
      }
    }
    if (stale.length > 0) await this.#report(stale);
    this.#schedule();
  }

  handleNode(node: KubeObject): void {
    const record = this.#records.get(node.metadata.name ?? "");
    if (record === undefined || record.state === "unknown") return;
    record.state = "registered";
    record.uid = node.metadata.uid ?? "";
    const unschedulable = node.spec?.unschedulable === true;
    if (unschedulable !== record.unschedulable) this.#options.events.schedulable(record.machine.name, !unschedulable);
    record.unschedulable = unschedulable;
    if (!isReady(node)) this.#schedule();
  }

  handleNodeDeletion(node: KubeObject): void {
    const record = this.#records.get(node.metadata.name ?? "");
    if (record?.state === "registered") record.state = "gone";
  }

  pause(): void {
    this.#paused = true;
    this.#options.timers.cancel(this.#timer);
  }

  /** Reports at once what was overdue or put to another state meanwhile. */
  resume(): void {
    this.#paused = false;
    this.#schedule(0);
  }

  /** Whether the object lacks something of what was to be registered. */
  #adopt(record: NodeRecord, node: KubeObject): boolean {
    const { timers } = this.#options;
    record.state = "registered";
    record.uid = node.metadata.uid ?? "";
    record.unschedulable = node.spec?.unschedulable === true;
    record.lastReport = heartbeatOf(node) ?? 0;
    if (!isReady(node)) return true;
    return Object.keys(nodeStatusPatch(record.machine, node, undefined, timers.now())).length > 1;
  }

  #schedule(repair = repairMilliseconds): void {
    const { timers, nodes } = this.#options;
    if (this.#paused || this.#syncing) return;
    let due: number | undefined;
    for (const record of this.#records.values()) {
      if (record.state !== "registered") continue;
      const node = nodes.get(undefined, record.machine.name);
      const next =
        node !== undefined && !isReady(node) ? timers.now() + repair : record.lastReport + reportMilliseconds;
      due = Math.min(due ?? next, next);
    }
    if (this.#timer?.callback !== undefined && this.#timer.due <= (due ?? 0)) return;
    timers.cancel(this.#timer);
    this.#timer = due === undefined ? undefined : timers.at(due, () => void this.#sync());
  }

  async #sync(): Promise<void> {
    const { timers, nodes, onError } = this.#options;
    this.#syncing = true;
    try {
      const now = timers.now();
      const due = [...this.#records.values()].filter((record) => {
        if (record.state !== "registered") return false;
        if (record.lastReport + reportMilliseconds <= now) return true;
        const node = nodes.get(undefined, record.machine.name);
        return node !== undefined && !isReady(node);
      });
      await this.#report(due);
    } catch (error) {
      onError(error);
      for (const record of this.#records.values()) {
        record.lastReport = Math.max(record.lastReport, timers.now() - reportMilliseconds + repairMilliseconds);
      }
    } finally {
      this.#syncing = false;
      this.#schedule();
    }
  }

  async #report(records: readonly NodeRecord[]): Promise<void> {
    const { timers, nodes, imagesOf } = this.#options;
    const prepared: Prepared[] = [];
    for (const record of records) {
      const { machine } = record;
      const node = nodes.get(undefined, machine.name) ?? { metadata: {} };
      const status = nodeStatusPatch(machine, node, await imagesOf(machine.name), timers.now());
      prepared.push({
        operation: {
          method: "PATCH",
          path: `/api/v1/nodes/${encodeURIComponent(machine.name)}/status`,
          contentType: "application/strategic-merge-patch+json",
          body: { status },
        },
        done: (result) => {
          record.lastReport = timers.now();
          if (result.code === 404) record.state = "gone";
          return result.code < 300 || result.code === 404;
        },
      });
    }
    await this.#batch(prepared);
  }

  async #batch(prepared: readonly Prepared[]): Promise<void> {
    for (let start = 0; start < prepared.length; start += batchLimit) {
      const part = prepared.slice(start, start + batchLimit);
      const results = await this.#options.client.batch(part.map(({ operation }) => operation));
      part.forEach(({ operation, done }, index) => {
        const result = results[index];
        if (result !== undefined && (done(result) || result.code === 409)) return;
        const message = `${operation.method} ${operation.path}: ${result?.code} ${result?.body?.message ?? ""}`;
        this.#options.onError(new Error(message));
      });
    }
  }
}

interface Prepared {
  operation: BatchOperation;
  /** Whether the result settles the operation. */
  done: (result: BatchResult) => boolean;
}

function heartbeatOf(node: KubeObject): number | undefined {
  const ready = (node.status?.conditions ?? []).find(({ type }: { type: string }) => type === "Ready");
  const time = Date.parse(ready?.lastHeartbeatTime ?? "");
  return Number.isNaN(time) ? undefined : time;
}
