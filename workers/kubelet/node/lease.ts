import { formatMicroTime } from "../../apimachinery/clock.ts";
import type { BatchOperation, Client } from "../../client/interfaces.ts";
import type { QueuedTimer, TimerQueue } from "../timer-queue.ts";

export interface LeasesOptions {
  client: Client;
  timers: TimerQueue;
  /** The nodes to renew for. `created`: this process has just registered the node. */
  nodes: () => { name: string; uid: string; created: boolean }[];
  onError: (error: unknown) => void;
}

const leaseDurationSeconds = 40;
/** A quarter of the duration (nodeLeaseRenewIntervalFraction). */
const renewMilliseconds = 10_000;
const batchLimit = 500;
const leasesPath = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

/**
 * Node heartbeats: the Leases of all nodes of a pool, renewed together every ten seconds in one batch. Mirrors
 * component-helpers' apimachinery/lease (1.36). A Lease that someone deleted is created again.
 */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #existing = new Set<string>();
  readonly #missing = new Set<string>();
  #timer: QueuedTimer | undefined;
  #running = false;
  #renewing = false;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** Renews all now, then every ten seconds. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    if (!this.#renewing) void this.#renewAll();
  }

  stop(): void {
    this.#running = false;
    this.#options.timers.cancel(this.#timer);
  }

  async #renewAll(): Promise<void> {
    const { client, timers, nodes, onError } = this.#options;
    this.#renewing = true;
    const startedAt = timers.now();
    try {
      let left = nodes();
      // A second round for those that turned out to exist, or not to.
      for (let round = 0; round < 2 && left.length > 0; round++) {
        const again: typeof left = [];
        for (let start = 0; start < left.length; start += batchLimit) {
          const part = left.slice(start, start + batchLimit);
          const results = await client.batch(part.map((node) => this.#operationFor(node)));
          part.forEach((node, index) => {
            const code = results[index]?.code ?? 0;
            if (code < 300) this.#note(node.name, true);
            else if (code === 404 && this.#expectsLease(node)) {
              this.#note(node.name, false);
              again.push(node);
            } else if (code === 409) {
              this.#note(node.name, true);
              again.push(node);
            } else onError(new Error(`lease ${node.name}: ${code} ${results[index]?.body?.message ?? ""}`));
          });
        }
        left = again;
      }
    } catch (error) {
      onError(error);
    } finally {
      this.#renewing = false;
      if (this.#running) this.#timer = timers.at(startedAt + renewMilliseconds, () => void this.#renewAll());
    }
  }

  #expectsLease(node: { name: string; created: boolean }): boolean {
    return this.#existing.has(node.name) || (!node.created && !this.#missing.has(node.name));
  }

  #note(name: string, exists: boolean): void {
    (exists ? this.#existing : this.#missing).add(name);
    (exists ? this.#missing : this.#existing).delete(name);
  }

  #operationFor(node: { name: string; uid: string; created: boolean }): BatchOperation {
    const renewTime = formatMicroTime(this.#options.timers.now());
    const spec = { holderIdentity: node.name, leaseDurationSeconds, renewTime };
    if (this.#expectsLease(node)) {
      return {
        method: "PATCH",
        path: `${leasesPath}/${encodeURIComponent(node.name)}`,
        contentType: "application/merge-patch+json",
        body: { spec },
      };
    }
    const owner = { apiVersion: "v1", kind: "Node", name: node.name, uid: node.uid };
    return {
      method: "POST",
      path: leasesPath,
      body: {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: node.name, namespace: "kube-node-lease", ownerReferences: [owner] },
        spec,
      },
    };
  }
}
