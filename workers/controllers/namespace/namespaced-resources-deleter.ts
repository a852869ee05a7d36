import type { Clock } from "../../apimachinery/clock.ts";
import { apiVersionOf } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { StatusError, isConflict, isNotFound } from "../../apimachinery/status-errors.ts";
import type { Client } from "../../client/interfaces.ts";
import type { DiscoveredResources, ServerResource } from "../discovery.ts";
import { supports } from "../discovery.ts";
import { namespacesResource } from "../gvrs.ts";
import { resourcePath } from "../../client/resource-path.ts";
import { runBatch } from "../run-batch.ts";
import { namespaceConditions } from "./namespace-conditions.ts";
import type { Remaining } from "./remaining.ts";
import { addRemaining, estimateGracefulTermination, nothingRemaining } from "./remaining.ts";

/** The finalizer of namespace specs that this controller takes away when the namespace is empty. */
const kubernetesFinalizer = "kubernetes";

/**
 * Empties terminating namespaces: pods first, then all else that discovery names, until nothing is left; then finalizes.
 * One cheap list a type finds out which types have objects at all.
 * Mirrors pkg/controller/namespace/deletion/namespaced_resources_deleter.go (1.36).
 */
export class NamespacedResourcesDeleter {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #discover: () => Promise<DiscoveredResources>;

  constructor(client: Client, clock: Clock, discover: () => Promise<DiscoveredResources>) {
    this.#client = client;
    this.#clock = clock;
    this.#discover = discover;
  }

  /**
   * One pass. Gives the seconds after which the rest will be worth another pass, 0 when the namespace is done.
   * Throws when something failed, to be retried.
   */
  async delete(name: string): Promise<number> {
    let namespace: KubeObject;
    try {
      namespace = await this.#client.get(namespacesResource, undefined, name);
    } catch (error) {
      if (isNotFound(error)) return 0;
      throw error;
    }
    if (namespace.metadata.deletionTimestamp === undefined) return 0;
    if (namespace.status?.phase !== "Terminating") {
      namespace = await this.#updateStatus(namespace, { ...namespace.status, phase: "Terminating" });
    }
    if (!(namespace.spec?.finalizers ?? []).includes(kubernetesFinalizer)) return 0;

    const { resources, failures } = await this.#discover();
    const deletable = resources.filter(
      (resource) =>
        resource.namespaced &&
        supports(resource, "list") &&
        (supports(resource, "deletecollection") || supports(resource, "delete")),
    );
    const remaining = nothingRemaining();
    const contentErrors: Error[] = [];
    const isPods = ({ gvr }: ServerResource): boolean => gvr.group === "" && gvr.resource === "pods";
    await this.#deleteContent(name, deletable.filter(isPods), remaining, contentErrors);
    if (remaining.resources.length === 0) {
      await this.#deleteContent(
        name,
        deletable.filter((resource) => !isPods(resource)),
        remaining,
        contentErrors,
      );
    }

    const findings = { discoveryFailures: failures, contentErrors, remaining };
    const current = namespace.status?.conditions ?? [];
    const conditions = namespaceConditions(current, findings, this.#clock.now());
    if (conditions !== current) namespace = await this.#updateStatus(namespace, { ...namespace.status, conditions });
    const failure = contentErrors[0] ?? failures.values().next().value;
    if (failure !== undefined) throw failure;
    if (remaining.resources.length > 0) return remaining.estimateSeconds;
    await this.#finalize(namespace);
    return 0;
  }

  async #deleteContent(
    namespace: string,
    resources: readonly ServerResource[],
    remaining: Remaining,
    errors: Error[],
  ): Promise<void> {
    await Promise.all(
      resources.map(async (resource) => {
        try {
          await this.#deleteAllOf(namespace, resource, remaining);
        } catch (error) {
          // The type may have gone (or never have supported the verb) since discovery.
          if (error instanceof StatusError && (error.status.code === 404 || error.status.code === 405)) return;
          errors.push(error instanceof Error ? error : new Error(String(error)));
        }
      }),
    );
  }

  async #deleteAllOf(namespace: string, resource: ServerResource, remaining: Remaining): Promise<void> {
    const { gvr } = resource;
    const isPods = gvr.group === "" && gvr.resource === "pods";
    const before = await this.#client.list(gvr, namespace, isPods ? {} : { limit: 1 });
    if (before.items.length === 0) return;
    const graceSeconds = isPods ? estimateGracefulTermination(before.items) : 0;
    if (supports(resource, "deletecollection")) {
      await this.#client.deleteCollection(gvr, namespace, { propagationPolicy: "Background" });
    } else {
      const { items } = await this.#client.list(gvr, namespace);
      const body = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" };
      const operations = items.map(({ metadata }) => ({
        method: "DELETE" as const,
        path: resourcePath(gvr, namespace, metadata.name),
        body,
      }));
      for (const { error } of await runBatch(this.#client, operations)) {
        if (error !== undefined && !isNotFound(error)) throw error;
      }
    }
    const after = await this.#client.list(gvr, namespace);
    if (!addRemaining(remaining, gvr, after.items, graceSeconds)) {
      const name = `${gvr.group}/${gvr.version}, Resource=${gvr.resource}`;
      throw new Error(`unexpected items still remain in namespace: ${namespace} for gvr: ${name}`);
    }
  }

  /** Writes the status, on the live object if the given one is stale. */
  async #updateStatus(namespace: KubeObject, status: Record<string, any>): Promise<KubeObject> {
    for (let attempt = 0; ; attempt++) {
      try {
        const updated = { ...namespace, apiVersion: apiVersionOf(namespacesResource), kind: "Namespace", status };
        return await this.#client.update<KubeObject>(namespacesResource, updated, "status");
      } catch (error) {
        if (!isConflict(error) || attempt === 4) throw error;
        namespace = await this.#client.get(namespacesResource, undefined, namespace.metadata.name!);
        status = { ...namespace.status, ...status };
      }
    }
  }

  /** Takes the finalizer away; the API server then removes the namespace. */
  async #finalize(namespace: KubeObject): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const finalizers = (namespace.spec?.finalizers ?? []).filter((each: string) => each !== kubernetesFinalizer);
      const spec = { ...namespace.spec, finalizers };
      try {
        const finalized = { ...namespace, apiVersion: "v1", kind: "Namespace", spec };
        await this.#client.update(namespacesResource, finalized, "finalize");
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || attempt === 4) throw error;
        const fresh = await this.#client.get(namespacesResource, undefined, namespace.metadata.name!);
        if (fresh.metadata.uid !== namespace.metadata.uid) return;
        namespace = fresh;
      }
    }
  }
}
