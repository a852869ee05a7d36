import type { KubeObject } from "../../apimachinery/meta.ts";
import { isAlreadyExists, isNotFound } from "../../apimachinery/status-errors.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { Lister } from "../../informers/interfaces.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import { configMapsResource, namespacesResource } from "../gvrs.ts";
import { isNamespaceTerminating } from "../handle-error.ts";
import { runWorkers } from "../run-workers.ts";

/** The ConfigMap that pods mount to verify the API server. */
export const rootCACertConfigMapName = "kube-root-ca.crt";

/**
 * Publishes the cluster's CA bundle as a ConfigMap in every active namespace and undoes changes to it.
 * Mirrors pkg/controller/certificates/rootcacertpublisher/publisher.go (1.36).
 */
export class RootCACertPublisher implements Controller {
  readonly name = "root-ca-certificate-publisher-controller";
  readonly #context: ControllerContext;
  readonly #rootCA: string;
  readonly #queue;
  readonly #namespaces: Lister;
  readonly #configMaps: Lister;

  /** @param rootCA PEM; empty where the server's certificate is signed by a public authority */
  constructor(context: ControllerContext, rootCA: string) {
    this.#context = context;
    this.#rootCA = rootCA;
    this.#queue = newRateLimitingQueue(context.clock);
    const namespaces = context.informers.forResource(namespacesResource);
    const configMaps = context.informers.forResource(configMapsResource);
    this.#namespaces = namespaces.lister;
    this.#configMaps = configMaps.lister;
    const enqueue = (namespace: KubeObject): void => this.#queue.add(namespace.metadata.name!);
    const enqueueOf = (configMap: KubeObject): void => {
      if (configMap.metadata.name === rootCACertConfigMapName) this.#queue.add(configMap.metadata.namespace!);
    };
    namespaces.addEventHandler({ onAdd: enqueue, onUpdate: (_previous, namespace) => enqueue(namespace) });
    configMaps.addEventHandler({ onDelete: enqueueOf, onUpdate: (_previous, configMap) => enqueueOf(configMap) });
  }

  get pending(): number {
    return this.#queue.pending;
  }

  run(signal: AbortSignal): Promise<void> {
    return runWorkers(this.#queue, 1, signal, this.name, (namespace) => this.sync(namespace));
  }

  /** One pass over one namespace; throws to be retried. Public for tests. */
  async sync(namespaceName: string): Promise<void> {
    const namespace = this.#namespaces.get(undefined, namespaceName);
    if (namespace === undefined || namespace.status?.phase === "Terminating") return;
    const existing = this.#configMaps.get(namespaceName, rootCACertConfigMapName);
    const data = { "ca.crt": this.#rootCA };
    try {
      if (existing === undefined) {
        const metadata = { name: rootCACertConfigMapName, namespace: namespaceName };
        const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
        await this.#context.client.create(configMapsResource, namespaceName, configMap);
        return;
      }
      const keys = Object.keys(existing["data"] ?? {});
      if (keys.length === 1 && existing["data"]["ca.crt"] === this.#rootCA) return;
      const updated = { ...existing, apiVersion: "v1", kind: "ConfigMap", data };
      await this.#context.client.update(configMapsResource, updated);
    } catch (error) {
      if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
    }
  }
}

export function newRootCACertPublisher(context: ControllerContext, options?: { rootCA?: string }): RootCACertPublisher {
  return new RootCACertPublisher(context, options?.rootCA ?? "");
}
