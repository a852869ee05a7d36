import type { KubeObject } from "../../apimachinery/meta.ts";
import { controllerOf } from "../../apimachinery/meta.ts";
import { isAlreadyExists, isNotFound } from "../../apimachinery/status-errors.ts";
import type { EventRecorder } from "../../client/events/event-recorder.ts";
import type { ControllerContext } from "../../informers/controller-context.ts";
import { computeHash } from "../compute-hash.ts";
import { newControllerRef } from "../controller-ref-manager.ts";
import { deploymentsResource, replicaSetsResource } from "../gvrs.ts";
import { isNamespaceTerminating } from "../handle-error.ts";
import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import {
  integerAnnotation,
  maxReplicasAnnotation,
  desiredReplicasAnnotation,
  maxRevision,
  newReplicaSetAnnotations,
  podTemplateHashLabel,
  revisionAnnotation,
  revisionOf,
  withReplicasAnnotations,
} from "./annotations.ts";
import type { DeploymentCondition } from "./conditions.ts";
import { findCondition, newDeploymentCondition, withCondition } from "./conditions.ts";
import { calculateDeploymentStatus, progressDeadline, rolloutStatus } from "./deployment-status.ts";
import {
  activeReplicaSets,
  byCreation,
  isRollingUpdate,
  newReplicaSetReplicas,
  proportionalSizes,
  replicasOf,
} from "./rollout-math.ts";
import { equalIgnoreHash, findNewReplicaSet, findOldReplicaSets } from "./templates.ts";

const noHistoryLimit = 2147483647;

/**
 * One pass over one deployment: it holds the deployment and its replica sets as they are after the writes that it has
 * made, so that later steps of the pass do not lose a race against earlier ones. Every step writes only what differs.
 * Mirrors pkg/controller/deployment/sync.go (1.36).
 */
export class DeploymentSync {
  deployment: KubeObject;
  /** The replica set of the current template. */
  newReplicaSet: KubeObject | undefined;
  oldReplicaSets: KubeObject[];
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;

  constructor(context: ControllerContext, recorder: EventRecorder, deployment: KubeObject, replicaSets: KubeObject[]) {
    this.#context = context;
    this.#recorder = recorder;
    this.deployment = deployment;
    this.newReplicaSet = findNewReplicaSet(deployment, replicaSets);
    this.oldReplicaSets = findOldReplicaSets(replicaSets, this.newReplicaSet);
  }

  get allReplicaSets(): KubeObject[] {
    return this.newReplicaSet === undefined ? this.oldReplicaSets : [...this.oldReplicaSets, this.newReplicaSet];
  }

  get now(): number {
    return this.#context.clock.now();
  }

  /** Marks pausing and resuming, so that a pause is not counted as lack of progress. */
  async checkPausedConditions(): Promise<void> {
    if (progressDeadline(this.deployment) === undefined) return;
    const current = findCondition(this.deployment.status?.conditions, "Progressing");
    if (current?.reason === "ProgressDeadlineExceeded") return;
    const isPaused = this.deployment.spec?.paused === true;
    if (isPaused === (current?.reason === "DeploymentPaused")) return;
    const condition = isPaused
      ? newDeploymentCondition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", this.now)
      : newDeploymentCondition("Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed", this.now);
    await this.#setCondition(condition);
  }

  /**
   * Brings the annotations of the new replica set and the revision of the deployment up to date; makes the new replica
   * set if it is missing and `create` is set.
   */
  async syncRevision(create: boolean): Promise<void> {
    const revision = maxRevision(this.oldReplicaSets) + 1;
    if (this.newReplicaSet !== undefined) await this.#syncExisting(this.newReplicaSet, revision);
    else if (create) await this.#createNewReplicaSet(revision);
  }

  async #syncExisting(existing: KubeObject, newRevision: number): Promise<void> {
    const annotations = newReplicaSetAnnotations(this.deployment, existing, newRevision, true);
    const minReadySeconds = this.deployment.spec?.minReadySeconds ?? 0;
    const stale = !semanticEqual(annotations, existing.metadata.annotations ?? {});
    if (stale || (existing.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
      this.newReplicaSet = await this.#updateReplicaSet(existing, annotations, { minReadySeconds });
    }
    const revision = annotations[revisionAnnotation] ?? String(newRevision);
    let conditions: DeploymentCondition[] = this.deployment.status?.conditions ?? [];
    if (progressDeadline(this.deployment) !== undefined && findCondition(conditions, "Progressing") === undefined) {
      const message = `Found new replica set "${existing.metadata.name}"`;
      conditions = withCondition(
        conditions,
        newDeploymentCondition("Progressing", "True", "FoundNewReplicaSet", message, this.now),
      );
    }
    await this.#updateDeployment({ ...this.deployment.status, conditions }, revision);
  }

  async #createNewReplicaSet(newRevision: number): Promise<void> {
    const { deployment } = this;
    const hash = computeHash(deployment.spec?.template, deployment.status?.collisionCount);
    const replicaSet = this.#replicaSetFor(hash, newRevision);
    const size = replicasOf(replicaSet);
    const { namespace } = deployment.metadata;
    let isNew = true;
    try {
      this.newReplicaSet = await this.#context.client.create(replicaSetsResource, namespace, replicaSet);
    } catch (error) {
      if (isAlreadyExists(error)) {
        const existing = await this.#context.client.get(replicaSetsResource, namespace, replicaSet.metadata.name!);
        const isOurs =
          controllerOf(existing)?.uid === deployment.metadata.uid &&
          equalIgnoreHash(deployment.spec?.template, existing.spec?.template);
        if (!isOurs) {
          // Another template (or owner) has this name: the next pass hashes with a higher count.
          const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
          await this.#updateDeployment({ ...deployment.status, collisionCount });
          throw error;
        }
        // A former pass made it and the informer has not shown it yet.
        this.newReplicaSet = existing;
        isNew = false;
      } else {
        if (!isNamespaceTerminating(error)) await this.#reportCreateError(replicaSet, error);
        throw error;
      }
    }
    const name = this.newReplicaSet.metadata.name;
    if (isNew && size > 0) {
      this.#recorder.event(
        deployment,
        "Normal",
        "ScalingReplicaSet",
        `Scaled up replica set ${name} from 0 to ${size}`,
      );
    }
    let conditions: DeploymentCondition[] = deployment.status?.conditions ?? [];
    if (isNew && progressDeadline(deployment) !== undefined) {
      const message = `Created new replica set "${name}"`;
      conditions = withCondition(
        conditions,
        newDeploymentCondition("Progressing", "True", "NewReplicaSetCreated", message, this.now),
      );
    }
    await this.#updateDeployment({ ...deployment.status, conditions }, String(newRevision));
  }

  #replicaSetFor(hash: string, newRevision: number): KubeObject {
    const { deployment } = this;
    const template = structuredClone(deployment.spec.template);
    const labels = { ...template.metadata?.labels, [podTemplateHashLabel]: hash };
    template.metadata = { ...template.metadata, labels };
    const selector = deployment.spec.selector ?? {};
    const replicaSet: KubeObject = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: `${deployment.metadata.name}-${hash}`,
        namespace: deployment.metadata.namespace!,
        ownerReferences: [newControllerRef(deployment, { apiVersion: "apps/v1", kind: "Deployment" })],
        labels,
      },
      spec: {
        replicas: 0,
        ...(deployment.spec.minReadySeconds ? { minReadySeconds: deployment.spec.minReadySeconds } : {}),
        selector: { ...selector, matchLabels: { ...selector.matchLabels, [podTemplateHashLabel]: hash } },
        template,
      },
    };
    replicaSet.spec.replicas = newReplicaSetReplicas(deployment, this.oldReplicaSets, 0);
    replicaSet.metadata.annotations = newReplicaSetAnnotations(deployment, replicaSet, newRevision, false);
    return replicaSet;
  }

  async #reportCreateError(replicaSet: KubeObject, error: unknown): Promise<void> {
    const cause = error instanceof Error ? error.message : String(error);
    const message = `Failed to create new replica set "${replicaSet.metadata.name}": ${cause}`;
    this.#recorder.event(this.deployment, "Warning", "ReplicaSetCreateError", message);
    if (progressDeadline(this.deployment) === undefined) return;
    const condition = newDeploymentCondition("Progressing", "False", "ReplicaSetCreateError", message, this.now);
    await this.#setCondition(condition);
  }

  /** Resizes one replica set (and records the deployment's size in it); whether its size changed. */
  async scaleReplicaSet(replicaSet: KubeObject, size: number): Promise<boolean> {
    const old = replicasOf(replicaSet);
    const annotations = withReplicasAnnotations(replicaSet.metadata.annotations, this.deployment);
    if (old === size && semanticEqual(annotations, replicaSet.metadata.annotations)) return false;
    const updated = await this.#updateReplicaSet(replicaSet, annotations, { replicas: size });
    this.#replace(updated);
    if (old === size) return false;
    const direction = size > old ? "up" : "down";
    const message = `Scaled ${direction} replica set ${replicaSet.metadata.name} from ${old} to ${size}`;
    this.#recorder.event(this.deployment, "Normal", "ScalingReplicaSet", message);
    return true;
  }

  /** Like {@link scaleReplicaSet}, but leaves a replica set of the right size untouched. */
  async scaleTo(replicaSet: KubeObject, size: number): Promise<boolean> {
    return replicasOf(replicaSet) === size ? false : this.scaleReplicaSet(replicaSet, size);
  }

  /** After a resize (or while paused): spreads the new size over what is active, without rolling further. */
  async scale(): Promise<void> {
    const { deployment, newReplicaSet } = this;
    const desired = replicasOf(deployment);
    const only = this.#activeOrLatest();
    if (only !== undefined) {
      await this.scaleTo(only, desired);
      return;
    }
    if (newReplicaSet !== undefined && this.#isSaturated(newReplicaSet)) {
      for (const old of activeReplicaSets(this.oldReplicaSets)) await this.scaleTo(old, 0);
      return;
    }
    if (!isRollingUpdate(deployment)) return;
    const sizes = proportionalSizes(deployment, activeReplicaSets(this.allReplicaSets), (replicaSet) =>
      integerAnnotation(replicaSet, maxReplicasAnnotation),
    );
    for (const { replicaSet, size } of sizes) await this.scaleReplicaSet(replicaSet, size);
  }

  /** The one active replica set, or the newest if none is; undefined when several are active. */
  #activeOrLatest(): KubeObject | undefined {
    const active = activeReplicaSets(this.allReplicaSets);
    if (active.length === 1) return active[0];
    if (active.length > 1) return undefined;
    return this.newReplicaSet ?? [...this.oldReplicaSets].sort(byCreation).at(-1);
  }

  #isSaturated(replicaSet: KubeObject): boolean {
    const desired = replicasOf(this.deployment);
    return (
      integerAnnotation(replicaSet, desiredReplicasAnnotation) === desired &&
      replicasOf(replicaSet) === desired &&
      (replicaSet.status?.availableReplicas ?? 0) === desired
    );
  }

  /** Deletes old, empty and observed replica sets beyond the history limit, lowest revision first. */
  async cleanup(): Promise<void> {
    const limit = this.deployment.spec?.revisionHistoryLimit ?? 10;
    if (limit === noHistoryLimit) return;
    const alive = this.oldReplicaSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const excess = alive.length - limit;
    if (excess <= 0) return;
    alive.sort((a, b) => (revisionOf(a) ?? 0) - (revisionOf(b) ?? 0) || byCreation(a, b));
    for (const { metadata, spec, status } of alive.slice(0, excess)) {
      if ((status?.replicas ?? 0) !== 0 || (spec?.replicas ?? 1) !== 0) continue;
      if ((metadata.generation ?? 0) > (status?.observedGeneration ?? 0)) continue;
      try {
        await this.#context.client.delete(replicaSetsResource, metadata.namespace, metadata.name!, {
          propagationPolicy: "Background",
          preconditions: { uid: metadata.uid! },
        });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  /** Writes counts and availability, without judging progress. */
  async syncStatus(): Promise<void> {
    const { deployment, newReplicaSet } = this;
    await this.#updateDeployment(calculateDeploymentStatus(deployment, this.allReplicaSets, newReplicaSet, this.now));
  }

  /** Writes the status of a rollout; gives the status if it was already stored. */
  async syncRolloutStatus(): Promise<Record<string, any> | undefined> {
    const status = rolloutStatus(this.deployment, this.allReplicaSets, this.newReplicaSet, this.now);
    return (await this.#updateDeployment(status)) ? undefined : status;
  }

  async #setCondition(condition: DeploymentCondition): Promise<void> {
    const conditions = withCondition(this.deployment.status?.conditions ?? [], condition);
    await this.#updateDeployment({ ...this.deployment.status, conditions });
  }

  /** Writes status and, if given, the revision annotation (which upstream's status endpoint lets pass); false when neither is new. */
  async #updateDeployment(status: Record<string, any>, revision?: string): Promise<boolean> {
    const { metadata } = this.deployment;
    const sameRevision = revision === undefined || metadata.annotations?.[revisionAnnotation] === revision;
    if (sameRevision && semanticEqual(status, this.deployment.status ?? {})) return false;
    const annotations = sameRevision
      ? metadata.annotations
      : { ...metadata.annotations, [revisionAnnotation]: revision };
    const updated: KubeObject = {
      ...this.deployment,
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: annotations === undefined ? metadata : { ...metadata, annotations },
      status,
    };
    const { client } = this.#context;
    this.deployment = await client.update<KubeObject>(deploymentsResource, updated, "status");
    if (!sameRevision && this.deployment.metadata.annotations?.[revisionAnnotation] !== revision) {
      // A server whose status endpoint keeps annotations as they are.
      const { namespace, name } = metadata;
      const patch = { metadata: { annotations: { [revisionAnnotation]: revision } } };
      this.deployment = await client.patch(
        deploymentsResource,
        namespace,
        name!,
        "application/merge-patch+json",
        patch,
      );
    }
    return true;
  }

  #updateReplicaSet(
    replicaSet: KubeObject,
    annotations: Record<string, string>,
    spec: Record<string, unknown>,
  ): Promise<KubeObject> {
    return this.#context.client.update<KubeObject>(replicaSetsResource, {
      ...replicaSet,
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { ...replicaSet.metadata, annotations },
      spec: { ...replicaSet.spec, ...spec },
    });
  }

  /** Puts an updated replica set in the place of its former state. */
  #replace(updated: KubeObject): void {
    const { uid } = updated.metadata;
    if (this.newReplicaSet?.metadata.uid === uid) this.newReplicaSet = updated;
    else this.oldReplicaSets = this.oldReplicaSets.map((each) => (each.metadata.uid === uid ? updated : each));
  }
}
