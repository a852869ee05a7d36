import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import type { KubeObject, OwnerReference } from "../../apimachinery/meta.ts";
import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { ReferenceCache, matchesCoordinates, referenceOf } from "./object-reference.ts";
import type { ObjectReference } from "./object-reference.ts";

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** An object as the graph knows it. */
export interface Node {
  identity: ObjectReference;
  /** The type whose informer showed the object; undefined while virtual. */
  gvr: GroupVersionResource | undefined;
  /** As last seen, for optimistic writes. */
  resourceVersion: string | undefined;
  finalizers: readonly string[];
  owners: readonly OwnerReference[];
  readonly dependents: Set<Node>;
  beingDeleted: boolean;
  /** In foreground deletion: it goes after its blocking dependents. */
  deletingDependents: boolean;
  /** Known only from the references of dependents; whether it exists is still to be verified. */
  virtual: boolean;
}

/** What the graph asks of the collector; all are idempotent. */
export interface GraphSink {
  attemptToDelete(node: Node): void;
  /** A virtual node appeared: is there such an object at all? */
  verify(node: Node): void;
  attemptToOrphan(node: Node): void;
  invalidOwnerNamespace(dependent: Node, owner: OwnerReference): void;
}

/**
 * Who owns whom, by uid, as the informers tell it. Pure bookkeeping: it decides what is worth a look, the collector
 * looks at live objects before it deletes anything. Mirrors pkg/controller/garbagecollector/graph_builder.go (1.36).
 */
export class DependencyGraph {
  /** Owners that are known not to exist. */
  readonly absentOwners = new ReferenceCache(500);
  readonly #nodes = new Map<string, Node>();
  readonly #sink: GraphSink;

  constructor(sink: GraphSink) {
    this.#sink = sink;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }

  /** An object was added or changed. */
  observe(gvr: GroupVersionResource, identity: ObjectReference, object: KubeObject): void {
    const { metadata } = object;
    const owners = metadata.ownerReferences ?? [];
    const finalizers = metadata.finalizers ?? [];
    const beingDeleted = metadata.deletionTimestamp !== undefined;
    const existing = this.#nodes.get(identity.uid);
    if (existing === undefined) {
      const node: Node = {
        identity,
        gvr,
        resourceVersion: metadata.resourceVersion,
        finalizers,
        owners,
        dependents: new Set(),
        beingDeleted,
        deletingDependents: beingDeleted && finalizers.includes(foregroundFinalizer),
        virtual: false,
      };
      this.#nodes.set(identity.uid, node);
      this.#addToOwners(node, owners);
      this.#transition(node, false, []);
      return;
    }
    if (existing.virtual) this.#materialise(existing, identity);
    const wasDeleted = existing.beingDeleted;
    const oldFinalizers = existing.finalizers;
    existing.gvr = gvr;
    existing.resourceVersion = metadata.resourceVersion;
    existing.finalizers = finalizers;
    this.#updateOwners(existing, owners);
    if (beingDeleted) existing.beingDeleted = true;
    this.#transition(existing, wasDeleted, oldFinalizers);
  }

  /** An object is gone: its dependents and the owners that wait for it deserve a look. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    this.#removeFromOwners(node, node.owners);
    if (node.dependents.size > 0) this.absentOwners.add(node.identity);
    for (const dependent of node.dependents) this.#sink.attemptToDelete(dependent);
    for (const { uid: ownerUID } of node.owners) {
      const owner = this.#nodes.get(ownerUID);
      if (owner?.deletingDependents) this.#sink.attemptToDelete(owner);
    }
  }

  /**
   * A live read proved that nothing with these coordinates and this uid exists. Dependents that name it so deserve a
   * look; if others name the uid with other coordinates, those are verified next.
   */
  verifiedAbsent(node: Node, absent: ObjectReference): void {
    if (this.#nodes.get(node.identity.uid) !== node) return;
    if (!node.virtual) return this.remove(node.identity.uid);
    this.absentOwners.add(absent);
    let other: ObjectReference | undefined;
    for (const dependent of node.dependents) {
      const owner = dependent.owners.find(({ uid }) => uid === absent.uid);
      const { namespace } = dependent.identity;
      if (owner === undefined) continue;
      const isAbsent = matchesCoordinates(owner, absent) && (absent.namespace === "" || absent.namespace === namespace);
      if (isAbsent) this.#sink.attemptToDelete(dependent);
      else if (!this.isAbsent(owner, namespace)) other ??= referenceOf(owner, namespace);
    }
    if (other === undefined) {
      this.#nodes.delete(node.identity.uid);
      return;
    }
    node.identity = other;
    this.#sink.verify(node);
  }

  /** Whether an owner, as a dependent in this namespace names it, is known to be absent. */
  isAbsent(owner: OwnerReference, namespace: string): boolean {
    return this.absentOwners.has(referenceOf(owner, "")) || this.absentOwners.has(referenceOf(owner, namespace));
  }

  /** A type is no longer served or watched. */
  removeType(gvr: GroupVersionResource): void {
    for (const node of [...this.#nodes.values()]) {
      if (node.gvr?.group !== gvr.group || node.gvr.resource !== gvr.resource) continue;
      this.#nodes.delete(node.identity.uid);
      this.#removeFromOwners(node, node.owners);
    }
  }

  #materialise(node: Node, identity: ObjectReference): void {
    node.virtual = false;
    node.identity = identity;
    for (const dependent of node.dependents) {
      for (const owner of dependent.owners) {
        if (owner.uid === identity.uid && !this.#isValid(dependent, owner, identity)) {
          this.#sink.attemptToDelete(dependent);
        }
      }
    }
  }

  #isValid(dependent: Node, owner: OwnerReference, identity: ObjectReference): boolean {
    if (identity.namespace !== "" && identity.namespace !== dependent.identity.namespace) {
      this.#sink.invalidOwnerNamespace(dependent, owner);
      return false;
    }
    return matchesCoordinates(owner, identity);
  }

  #addToOwners(node: Node, owners: readonly OwnerReference[]): void {
    let suspicious = false;
    for (const owner of owners) {
      let ownerNode = this.#nodes.get(owner.uid);
      if (ownerNode === undefined) {
        ownerNode = {
          identity: referenceOf(owner, node.identity.namespace),
          gvr: undefined,
          resourceVersion: undefined,
          finalizers: [],
          owners: [],
          dependents: new Set(),
          beingDeleted: false,
          deletingDependents: false,
          virtual: true,
        };
        this.#nodes.set(owner.uid, ownerNode);
        this.#sink.verify(ownerNode);
      } else if (!ownerNode.virtual && !this.#isValid(node, owner, ownerNode.identity)) {
        suspicious = true;
      }
      ownerNode.dependents.add(node);
    }
    if (suspicious) this.#sink.attemptToDelete(node);
  }

  #removeFromOwners(node: Node, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const owner = this.#nodes.get(uid);
      if (owner === undefined) continue;
      owner.dependents.delete(node);
      if (owner.virtual && owner.dependents.size === 0) this.#nodes.delete(uid);
    }
  }

  #updateOwners(node: Node, owners: readonly OwnerReference[]): void {
    const before = new Map(node.owners.map((owner) => [owner.uid, owner]));
    const after = new Map(owners.map((owner) => [owner.uid, owner]));
    const added = owners.filter(({ uid }) => !before.has(uid));
    const removed = node.owners.filter(({ uid }) => !after.has(uid));
    const changed = owners.filter((owner) => before.has(owner.uid) && !semanticEqual(before.get(owner.uid), owner));
    node.owners = owners;
    if (added.length === 0 && removed.length === 0 && changed.length === 0) return;
    // An owner that waited for this dependent may go on when the reference is gone or no longer blocks.
    const unblocked = [
      ...removed.filter((owner) => owner.blockOwnerDeletion === true),
      ...changed.filter((owner) => before.get(owner.uid)!.blockOwnerDeletion === true && !owner.blockOwnerDeletion),
    ];
    for (const { uid } of unblocked) {
      const owner = this.#nodes.get(uid);
      if (owner?.deletingDependents) this.#sink.attemptToDelete(owner);
    }
    this.#removeFromOwners(node, removed);
    this.#addToOwners(node, added);
    if (changed.length > 0) this.#sink.attemptToDelete(node);
  }

  /** Reacts when a deletion begins that must wait, or when the wish to wait is added to one under way. */
  #transition(node: Node, wasDeleted: boolean, oldFinalizers: readonly string[]): void {
    if (!node.beingDeleted) return;
    const begins = (finalizer: string): boolean =>
      node.finalizers.includes(finalizer) && !(wasDeleted && oldFinalizers.includes(finalizer));
    if (begins(orphanFinalizer)) {
      this.#sink.attemptToOrphan(node);
      return;
    }
    if (!begins(foregroundFinalizer)) return;
    node.deletingDependents = true;
    for (const dependent of node.dependents) this.#sink.attemptToDelete(dependent);
    this.#sink.attemptToDelete(node);
  }
}

/** Dependents without which a node in foreground deletion may not go. */
export function blockingDependents(node: Node): Node[] {
  return [...node.dependents].filter((dependent) =>
    dependent.owners.some((owner) => owner.uid === node.identity.uid && owner.blockOwnerDeletion === true),
  );
}
