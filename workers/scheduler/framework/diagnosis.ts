import type { NodeInfo } from "./node-info.ts";
import type { Code } from "./status.ts";
import { Status } from "./status.ts";

/** Per-node outcomes of Filter; nodes that were not evaluated have the absent status. Mirrors framework.NodeToStatus. */
export class NodeToStatus {
  readonly #statuses = new Map<string, Status>();
  absentNodesStatus: Status = new Status("UnschedulableAndUnresolvable");

  get size(): number {
    return this.#statuses.size;
  }

  get(nodeName: string): Status {
    return this.#statuses.get(nodeName) ?? this.absentNodesStatus;
  }

  set(nodeName: string, status: Status): void {
    this.#statuses.set(nodeName, status);
  }

  entries(): IterableIterator<[string, Status]> {
    return this.#statuses.entries();
  }

  /** Nodes of the snapshot with this code, absent ones included when that is their code. */
  nodesForStatusCode(nodes: readonly NodeInfo[], code: Code): NodeInfo[] {
    if (this.absentNodesStatus.code !== code && this.#statuses.size === 0) return [];
    return nodes.filter((info) => this.get(info.name).code === code);
  }
}

/** Why a pod did not fit. Mirrors framework.Diagnosis. */
export class Diagnosis {
  nodeToStatus = new NodeToStatus();
  readonly unschedulablePlugins = new Set<string>();
  readonly pendingPlugins = new Set<string>();
  preFilterMsg = "";
  postFilterMsg = "";

  addPluginStatus(status: Status): void {
    if (status.plugin === "") return;
    if (status.code === "Pending") this.pendingPlugins.add(status.plugin);
    if (status.code === "Unschedulable" || status.code === "UnschedulableAndUnresolvable") {
      this.unschedulablePlugins.add(status.plugin);
    }
  }
}

/** The pod fits on no node: what users read in FailedScheduling. Mirrors framework/types.go FitError (1.36). */
export function fitErrorMessage(numAllNodes: number, diagnosis: Diagnosis): string {
  const { nodeToStatus, preFilterMsg, postFilterMsg } = diagnosis;
  let message = `0/${numAllNodes} nodes are available:`;
  if (preFilterMsg !== "") {
    message += ` ${preFilterMsg}.`;
  } else {
    const histogram = new Map<string, number>();
    const count = (status: Status, by: number) => {
      for (const reason of status.reasons) histogram.set(reason, (histogram.get(reason) ?? 0) + by);
    };
    for (const [, status] of nodeToStatus.entries()) count(status, 1);
    if (nodeToStatus.size < numAllNodes) count(nodeToStatus.absentNodesStatus, numAllNodes - nodeToStatus.size);
    // Sorted as texts, so "10 x" comes before "2 y".
    const lines = [...histogram].map(([reason, times]) => `${times} ${reason}`).sort(byCodeUnits);
    if (lines.length > 0) message += ` ${lines.join(", ")}.`;
  }
  if (postFilterMsg !== "") message += ` ${postFilterMsg}`;
  return message;
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
