import type { NodeInfo } from "../framework/node-info.ts";

/**
 * What a scheduling cycle sees. It shares the cache's NodeInfos: a cycle never yields, so nothing changes under it, and
 * a refresh only has to follow the nodes that changed since the last. Mirrors scheduler/backend/cache/snapshot.go (1.36).
 */
export class Snapshot {
  /** Nodes that exist, zones alternating. */
  nodeInfoList: readonly NodeInfo[] = [];
  readonly nodeInfoMap = new Map<string, NodeInfo>();
  readonly #affinity = new Set<NodeInfo>();
  readonly #requiredAntiAffinity = new Set<NodeInfo>();
  /** Of the newest change that is included. */
  generation = 0;
  /** Of the list of nodes. */
  structure = -1;

  get numNodes(): number {
    return this.nodeInfoList.length;
  }

  get(nodeName: string): NodeInfo | undefined {
    return this.nodeInfoMap.get(nodeName);
  }

  /** Nodes with pods that have inter-pod affinity of any kind. */
  get havePodsWithAffinity(): ReadonlySet<NodeInfo> {
    return this.#affinity;
  }

  get havePodsWithRequiredAntiAffinity(): ReadonlySet<NodeInfo> {
    return this.#requiredAntiAffinity;
  }

  rebuild(nodes: readonly NodeInfo[], structure: number): void {
    this.nodeInfoList = nodes;
    this.structure = structure;
    this.nodeInfoMap.clear();
    this.#affinity.clear();
    this.#requiredAntiAffinity.clear();
    for (const info of nodes) {
      this.nodeInfoMap.set(info.name, info);
      this.refresh(info);
    }
  }

  refresh(info: NodeInfo): void {
    if (info.node === undefined) return;
    toggle(this.#affinity, info, info.podsWithAffinity.size > 0);
    toggle(this.#requiredAntiAffinity, info, info.podsWithRequiredAntiAffinity.size > 0);
  }
}

function toggle(set: Set<NodeInfo>, info: NodeInfo, present: boolean): void {
  if (present) set.add(info);
  else set.delete(info);
}
