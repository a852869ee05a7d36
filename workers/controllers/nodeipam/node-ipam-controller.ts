import type { KubeObject } from "../../apimachinery/meta.ts";
import { isNotFound } from "../../apimachinery/status-errors.ts";
import type { EventRecorder } from "../../client/events/event-recorder.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { Lister } from "../../informers/interfaces.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import { nodesResource } from "../gvrs.ts";
import { runWorkers } from "../run-workers.ts";
import { CIDRSet } from "./cidr-set.ts";

export interface NodeIPAMOptions {
  clusterCIDR?: string;
  nodeCIDRMaskSize?: number;
}

/**
 * Gives every node its own range of pod addresses. What nodes hold is learnt from the informer before the first range
 * is given, so that a restart gives none twice. Mirrors pkg/controller/nodeipam/ipam/range_allocator.go (1.36).
 */
export class NodeIPAMController implements Controller {
  readonly name = "node-ipam-controller";
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #queue;
  readonly #nodes: Lister;
  readonly #cidrs: CIDRSet;

  constructor(context: ControllerContext, options: NodeIPAMOptions = {}) {
    this.#context = context;
    this.#recorder = context.recorder("cidrAllocator");
    this.#queue = newRateLimitingQueue(context.clock);
    this.#cidrs = new CIDRSet(options.clusterCIDR ?? "10.244.0.0/16", options.nodeCIDRMaskSize ?? 24);
    const nodes = context.informers.forResource(nodesResource);
    this.#nodes = nodes.lister;
    nodes.addEventHandler({
      onAdd: (node) => this.#observe(node),
      onUpdate: (_previous, node) => this.#observe(node),
      onDelete: (node) => {
        for (const cidr of cidrsOf(node)) this.#cidrs.release(cidr);
        for (const other of this.#nodes.list()) if (cidrsOf(other).length === 0) this.#queue.add(other.metadata.name!);
      },
    });
  }

  #observe(node: KubeObject): void {
    const cidrs = cidrsOf(node);
    for (const cidr of cidrs) this.#cidrs.occupy(cidr);
    if (cidrs.length === 0) this.#queue.add(node.metadata.name!);
  }

  get pending(): number {
    return this.#queue.pending;
  }

  run(signal: AbortSignal): Promise<void> {
    return runWorkers(this.#queue, 30, signal, this.name, (name) => this.sync(name));
  }

  /** Gives one node its range; throws to be retried. Public for tests. */
  async sync(name: string): Promise<void> {
    const node = this.#nodes.get(undefined, name);
    if (node === undefined || cidrsOf(node).length > 0 || node.metadata.deletionTimestamp !== undefined) return;
    const cidr = this.#cidrs.allocateNext();
    if (cidr === undefined) {
      const about = { ...node, apiVersion: "v1", kind: "Node" };
      this.#recorder.event(about, "Normal", "CIDRNotAvailable", `Node ${name} status is now: CIDRNotAvailable`);
      // A range comes free when a node goes; asking again before would change nothing.
      return;
    }
    const { uid } = node.metadata;
    const patch = { metadata: { uid }, spec: { podCIDR: cidr, podCIDRs: [cidr] } };
    try {
      await this.#context.client.patch(nodesResource, undefined, name, "application/merge-patch+json", patch);
    } catch (error) {
      this.#cidrs.release(cidr);
      if (!isNotFound(error)) throw error;
    }
  }
}

function cidrsOf(node: KubeObject): string[] {
  return node.spec?.podCIDRs ?? (node.spec?.podCIDR ? [node.spec.podCIDR] : []);
}

export function newNodeIPAMController(context: ControllerContext, options?: NodeIPAMOptions): NodeIPAMController {
  return new NodeIPAMController(context, options);
}
