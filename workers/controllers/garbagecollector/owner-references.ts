import type { OwnerReference } from "../../apimachinery/meta.ts";
import type { BatchOperation } from "../../client/interfaces.ts";
import { resourcePath } from "../../client/resource-path.ts";
import type { Node } from "./graph.ts";
import { foregroundFinalizer, orphanFinalizer } from "./graph.ts";

/** What is known of an owner: gone, waiting in foreground deletion for its dependents, or there to stay. */
export type OwnerState = "absent" | "waiting" | "solid";

export interface ClassifiedOwners {
  solid: OwnerReference[];
  dangling: OwnerReference[];
  waiting: OwnerReference[];
}

/** Sorts a node's owners by state; undefined when the state of one is not known. */
export function classifyReferences(
  owners: readonly OwnerReference[],
  stateOf: (owner: OwnerReference) => OwnerState | undefined,
): ClassifiedOwners | undefined {
  const classified: ClassifiedOwners = { solid: [], dangling: [], waiting: [] };
  for (const owner of owners) {
    switch (stateOf(owner)) {
      case "solid":
        classified.solid.push(owner);
        break;
      case "absent":
        classified.dangling.push(owner);
        break;
      case "waiting":
        classified.waiting.push(owner);
        break;
      case undefined:
        return undefined;
    }
  }
  return classified;
}

function pathOf(node: Node): string {
  return resourcePath(node.gvr!, node.identity.namespace || undefined, node.identity.name);
}

export function getOperation(node: Node): BatchOperation {
  return { method: "GET", path: pathOf(node) };
}

/** Replaces the owner references if the object is still as last seen, else conflicts. Works for every kind. */
export function patchOwnersOperation(node: Node, owners: readonly OwnerReference[]): BatchOperation {
  const { resourceVersion, identity } = node;
  const ownerReferences = owners.length > 0 ? owners : null;
  return {
    method: "PATCH",
    path: pathOf(node),
    contentType: "application/merge-patch+json",
    body: { metadata: { resourceVersion, uid: identity.uid, ownerReferences } },
  };
}

/** Removes references to some owners. */
export function dropOwnersOperation(node: Node, uids: ReadonlySet<string>): BatchOperation {
  return patchOwnersOperation(
    node,
    node.owners.filter(({ uid }) => !uids.has(uid)),
  );
}

/** Lets all owners go without waiting for this node: breaks a circle of foreground deletions. */
export function unblockOwnersOperation(node: Node): BatchOperation {
  return patchOwnersOperation(
    node,
    node.owners.map((owner) => (owner.blockOwnerDeletion ? { ...owner, blockOwnerDeletion: false } : owner)),
  );
}

/** Deletes the object if it is still as last seen, in the way that its own finalizers ask for. */
export function deleteOperation(node: Node, policy: "Background" | "Foreground" | "Orphan"): BatchOperation {
  const preconditions = { uid: node.identity.uid, resourceVersion: node.resourceVersion };
  return {
    method: "DELETE",
    path: pathOf(node),
    body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: policy, preconditions },
  };
}

export function policyOf(node: Node): "Background" | "Foreground" | "Orphan" {
  if (node.finalizers.includes(orphanFinalizer)) return "Orphan";
  return node.finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}
