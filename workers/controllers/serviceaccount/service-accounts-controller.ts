import type { KubeObject } from "../../apimachinery/meta.ts";
import { isAlreadyExists } from "../../apimachinery/status-errors.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { Lister } from "../../informers/interfaces.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import { namespacesResource, serviceAccountsResource } from "../gvrs.ts";
import { isNamespaceTerminating } from "../handle-error.ts";
import { runWorkers } from "../run-workers.ts";

/**
 * Keeps the account `default` in every active namespace.
 * Mirrors pkg/controller/serviceaccount/serviceaccounts_controller.go (1.36).
 */
export class ServiceAccountsController implements Controller {
  readonly name = "serviceaccount-controller";
  readonly #context: ControllerContext;
  readonly #queue;
  readonly #namespaces: Lister;
  readonly #serviceAccounts: Lister;
  readonly #accountNames: readonly string[];

  constructor(context: ControllerContext, accountNames: readonly string[] = ["default"]) {
    this.#context = context;
    this.#accountNames = accountNames;
    this.#queue = newRateLimitingQueue(context.clock);
    const namespaces = context.informers.forResource(namespacesResource);
    const serviceAccounts = context.informers.forResource(serviceAccountsResource);
    this.#namespaces = namespaces.lister;
    this.#serviceAccounts = serviceAccounts.lister;
    const enqueue = (namespace: KubeObject): void => this.#queue.add(namespace.metadata.name!);
    namespaces.addEventHandler({ onAdd: enqueue, onUpdate: (_previous, namespace) => enqueue(namespace) });
    serviceAccounts.addEventHandler({ onDelete: (account) => this.#queue.add(account.metadata.namespace!) });
  }

  get pending(): number {
    return this.#queue.pending;
  }

  run(signal: AbortSignal): Promise<void> {
    return runWorkers(this.#queue, 1, signal, this.name, (namespace) => this.sync(namespace));
  }

  /** One pass over one namespace; throws to be retried. Public for tests. */
  async sync(namespace: string): Promise<void> {
    if (this.#namespaces.get(undefined, namespace)?.status?.phase === "Terminating") return;
    if (this.#namespaces.get(undefined, namespace) === undefined) return;
    for (const name of this.#accountNames) {
      if (this.#serviceAccounts.get(namespace, name) !== undefined) continue;
      const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } };
      try {
        await this.#context.client.create(serviceAccountsResource, namespace, account);
      } catch (error) {
        if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
      }
    }
  }
}

export function newServiceAccountsController(context: ControllerContext): ServiceAccountsController {
  return new ServiceAccountsController(context);
}
