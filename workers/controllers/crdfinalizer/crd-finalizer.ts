import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { formatTime } from "../../apimachinery/clock.ts";
import { isConflict, isNotFound } from "../../apimachinery/status-errors.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { Lister } from "../../informers/interfaces.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import { runWorkers } from "../run-workers.ts";

export const customResourceDefinitionsResource: GroupVersionResource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
};

const finalizer = "customresourcecleanup.apiextensions.k8s.io";

/** How often objects that wait for their own finalizers are looked at again. */
const recheckMilliseconds = 1_000;

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime?: string;
}

export interface CRDFinalizerOptions {
  /** The types of which objects exist or existed. */
  resources: () => Promise<GroupVersionResource[]>;
}

/**
 * Deletes the objects of a definition that is being deleted, and lets it go when the last one is gone. A definition that goes
 * frees its names: those of its group that wanted one of them are looked at again.
 * Mirrors pkg/controller/finalizer/crd_finalizer.go of k8s.io/apiextensions-apiserver (1.36).
 */
export class CRDFinalizer implements Controller {
  readonly name = "crd-finalizer-controller";
  readonly #context: ControllerContext;
  readonly #resources: CRDFinalizerOptions["resources"];
  readonly #queue;
  readonly #definitions: Lister;

  constructor(context: ControllerContext, options: CRDFinalizerOptions) {
    this.#context = context;
    this.#resources = options.resources;
    this.#queue = newRateLimitingQueue(context.clock);
    const definitions = context.informers.forResource(customResourceDefinitionsResource);
    this.#definitions = definitions.lister;
    const enqueue = (definition: KubeObject): void => {
      if (isFinalizing(definition)) this.#queue.add(definition.metadata.name!);
    };
    definitions.addEventHandler({
      onAdd: enqueue,
      onUpdate: (_previous, definition) => enqueue(definition),
      onDelete: (definition) => this.#enqueueRivals(definition),
    });
  }

  get pending(): number {
    return this.#queue.pending;
  }

  run(signal: AbortSignal): Promise<void> {
    return runWorkers(this.#queue, 1, signal, this.name, (name) => this.sync(name));
  }

  #enqueueRivals({ metadata, spec }: KubeObject): void {
    for (const other of this.#definitions.list()) {
      if (other.spec.group === spec.group && other.metadata.name !== metadata.name && wantsNames(other))
        this.#queue.add(other.metadata.name!);
    }
  }

  /** One pass over one definition; throws to be retried. Public for tests. */
  async sync(name: string): Promise<void> {
    const definition = this.#definitions.get(undefined, name);
    if (definition === undefined) return;
    try {
      if (isFinalizing(definition)) await this.#finalize(definition);
      // The server settles names in every write.
      else if (wantsNames(definition)) await this.#patchStatus(name, {});
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #finalize(definition: KubeObject): Promise<void> {
    const name = definition.metadata.name!;
    if (conditionOf(definition, "Established")?.status !== "True") {
      await this.#release(definition, terminating("False", "NeverEstablished", "resource was never established"));
      return;
    }
    if (conditionOf(definition, "Terminating")?.reason === "InstanceDeletionPending") {
      await this.#setCondition(
        definition,
        terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"),
      );
    }
    let remaining: number;
    try {
      remaining = await this.#deleteInstances(definition);
    } catch (error) {
      const message = `could not issue all deletes: ${(error as Error).message}`;
      await this.#setCondition(definition, terminating("True", "InstanceDeletionFailed", message));
      throw error;
    }
    if (remaining > 0) this.#queue.addAfter(name, recheckMilliseconds);
    else await this.#release(definition, terminating("False", "InstanceDeletionCompleted", "removed all instances"));
  }

  /** Asks for the deletion of all objects; the result is how many are left. */
  async #deleteInstances({ spec }: KubeObject): Promise<number> {
    const { client } = this.#context;
    // Asking a type for its objects brings its storage into being.
    const used = await this.#resources();
    if (!used.some(({ group, resource }) => group === spec.group && resource === spec.names.plural)) return 0;
    const served = spec.versions.find((version: { served: boolean }) => version.served);
    if (served === undefined)
      throw new Error(`unable to find a custom resource client for ${spec.names.plural}.${spec.group}`);
    const gvr = { group: spec.group, version: served.name, resource: spec.names.plural };
    const { items } = await client.list(gvr, undefined);
    // Those that are on their way wait for their finalizers.
    const namespaces = new Set(
      items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata.namespace),
    );
    for (const namespace of namespaces) await client.deleteCollection(gvr, namespace);
    return namespaces.size === 0 ? items.length : (await client.list(gvr, undefined)).items.length;
  }

  async #release(definition: KubeObject, condition: Condition): Promise<void> {
    const finalizers = (definition.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    await this.#patchStatus(definition.metadata.name!, {
      metadata: { finalizers: finalizers.length > 0 ? finalizers : null },
      status: { conditions: this.#withCondition(definition, condition) },
    });
  }

  async #setCondition(definition: KubeObject, condition: Condition): Promise<void> {
    const before = conditionOf(definition, condition.type);
    if (before?.reason === condition.reason && before.message === condition.message) return;
    await this.#patchStatus(definition.metadata.name!, {
      status: { conditions: this.#withCondition(definition, condition) },
    });
  }

  #withCondition(definition: KubeObject, condition: Condition): Condition[] {
    const before = conditionOf(definition, condition.type);
    const now = formatTime(this.#context.clock.now());
    const lastTransitionTime = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
    const others = ((definition.status?.conditions ?? []) as Condition[]).filter(({ type }) => type !== condition.type);
    return [...others, { lastTransitionTime, ...condition }];
  }

  /** Definitions are large: only what changes travels. */
  async #patchStatus(name: string, patch: object): Promise<void> {
    await this.#context.client.patch(
      customResourceDefinitionsResource,
      undefined,
      name,
      "application/merge-patch+json",
      patch,
      "status",
    );
  }
}

function terminating(status: string, reason: string, message: string): Condition {
  return { type: "Terminating", status, reason, message };
}

function conditionOf(definition: KubeObject, type: string): Condition | undefined {
  return (definition.status?.conditions as Condition[] | undefined)?.find((condition) => condition.type === type);
}

function isFinalizing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);
}

function wantsNames(definition: KubeObject): boolean {
  return (
    definition.metadata.deletionTimestamp === undefined && conditionOf(definition, "NamesAccepted")?.status === "False"
  );
}

export function newCRDFinalizer(context: ControllerContext, options: CRDFinalizerOptions): CRDFinalizer {
  return new CRDFinalizer(context, options);
}
