import type { KubeObject } from "../../apimachinery/meta.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { Lister } from "../../informers/interfaces.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import type { DiscoveredResources } from "../discovery.ts";
import { serverPreferredResources } from "../discovery.ts";
import { namespacesResource, podsResource } from "../gvrs.ts";
import { runWorkers } from "../run-workers.ts";
import { NamespacedResourcesDeleter } from "./namespaced-resources-deleter.ts";

export interface NamespaceControllerOptions {
  /** The resources that may have objects; by default all that discovery names. */
  discover?: () => Promise<DiscoveredResources>;
  /** Wait after the deletion began until every API server knows and refuses new content. Upstream's is 5 s. */
  deletionGraceMilliseconds?: number;
}

/**
 * Deletes the content of terminating namespaces. Sends nothing for active ones.
 * Mirrors pkg/controller/namespace/namespace_controller.go (1.36).
 */
export class NamespaceController implements Controller {
  readonly name = "namespace-controller";
  readonly #queue;
  readonly #namespaces: Lister;
  readonly #pods: Lister;
  readonly #deleter: NamespacedResourcesDeleter;
  readonly #workers: number;

  constructor(context: ControllerContext, options: NamespaceControllerOptions = {}, workers = 5) {
    this.#workers = workers;
    this.#queue = newRateLimitingQueue(context.clock);
    const discover = options.discover ?? (() => serverPreferredResources(context.client));
    this.#deleter = new NamespacedResourcesDeleter(context.client, context.clock, discover);
    const grace = options.deletionGraceMilliseconds ?? 1500;
    const namespaces = context.informers.forResource(namespacesResource);
    this.#namespaces = namespaces.lister;
    namespaces.addEventHandler({
      onAdd: ({ metadata }) => {
        if (metadata.deletionTimestamp !== undefined) this.#queue.addAfter(metadata.name!, grace);
      },
      onUpdate: (previous, { metadata }) => {
        // Only the beginning counts: the conditions that a pass writes must not start the next.
        const began = previous.metadata.deletionTimestamp === undefined || previous.metadata.uid !== metadata.uid;
        if (metadata.deletionTimestamp !== undefined && began) this.#queue.addAfter(metadata.name!, grace);
      },
    });
    const pods = context.informers.forResource(podsResource);
    this.#pods = pods.lister;
    pods.addEventHandler({ onDelete: (pod) => this.#podDeleted(pod) });
  }

  /** The last pod of a terminating namespace lets the rest go on before the estimated time. */
  #podDeleted(pod: KubeObject): void {
    const namespace = pod.metadata.namespace!;
    if (this.#namespaces.get(undefined, namespace)?.metadata.deletionTimestamp === undefined) return;
    if (this.#pods.list(namespace).length === 0) this.#queue.add(namespace);
  }

  get pending(): number {
    return this.#queue.pending;
  }

  run(signal: AbortSignal): Promise<void> {
    return runWorkers(this.#queue, this.#workers, signal, this.name, (name) => this.sync(name));
  }

  /** One pass over one namespace; throws to be retried. Public for tests. */
  async sync(name: string): Promise<void> {
    const namespace = this.#namespaces.get(undefined, name);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    const seconds = await this.#deleter.delete(name);
    if (seconds > 0) this.#queue.addAfter(name, (Math.floor(seconds / 2) + 1) * 1000);
  }
}

export function newNamespaceController(
  context: ControllerContext,
  options?: NamespaceControllerOptions,
): NamespaceController {
  return new NamespaceController(context, options);
}
