import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import type { KubeObject, OwnerReference } from "../../apimachinery/meta.ts";
import { controllerOf, namespacedName, splitNamespacedName } from "../../apimachinery/meta.ts";
import type { LabelSelector } from "../../apimachinery/labels.ts";
import { isConflict, isNotFound } from "../../apimachinery/status-errors.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import type { Lister } from "../../informers/interfaces.ts";
import type { RateLimitingQueue } from "../../workqueue/interfaces.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import { claimObjects } from "../controller-ref-manager.ts";
import { ControllerExpectations } from "../expectations.ts";
import { podsResource } from "../gvrs.ts";
import { controllerUIDIndex, ensureControllerUIDIndex, orphanIndexValue } from "../indexes.ts";
import { isPodActive, isPodTerminating } from "../pod-utils.ts";
import { runWorkers } from "../run-workers.ts";
import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { getPodsToDelete } from "./active-pods-with-ranks.ts";
import { PodControl } from "./pod-control.ts";
import type { ReplicaFailure } from "./replica-set-status.ts";
import { calculateReplicaSetStatus, nextAvailability } from "./replica-set-status.ts";

/** The most pods that one sync creates or deletes before it waits to see them. */
export const burstReplicas = 500;

/**
 * The least time between two passes over one replica set that only pods gave reason for: a thousand pods that become
 * ready one by one cost some status writes, not a thousand. The first change after a pause is not delayed.
 */
function passInterval(replicas: number): number {
  return Math.min(250, 20 + replicas / 20);
}

/** What differs between the kinds that keep a number of equal pods. */
export interface ReplicaKind {
  /** The controller's upstream name, e.g. "replicaset-controller". */
  name: string;
  gvr: GroupVersionResource;
  apiVersion: string;
  kind: string;
  selectorOf(object: KubeObject): LabelSelector;
  /** Whether status.terminatingReplicas is reported. */
  reportsTerminating: boolean;
}

/**
 * Keeps `spec.replicas` pods of a template alive. Reads only informers; a sync that finds everything as it should be
 * sends nothing. While pods that it asked for have not shown up in the informer, a key only gets its status refreshed
 * (see {@link ControllerExpectations}). Mirrors pkg/controller/replicaset/replica_set.go (1.36), which serves
 * ReplicationControllers too.
 */
export class ReplicaSetController implements Controller {
  readonly name: string;
  readonly #kind: ReplicaKind;
  readonly #context: ControllerContext;
  readonly #queue: RateLimitingQueue;
  readonly #expectations: ControllerExpectations;
  readonly #podControl: PodControl;
  readonly #replicaSets: Lister;
  readonly #pods: Lister;
  readonly #workers: number;
  /** When each replica set was last passed over. */
  readonly #passedAt = new Map<string, number>();

  constructor(context: ControllerContext, kind: ReplicaKind, workers = 5) {
    this.name = kind.name;
    this.#kind = kind;
    this.#context = context;
    this.#workers = workers;
    this.#queue = newRateLimitingQueue(context.clock);
    this.#expectations = new ControllerExpectations(context.clock);
    this.#podControl = new PodControl(context.client, context.recorder(kind.name));

    const replicaSets = context.informers.forResource(kind.gvr);
    const pods = context.informers.forResource(podsResource);
    this.#replicaSets = replicaSets.lister;
    this.#pods = pods.lister;
    ensureControllerUIDIndex(replicaSets);
    ensureControllerUIDIndex(pods);
    replicaSets.addEventHandler({
      onAdd: (object) => this.#enqueue(object),
      onUpdate: (previous, object) => {
        if (previous.metadata.uid !== object.metadata.uid) this.#replicaSetDeleted(previous);
        this.#enqueue(object);
      },
      onDelete: (object) => this.#replicaSetDeleted(object),
    });
    pods.addEventHandler({
      onAdd: (pod) => this.#podAdded(pod),
      onUpdate: (previous, pod) => this.#podUpdated(previous, pod),
      onDelete: (pod) => this.#podDeleted(pod),
    });
  }

  get pending(): number {
    return this.#queue.pending;
  }

  run(signal: AbortSignal): Promise<void> {
    return runWorkers(this.#queue, this.#workers, signal, this.name, (key) => this.sync(key));
  }

  #enqueue(object: KubeObject): void {
    this.#queue.add(namespacedName(object));
  }

  /** For changes of pods: at once if the last pass is a while ago, else with those that follow. */
  #enqueueSoon(object: KubeObject): void {
    const key = namespacedName(object);
    const sinceLast = this.#context.clock.now() - (this.#passedAt.get(key) ?? 0);
    this.#queue.addAfter(key, passInterval(object.spec?.replicas ?? 1) - sinceLast);
  }

  /** Observed what was awaited: the next burst must not wait. */
  #enqueueExpected(object: KubeObject): void {
    if (this.#expectations.satisfied(namespacedName(object))) this.#enqueue(object);
    else this.#enqueueSoon(object);
  }

  #replicaSetDeleted(object: KubeObject): void {
    this.#expectations.deleteExpectations(namespacedName(object));
    this.#enqueue(object);
  }

  #resolve(namespace: string | undefined, reference: OwnerReference | undefined): KubeObject | undefined {
    if (reference === undefined || reference.kind !== this.#kind.kind) return undefined;
    const owner = this.#replicaSets.get(namespace, reference.name);
    return owner?.metadata.uid === reference.uid ? owner : undefined;
  }

  #podAdded(pod: KubeObject): void {
    if (pod.metadata.deletionTimestamp !== undefined) return this.#podDeleted(pod);
    const reference = controllerOf(pod);
    if (reference === undefined) return this.#enqueueMatching(pod);
    const owner = this.#resolve(pod.metadata.namespace, reference);
    if (owner === undefined) return;
    this.#expectations.creationObserved(namespacedName(owner));
    this.#enqueueExpected(owner);
  }

  #podUpdated(previous: KubeObject, pod: KubeObject): void {
    if (previous.metadata.resourceVersion === pod.metadata.resourceVersion) return;
    if (previous.metadata.uid !== pod.metadata.uid) this.#podDeleted(previous);
    const labelsChanged = !semanticEqual(previous.metadata.labels, pod.metadata.labels);
    if (pod.metadata.deletionTimestamp !== undefined) {
      // A graceful deletion is settled when it begins: the replacement need not wait for the kubelet.
      this.#podDeleted(pod);
      if (labelsChanged) this.#podDeleted(previous);
      return;
    }
    const reference = controllerOf(pod);
    const previousReference = controllerOf(previous);
    const referenceChanged = reference?.uid !== previousReference?.uid;
    if (referenceChanged) {
      const previousOwner = this.#resolve(previous.metadata.namespace, previousReference);
      if (previousOwner !== undefined) this.#enqueue(previousOwner);
    }
    if (reference !== undefined) {
      const owner = this.#resolve(pod.metadata.namespace, reference);
      if (owner !== undefined) this.#enqueueSoon(owner);
    } else if (labelsChanged || referenceChanged) {
      this.#enqueueMatching(pod);
    }
  }

  #podDeleted(pod: KubeObject): void {
    const owner = this.#resolve(pod.metadata.namespace, controllerOf(pod));
    if (owner === undefined) return;
    this.#expectations.deletionObserved(namespacedName(owner), namespacedName(pod));
    this.#enqueueExpected(owner);
  }

  #enqueueMatching(pod: KubeObject): void {
    for (const replicaSet of this.#replicaSets.list(pod.metadata.namespace)) {
      if (this.#selects(replicaSet, pod)) this.#enqueue(replicaSet);
    }
  }

  /** A selector that does not parse (the API refuses those) selects nothing here. */
  #selects(replicaSet: KubeObject, pod: KubeObject): boolean {
    try {
      return this.#kind.selectorOf(replicaSet).matches(pod.metadata.labels);
    } catch {
      return false;
    }
  }

  /** One pass over one replica set; throws to be retried. Public for tests. */
  async sync(key: string): Promise<void> {
    const { namespace, name } = splitNamespacedName(key);
    const replicaSet = this.#replicaSets.get(namespace, name);
    if (replicaSet === undefined) {
      this.#expectations.deleteExpectations(key);
      this.#passedAt.delete(key);
      return;
    }
    this.#passedAt.set(key, this.#context.clock.now());
    const settled = this.#expectations.satisfied(key);
    const candidates = [
      ...this.#pods.byIndex(controllerUIDIndex, replicaSet.metadata.uid!),
      ...this.#pods.byIndex(controllerUIDIndex, orphanIndexValue(namespace)),
    ];
    const claimed = await claimObjects(
      this.#context.client,
      replicaSet,
      this.#kind,
      this.#kind.selectorOf(replicaSet),
      podsResource,
      candidates.filter((pod) => isPodActive(pod) || isPodTerminating(pod)),
    );
    const active = claimed.filter(isPodActive);

    let failure: ReplicaFailure | undefined;
    let error: Error | undefined;
    if (settled && replicaSet.metadata.deletionTimestamp === undefined) {
      error = await this.#manageReplicas(key, replicaSet, active);
      if (error !== undefined) {
        const reason = (replicaSet.spec?.replicas ?? 1) > active.length ? "FailedCreate" : "FailedDelete";
        failure = { reason, message: error.message };
      }
    }

    const terminating = this.#kind.reportsTerminating ? claimed.length - active.length : undefined;
    await this.#updateStatus(replicaSet, active, terminating, failure);
    const wait = nextAvailability(active, replicaSet.spec?.minReadySeconds ?? 0, this.#context.clock.now());
    if (wait !== undefined) this.#queue.addAfter(key, wait);
    if (error !== undefined) throw error;
  }

  async #manageReplicas(key: string, replicaSet: KubeObject, active: KubeObject[]): Promise<Error | undefined> {
    const missing = (replicaSet.spec?.replicas ?? 1) - active.length;
    if (missing > 0) return this.#createPods(key, replicaSet, Math.min(missing, burstReplicas));
    if (missing === 0) return undefined;
    const count = Math.min(-missing, burstReplicas);
    const now = this.#context.clock.now();
    const pods = getPodsToDelete(active, count < active.length ? this.#relatedPods(replicaSet) : [], count, now);
    this.#expectations.expectDeletions(key, pods.map(namespacedName));
    const { failed, error } = await this.#podControl.deletePods(replicaSet, pods);
    for (const pod of failed) this.#expectations.deletionObserved(key, namespacedName(pod));
    return error;
  }

  /** All in one request, unless the last attempt failed: then one pod goes ahead, to spare the server the rest. */
  async #createPods(key: string, replicaSet: KubeObject, count: number): Promise<Error | undefined> {
    this.#expectations.expectCreations(key, count);
    const hasFailed = (replicaSet.status?.conditions ?? []).some(
      (condition: any) => condition.type === "ReplicaFailure",
    );
    const template = replicaSet.spec?.template;
    let seen = 0;
    let error: Error | undefined;
    for (const size of hasFailed && count > 1 ? [1, count - 1] : [count]) {
      const outcome = await this.#podControl.createPods(replicaSet, this.#kind, template, size);
      seen += outcome.created;
      error = outcome.error;
      if (error !== undefined || outcome.refused > 0) break;
    }
    // Neither the failed nor the unattempted will show up; they are retried later.
    for (let skipped = count - seen; skipped > 0; skipped--) this.#expectations.creationObserved(key);
    return error;
  }

  /** Pods of all replica sets that have the same owner, for the ranks of deletion. */
  #relatedPods(replicaSet: KubeObject): KubeObject[] {
    const reference = controllerOf(replicaSet);
    const siblings =
      reference === undefined ? [replicaSet] : this.#replicaSets.byIndex(controllerUIDIndex, reference.uid);
    return siblings.flatMap((sibling) => this.#pods.byIndex(controllerUIDIndex, sibling.metadata.uid!));
  }

  /** Writes the status if it says something new; a lost race is tried once more on the live object. */
  async #updateStatus(
    replicaSet: KubeObject,
    active: readonly KubeObject[],
    terminating: number | undefined,
    failure: ReplicaFailure | undefined,
  ): Promise<void> {
    const { gvr, apiVersion, kind } = this.#kind;
    for (let attempt = 0; ; attempt++) {
      const status = calculateReplicaSetStatus(replicaSet, active, terminating, failure, this.#context.clock.now());
      if (semanticEqual(status, replicaSet.status)) return;
      try {
        await this.#context.client.update(gvr, { ...replicaSet, apiVersion, kind, status }, "status");
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || attempt === 1) throw error;
        const fresh = await this.#context.client.get(gvr, replicaSet.metadata.namespace, replicaSet.metadata.name!);
        if (fresh.metadata.uid !== replicaSet.metadata.uid) return;
        // The pods were counted against the generation that was synced, not against a newer one.
        fresh.metadata = { ...fresh.metadata, generation: replicaSet.metadata.generation! };
        replicaSet = fresh;
      }
    }
  }
}
