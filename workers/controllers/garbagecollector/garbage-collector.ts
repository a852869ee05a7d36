import type { TimerHandle } from "../../apimachinery/clock.ts";
import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import type { KubeObject, OwnerReference } from "../../apimachinery/meta.ts";
import { isConflict, isNotFound } from "../../apimachinery/status-errors.ts";
import type { BatchOperation } from "../../client/interfaces.ts";
import { resourcePath } from "../../client/resource-path.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import { ItemExponentialFailureRateLimiter } from "../../workqueue/rate-limiters.ts";
import { newRateLimitingQueue } from "../../workqueue/workqueue.ts";
import { handleError } from "../handle-error.ts";
import type { BatchOutcome } from "../run-batch.ts";
import { maxBatchOperations, runBatch } from "../run-batch.ts";
import type { Node } from "./graph.ts";
import { DependencyGraph, blockingDependents, foregroundFinalizer, orphanFinalizer } from "./graph.ts";
import { Monitors } from "./monitors.ts";
import type { ObjectReference } from "./object-reference.ts";
import { formatReference, referenceKey, referenceOf } from "./object-reference.ts";
import type { OwnerState } from "./owner-references.ts";
import {
  classifyReferences,
  deleteOperation,
  dropOwnersOperation,
  getOperation,
  policyOf,
  unblockOwnersOperation,
} from "./owner-references.ts";
import { RESTMapper } from "./rest-mapper.ts";

export interface GarbageCollectorOptions {
  /** The types that have objects and can be listed, watched and deleted; asked on start and on every refresh. */
  resources: () => Promise<GroupVersionResource[]>;
  /** Called when informers were asked for that the host may not have started yet. */
  startInformers?: () => void;
}

/** After so many failures an item waits until the set of types changes. */
const maxRetries = 10;

/** How often the types in use are asked for while the collector runs. */
const refreshMilliseconds = 10_000;

const verifyPrefix = "verify:";

/**
 * Deletes objects whose owners are all gone, and carries out foreground and orphaning deletion. Work is taken in bulk:
 * the dependents of a large owner cost one live read of the owner and one batch of deletions. What an informer shows is
 * used for optimistic writes (each bound to uid and resource version); that something does not exist is believed only
 * after its deletion was observed or a live read. Mirrors pkg/controller/garbagecollector/garbagecollector.go (1.36).
 */
export class GarbageCollector implements Controller {
  readonly name = "garbage-collector-controller";
  readonly graph: DependencyGraph;
  readonly #context: ControllerContext;
  readonly #mapper: RESTMapper;
  readonly #monitors: Monitors;
  /** uids of nodes to judge, or {@link verifyPrefix} and the uid of a virtual one. */
  readonly #deletions;
  /** uids of nodes whose dependents are to be orphaned. */
  readonly #orphans;
  /** Nodes whose last optimistic write lost: read them live before the next. */
  readonly #stale = new Set<string>();
  readonly #unresolved = new Set<string>();
  #refreshing: Promise<void> | undefined;

  constructor(context: ControllerContext, options: GarbageCollectorOptions) {
    this.#context = context;
    this.#mapper = new RESTMapper(context.client);
    this.#deletions = newRateLimitingQueue<string>(context.clock, {
      rateLimiter: new ItemExponentialFailureRateLimiter(5, 60_000),
    });
    this.#orphans = newRateLimitingQueue<string>(context.clock);
    const recorder = context.recorder(this.name);
    this.graph = new DependencyGraph({
      attemptToDelete: (node) => this.#deletions.add(node.identity.uid),
      verify: (node) => this.#deletions.add(verifyPrefix + node.identity.uid),
      attemptToOrphan: (node) => this.#orphans.add(node.identity.uid),
      invalidOwnerNamespace: ({ identity }, owner) => {
        const { apiVersion, kind, name, namespace, uid } = identity;
        const about = { apiVersion, kind, metadata: { name, uid, ...(namespace ? { namespace } : {}) } };
        const reference = formatReference(referenceOf(owner, namespace));
        const message = `ownerRef ${reference} does not exist in namespace "${namespace}"`;
        recorder.event(about, "Warning", "OwnerRefInvalidNamespace", message);
      },
    });
    this.#monitors = new Monitors(context, this.#mapper, this.graph, options);
  }

  get pending(): number {
    return this.#deletions.pending + this.#orphans.pending;
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      this.#deletions.shutDown();
      this.#orphans.shutDown();
      this.#monitors.stop();
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const { clock } = this.#context;
    let timer: TimerHandle;
    const refreshAgain = (): void => {
      if (signal.aborted) return;
      this.#refreshInBackground();
      timer = clock.setTimeout(refreshAgain, refreshMilliseconds);
    };
    timer = clock.setTimeout(refreshAgain, refreshMilliseconds);
    signal.addEventListener("abort", () => clock.clearTimeout(timer), { once: true });
    await this.refresh().catch((error: unknown) => handleError(this.name, "error refreshing the monitors", error));
    await Promise.all([this.#deleteLoop(), this.#orphanLoop()]);
  }

  /** Brings the monitored types up to date with what is in use. A host may call it when it knows of a change. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    if (!(await this.#monitors.sync())) return;
    for (const key of this.#unresolved) this.#deletions.add(key);
    this.#unresolved.clear();
  }

  async #deleteLoop(): Promise<void> {
    const queue = this.#deletions;
    for (;;) {
      const first = await queue.get();
      if (first === undefined) return;
      const keys = [first];
      while (queue.length > 0 && keys.length < maxBatchOperations) {
        const key = await queue.get();
        if (key === undefined) break;
        keys.push(key);
      }
      try {
        await this.attemptToDelete(keys);
      } catch (error) {
        for (const key of keys) this.#retry(key, error);
      } finally {
        for (const key of keys) queue.done(key);
      }
    }
  }

  async #orphanLoop(): Promise<void> {
    for (;;) {
      const key = await this.#orphans.get();
      if (key === undefined) return;
      try {
        await this.attemptToOrphan(key);
        this.#orphans.forget(key);
      } catch (error) {
        handleError(this.name, `error orphaning dependents of ${key}`, error);
        this.#orphans.addRateLimited(key);
      } finally {
        this.#orphans.done(key);
      }
    }
  }

  #retry(key: string, error: unknown): void {
    handleError(this.name, `error processing ${key}`, error);
    if (isConflict(error)) this.#stale.add(key);
    if (this.#deletions.numRequeues(key) < maxRetries || isConflict(error)) {
      this.#deletions.addRateLimited(key);
    } else {
      this.#deletions.forget(key);
      this.#unresolved.add(key);
    }
  }

  /** Judges nodes and does what follows. Each node is retried on its own. Public for tests. */
  async attemptToDelete(keys: readonly string[]): Promise<void> {
    const virtual: Node[] = [];
    const nodes: Node[] = [];
    for (const key of keys) {
      const isVerification = key.startsWith(verifyPrefix);
      const node = this.graph.get(isVerification ? key.slice(verifyPrefix.length) : key);
      if (node === undefined || isVerification !== node.virtual) this.#forget(key);
      else if (node.virtual) virtual.push(node);
      else nodes.push(node);
    }
    await this.#verifyVirtual(virtual);
    await this.#readStale(nodes);
    const finalized: Node[] = [];
    const owned: Node[] = [];
    for (const node of nodes) {
      const isCurrent = this.graph.get(node.identity.uid) === node;
      if (isCurrent && node.deletingDependents) this.#awaitDependents(node, finalized);
      else if (isCurrent && !node.beingDeleted && node.owners.length > 0) owned.push(node);
      else this.#forget(node.identity.uid);
    }
    await Promise.all(finalized.map((node) => this.#finish(node)));
    await this.#deleteOrRelease(owned);
  }

  #forget(key: string): void {
    this.#deletions.forget(key);
    this.#stale.delete(key);
  }

  /** Asks for objects that only references speak of. */
  async #verifyVirtual(nodes: readonly Node[]): Promise<void> {
    const states = await this.#liveStates(nodes.map(({ identity }) => identity));
    for (const node of nodes) {
      const key = verifyPrefix + node.identity.uid;
      const state = states.get(referenceKey(node.identity));
      if (state instanceof Error) {
        this.#retry(key, state);
        continue;
      }
      this.#forget(key);
      if (state === "absent") this.graph.verifiedAbsent(node, node.identity);
    }
  }

  /** Reads nodes live whose last write lost a race. */
  async #readStale(nodes: readonly Node[]): Promise<void> {
    const stale = nodes.filter(({ identity }) => this.#stale.has(identity.uid));
    const outcomes = await runBatch(this.#context.client, stale.map(getOperation));
    for (const [index, node] of stale.entries()) {
      const { object, error } = outcomes[index]!;
      if (error !== undefined && !isNotFound(error)) continue;
      this.#stale.delete(node.identity.uid);
      if (object === undefined || object.metadata.uid !== node.identity.uid) this.graph.remove(node.identity.uid);
      else this.graph.observe(node.gvr!, node.identity, object);
    }
  }

  /** A node in foreground deletion: it may go once nothing that blocks it is left. */
  #awaitDependents(node: Node, finalized: Node[]): void {
    const blocking = blockingDependents(node);
    if (blocking.length === 0) {
      finalized.push(node);
      return;
    }
    for (const dependent of blocking) {
      if (!dependent.deletingDependents) this.#deletions.add(dependent.identity.uid);
    }
    this.#forget(node.identity.uid);
  }

  async #finish(node: Node): Promise<void> {
    const { uid } = node.identity;
    try {
      await this.#removeFinalizer(node, foregroundFinalizer);
      this.#forget(uid);
    } catch (error) {
      this.#retry(uid, error);
    }
  }

  async #deleteOrRelease(nodes: readonly Node[]): Promise<void> {
    const states = await this.#ownerStates(nodes);
    const unblocks: { node: Node; operation: BatchOperation }[] = [];
    const writes: { node: Node; operation: BatchOperation }[] = [];
    for (const node of nodes) {
      const { uid, namespace } = node.identity;
      if (this.graph.get(uid) !== node || node.beingDeleted) {
        this.#forget(uid);
        continue;
      }
      let failure: Error | undefined;
      const classified = classifyReferences(node.owners, (owner) => {
        const state = states.get(referenceKey(referenceOf(owner, namespace)));
        if (state instanceof Error) failure = state;
        return state instanceof Error ? undefined : state;
      });
      if (classified === undefined) {
        // Discovery or a read failed, or the owners have changed meanwhile.
        if (failure instanceof NamespacedOwnerError) this.#forget(uid);
        else if (failure !== undefined) this.#retry(uid, failure);
        else this.#deletions.add(uid);
        continue;
      }
      const { solid, dangling, waiting } = classified;
      if (solid.length > 0) {
        if (dangling.length + waiting.length === 0) {
          this.#forget(uid);
          continue;
        }
        const gone = new Set([...dangling, ...waiting].map((owner) => owner.uid));
        writes.push({ node, operation: dropOwnersOperation(node, gone) });
      } else if (waiting.length > 0 && node.dependents.size > 0) {
        const isCircular = [...node.dependents].some((dependent) => dependent.deletingDependents);
        if (isCircular) unblocks.push({ node, operation: unblockOwnersOperation(node) });
        else writes.push({ node, operation: deleteOperation(node, "Foreground") });
      } else {
        writes.push({ node, operation: deleteOperation(node, policyOf(node)) });
      }
    }
    await this.#write(unblocks);
    for (const { node } of unblocks) {
      if (!this.#stale.has(node.identity.uid)) writes.push({ node, operation: deleteOperation(node, "Foreground") });
    }
    await this.#write(writes);
  }

  /** Sends optimistic writes; a lost race is retried after a live read. */
  async #write(writes: readonly { node: Node; operation: BatchOperation }[]): Promise<void> {
    const outcomes = await runBatch(
      this.#context.client,
      writes.map(({ operation }) => operation),
    );
    for (const [index, { node, operation }] of writes.entries()) {
      const { uid } = node.identity;
      const { object, error } = outcomes[index] as BatchOutcome;
      if (error === undefined) {
        this.#forget(uid);
        if (operation.method === "PATCH") node.resourceVersion = object.metadata.resourceVersion;
        // The informer will say so too; until then another look at it would only lose a race.
        else node.beingDeleted = true;
      } else if (isNotFound(error)) {
        this.#forget(uid);
        this.graph.remove(uid);
      } else {
        this.#retry(uid, error);
      }
    }
  }

  /** States of all owners of some nodes. Owners that an informer shows need no read: their end will be observed. */
  async #ownerStates(nodes: readonly Node[]): Promise<Map<string, OwnerState | Error>> {
    const states = new Map<string, OwnerState | Error>();
    const unknown: ObjectReference[] = [];
    for (const node of nodes) {
      const { namespace } = node.identity;
      for (const owner of node.owners) {
        const reference = referenceOf(owner, namespace);
        const key = referenceKey(reference);
        if (states.has(key)) continue;
        const state = this.#graphState(owner, namespace);
        if (state !== undefined) states.set(key, state);
        else unknown.push(reference);
      }
    }
    for (const [key, state] of await this.#liveStates(unknown)) states.set(key, state);
    return states;
  }

  #graphState(owner: OwnerReference, namespace: string): OwnerState | undefined {
    if (this.graph.isAbsent(owner, namespace)) return "absent";
    const node = this.graph.get(owner.uid);
    if (node === undefined || node.virtual) return undefined;
    const { identity } = node;
    const isSame =
      identity.name === owner.name &&
      identity.kind === owner.kind &&
      identity.apiVersion === owner.apiVersion &&
      (identity.namespace === "" || identity.namespace === namespace);
    if (!isSame) return undefined;
    return node.beingDeleted && node.finalizers.includes(foregroundFinalizer) ? "waiting" : "solid";
  }

  /** Live states of references, each read once, in batches. */
  async #liveStates(references: readonly ObjectReference[]): Promise<Map<string, OwnerState | Error>> {
    const states = new Map<string, OwnerState | Error>();
    const reads: { key: string; reference: ObjectReference; operation: BatchOperation; gvr: GroupVersionResource }[] =
      [];
    const seen = new Set<string>();
    for (const reference of references) {
      const key = referenceKey(reference);
      if (seen.has(key)) continue;
      seen.add(key);
      try {
        const mapping = await this.#mapper.mapping(reference.apiVersion, reference.kind);
        if (mapping === undefined) {
          states.set(key, new Error(`no matches for kind "${reference.kind}" in version "${reference.apiVersion}"`));
        } else if (mapping.namespaced && reference.namespace === "") {
          states.set(key, new NamespacedOwnerError(reference));
        } else {
          const namespace = mapping.namespaced ? reference.namespace : undefined;
          const path = resourcePath(mapping.gvr, namespace, reference.name);
          reads.push({ key, reference, operation: { method: "GET", path }, gvr: mapping.gvr });
        }
      } catch (error) {
        states.set(key, error instanceof Error ? error : new Error(String(error)));
      }
    }
    const outcomes = await runBatch(
      this.#context.client,
      reads.map(({ operation }) => operation),
    );
    for (const [index, { key, reference, gvr }] of reads.entries()) {
      const { object, error } = outcomes[index]!;
      if (error !== undefined && !isNotFound(error)) states.set(key, error);
      else if (object === undefined || object.metadata.uid !== reference.uid) {
        states.set(key, "absent");
        this.graph.absentOwners.add(reference);
      } else {
        states.set(key, liveState(object));
        // It exists and no informer shows it: its type has come into use since the last refresh.
        if (!this.#monitors.has(gvr)) this.#refreshInBackground();
      }
    }
    return states;
  }

  #refreshInBackground(): void {
    this.refresh().catch((error: unknown) => handleError(this.name, "error refreshing the monitors", error));
  }

  /** Takes the reference to an owner out of all its dependents, then the finalizer that asked for it. Public for tests. */
  async attemptToOrphan(uid: string): Promise<void> {
    const node = this.graph.get(uid);
    if (node === undefined || node.virtual) return;
    const dependents = [...node.dependents];
    await this.#readStale(dependents);
    const writes = dependents
      .filter(({ owners }) => owners.some((owner) => owner.uid === uid))
      .map((dependent) => ({ dependent, operation: dropOwnersOperation(dependent, new Set([uid])) }));
    const outcomes = await runBatch(
      this.#context.client,
      writes.map(({ operation }) => operation),
    );
    let failure: Error | undefined;
    for (const [index, { dependent }] of writes.entries()) {
      const error = outcomes[index]!.error;
      if (error === undefined || isNotFound(error)) continue;
      if (isConflict(error)) this.#stale.add(dependent.identity.uid);
      failure ??= error;
    }
    if (failure !== undefined) throw failure;
    await this.#removeFinalizer(node, orphanFinalizer);
  }

  async #removeFinalizer(node: Node, finalizer: string): Promise<void> {
    const { client } = this.#context;
    const { name, uid } = node.identity;
    const namespace = node.identity.namespace || undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        const live = await client.get(node.gvr!, namespace, name);
        const finalizers = live.metadata.finalizers ?? [];
        if (live.metadata.uid !== uid || !finalizers.includes(finalizer)) return;
        const rest = finalizers.filter((each) => each !== finalizer);
        const { resourceVersion } = live.metadata;
        const patch = { metadata: { resourceVersion, uid, finalizers: rest.length > 0 ? rest : null } };
        await client.patch(node.gvr!, namespace, name, "application/merge-patch+json", patch);
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || attempt === 4) throw error;
      }
    }
  }
}

/** A cluster-scoped object may not have a namespaced owner: left alone, as upstream does. */
class NamespacedOwnerError extends Error {
  constructor(reference: ObjectReference) {
    super(`cluster-scoped objects cannot refer to namespaced owners: ${formatReference(reference)}`);
  }
}

function liveState({ metadata }: KubeObject): OwnerState {
  const isWaiting = metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(foregroundFinalizer);
  return isWaiting ? "waiting" : "solid";
}

export function newGarbageCollector(context: ControllerContext, options: GarbageCollectorOptions): GarbageCollector {
  return new GarbageCollector(context, options);
}
