import { labelSelectorAsSelector } from "../../apimachinery/labels.ts";
import type { KubeObject, OwnerReference } from "../../apimachinery/meta.ts";
import { controllerOf, namespacedName, splitNamespacedName } from "../../apimachinery/meta.ts";
import { isNotFound } from "../../apimachinery/status-errors.ts";
import type { EventRecorder } from "../../client/events/event-recorder.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { Lister } from "../../informers/interfaces.ts";
import type { RateLimitingQueue } from "../../workqueue/interfaces.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import { claimObjects } from "../controller-ref-manager.ts";
import { deploymentsResource, podsResource, replicaSetsResource } from "../gvrs.ts";
import { controllerUIDIndex, ensureControllerUIDIndex, orphanIndexValue } from "../indexes.ts";
import { runWorkers } from "../run-workers.ts";
import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { isScalingEvent } from "./annotations.ts";
import { progressCheckDelay } from "./deployment-status.ts";
import { DeploymentSync } from "./deployment-sync.ts";
import { rolloutRecreate } from "./recreate.ts";
import { rolloutRolling } from "./rolling.ts";
import { isRollingUpdate } from "./rollout-math.ts";

/** A deployment that fails this often waits for the next change or resync. */
const maxRetries = 15;

const ownerKind = { gvr: deploymentsResource, apiVersion: "apps/v1", kind: "Deployment" };

/**
 * Moves deployments to their template and size through replica sets. Reads only informers; a pass that finds everything
 * as it should be sends nothing. Mirrors pkg/controller/deployment/deployment_controller.go (1.36).
 */
export class DeploymentController implements Controller {
  readonly name = "deployment-controller";
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #queue: RateLimitingQueue;
  readonly #deployments: Lister;
  readonly #replicaSets: Lister;
  readonly #pods: Lister;
  readonly #workers: number;

  constructor(context: ControllerContext, workers = 5) {
    this.#context = context;
    this.#workers = workers;
    this.#recorder = context.recorder(this.name);
    this.#queue = newRateLimitingQueue(context.clock);
    const deployments = context.informers.forResource(deploymentsResource);
    const replicaSets = context.informers.forResource(replicaSetsResource);
    const pods = context.informers.forResource(podsResource);
    this.#deployments = deployments.lister;
    this.#replicaSets = replicaSets.lister;
    this.#pods = pods.lister;
    ensureControllerUIDIndex(replicaSets);
    ensureControllerUIDIndex(pods);
    deployments.addEventHandler({
      onAdd: (object) => this.#enqueue(object),
      onUpdate: (_previous, object) => this.#enqueue(object),
      onDelete: (object) => this.#enqueue(object),
    });
    replicaSets.addEventHandler({
      onAdd: (object) => this.#replicaSetChanged(object),
      onUpdate: (previous, object) => this.#replicaSetUpdated(previous, object),
      onDelete: (object) => this.#enqueueOwner(object),
    });
    pods.addEventHandler({ onDelete: (pod) => this.#podDeleted(pod) });
  }

  get pending(): number {
    return this.#queue.pending;
  }

  run(signal: AbortSignal): Promise<void> {
    return runWorkers(this.#queue, this.#workers, signal, this.name, (key) => this.sync(key), maxRetries);
  }

  #enqueue(object: KubeObject): void {
    this.#queue.add(namespacedName(object));
  }

  #resolve(namespace: string | undefined, reference: OwnerReference | undefined): KubeObject | undefined {
    if (reference === undefined || reference.kind !== "Deployment") return undefined;
    const owner = this.#deployments.get(namespace, reference.name);
    return owner?.metadata.uid === reference.uid ? owner : undefined;
  }

  #enqueueOwner(object: KubeObject): void {
    const owner = this.#resolve(object.metadata.namespace, controllerOf(object));
    if (owner !== undefined) this.#enqueue(owner);
  }

  #replicaSetChanged(replicaSet: KubeObject): void {
    if (controllerOf(replicaSet) !== undefined || replicaSet.metadata.deletionTimestamp !== undefined) {
      return this.#enqueueOwner(replicaSet);
    }
    for (const deployment of this.#deployments.list(replicaSet.metadata.namespace)) {
      if (selectorOf(deployment)?.matches(replicaSet.metadata.labels)) this.#enqueue(deployment);
    }
  }

  #replicaSetUpdated(previous: KubeObject, replicaSet: KubeObject): void {
    if (previous.metadata.resourceVersion === replicaSet.metadata.resourceVersion) return;
    const referenceChanged = controllerOf(previous)?.uid !== controllerOf(replicaSet)?.uid;
    if (referenceChanged) this.#enqueueOwner(previous);
    if (controllerOf(replicaSet) !== undefined) this.#enqueueOwner(replicaSet);
    else if (referenceChanged || !semanticEqual(previous.metadata.labels, replicaSet.metadata.labels)) {
      this.#replicaSetChanged(replicaSet);
    }
  }

  /** A Recreate deployment waits for its last old pod. */
  #podDeleted(pod: KubeObject): void {
    const reference = controllerOf(pod);
    if (reference?.kind !== "ReplicaSet") return;
    const replicaSet = this.#replicaSets.get(pod.metadata.namespace, reference.name);
    if (replicaSet?.metadata.uid !== reference.uid) return;
    const deployment = this.#resolve(pod.metadata.namespace, controllerOf(replicaSet));
    if (deployment !== undefined && !isRollingUpdate(deployment)) this.#enqueue(deployment);
  }

  #podsOf(replicaSet: KubeObject): KubeObject[] {
    return this.#pods.byIndex(controllerUIDIndex, replicaSet.metadata.uid!);
  }

  /** One pass over one deployment; throws to be retried. Public for tests. */
  async sync(key: string): Promise<void> {
    try {
      await this.#sync(key);
    } catch (error) {
      // The deployment went away during the pass.
      if (!isNotFound(error) || error.status.details?.kind !== deploymentsResource.resource) throw error;
    }
  }

  async #sync(key: string): Promise<void> {
    const { namespace, name } = splitNamespacedName(key);
    const deployment = this.#deployments.get(namespace, name);
    if (deployment === undefined) return;
    const selector = labelSelectorAsSelector(deployment.spec?.selector);
    if (selector.empty) {
      const message = "This deployment is selecting all pods. A non-empty selector is required.";
      this.#recorder.event(deployment, "Warning", "SelectingAll", message);
      return;
    }
    const replicaSets = await claimObjects(this.#context.client, deployment, ownerKind, selector, replicaSetsResource, [
      ...this.#replicaSets.byIndex(controllerUIDIndex, deployment.metadata.uid!),
      ...this.#replicaSets.byIndex(controllerUIDIndex, orphanIndexValue(namespace)),
    ]);
    const sync = new DeploymentSync(this.#context, this.#recorder, deployment, replicaSets);
    if (deployment.metadata.deletionTimestamp !== undefined) {
      await sync.syncRevision(false);
      return sync.syncStatus();
    }
    await sync.checkPausedConditions();
    if (deployment.spec?.paused === true || isScalingEvent(deployment, replicaSets)) {
      await sync.syncRevision(false);
      await sync.scale();
      if (deployment.spec?.paused === true) await sync.cleanup();
      return sync.syncStatus();
    }
    const status = isRollingUpdate(deployment)
      ? await rolloutRolling(sync)
      : await rolloutRecreate(sync, (replicaSet) => this.#podsOf(replicaSet));
    if (status === undefined) return;
    const delay = progressCheckDelay(sync.deployment, status, this.#context.clock.now());
    if (delay !== undefined) this.#queue.addAfter(key, delay);
  }
}

/** Undefined for a selector that does not parse (the API refuses those; a stored one is ignored). */
function selectorOf(deployment: KubeObject) {
  try {
    return labelSelectorAsSelector(deployment.spec?.selector);
  } catch {
    return undefined;
  }
}

export function newDeploymentController(context: ControllerContext): DeploymentController {
  return new DeploymentController(context);
}
