import type { Snapshot } from "./cache/snapshot.ts";
import type { CycleState } from "./framework/cycle-state.ts";
import { Diagnosis } from "./framework/diagnosis.ts";
import type { Framework, NodeScores } from "./framework/framework.ts";
import type { NodeInfo } from "./framework/node-info.ts";
import type { PodInfo } from "./framework/pod-info.ts";
import type { MaybeStatus, Status } from "./framework/status.ts";
import { isRejected, isSuccess, unresolvable } from "./framework/status.ts";

const minFeasibleNodesToFind = 100;
const minFeasibleNodesPercentageToFind = 5;

export type ScheduleResult =
  | { kind: "scheduled"; nodeName: string; evaluatedNodes: number; feasibleNodes: number }
  | { kind: "unfit"; diagnosis: Diagnosis; numAllNodes: number }
  | { kind: "noNodes" }
  | { kind: "error"; status: Status };

/** Chooses a node for one pod, synchronously. Mirrors schedulePod of pkg/scheduler/schedule_one.go (1.36). */
export class SchedulingAlgorithm {
  readonly #framework: Framework;
  readonly #snapshot: Snapshot;
  readonly #random: () => number;
  readonly #percentageOfNodesToScore: number;
  /** Where the next search begins, so that all nodes are examined equally often. */
  #nextStartNodeIndex = 0;

  /** A percentage of 0 adapts to the number of nodes. */
  constructor(framework: Framework, snapshot: Snapshot, random: () => number, percentageOfNodesToScore = 0) {
    this.#framework = framework;
    this.#snapshot = snapshot;
    this.#random = random;
    this.#percentageOfNodesToScore = percentageOfNodesToScore;
  }

  schedulePod(state: CycleState, pod: PodInfo): ScheduleResult {
    const numAllNodes = this.#snapshot.numNodes;
    if (numAllNodes === 0) return { kind: "noNodes" };
    const diagnosis = new Diagnosis();
    const found = this.#findNodesThatFitPod(state, pod, diagnosis);
    if (!Array.isArray(found)) return { kind: "error", status: found };
    if (found.length === 0) return { kind: "unfit", diagnosis, numAllNodes };
    const evaluatedNodes = found.length + diagnosis.nodeToStatus.size;
    if (found.length === 1) {
      return { kind: "scheduled", nodeName: found[0]!.name, evaluatedNodes, feasibleNodes: 1 };
    }
    const scores = this.#prioritizeNodes(state, pod, found);
    if ("code" in scores) return { kind: "error", status: scores };
    const nodeName = found[selectHost(scores.total, this.#random)]!.name;
    return { kind: "scheduled", nodeName, evaluatedNodes, feasibleNodes: found.length };
  }

  #findNodesThatFitPod(state: CycleState, pod: PodInfo, diagnosis: Diagnosis): NodeInfo[] | Status {
    const allNodes = this.#snapshot.nodeInfoList;
    const { status, nodeNames, plugins } = this.#framework.runPreFilter(state, pod, allNodes);
    for (const plugin of plugins) diagnosis.unschedulablePlugins.add(plugin);
    if (!isSuccess(status)) {
      if (!isRejected(status)) return status;
      diagnosis.nodeToStatus.absentNodesStatus = status!;
      diagnosis.preFilterMsg = status.message;
      diagnosis.addPluginStatus(status);
      return [];
    }

    const nominated = this.#snapshot.get(pod.pod.status?.nominatedNodeName ?? "");
    if (nominated !== undefined && isSuccess(this.#framework.runFilterWithNominatedPods(state, pod, nominated))) {
      return [nominated];
    }

    let nodes: readonly NodeInfo[] = allNodes;
    if (nodeNames !== undefined) {
      nodes = [...nodeNames].map((name) => this.#snapshot.get(name)).filter((info) => info !== undefined);
      diagnosis.nodeToStatus.absentNodesStatus = unresolvable(
        "",
        `node(s) didn't satisfy plugin(s) [${[...plugins].sort().join(" ")}]`,
      );
    }
    const feasible = this.#findNodesThatPassFilters(state, pod, diagnosis, nodes);
    if (Array.isArray(feasible)) {
      const processed = feasible.length + diagnosis.nodeToStatus.size;
      this.#nextStartNodeIndex = (this.#nextStartNodeIndex + processed) % allNodes.length;
    }
    return feasible;
  }

  #findNodesThatPassFilters(
    state: CycleState,
    pod: PodInfo,
    diagnosis: Diagnosis,
    nodes: readonly NodeInfo[],
  ): NodeInfo[] | Status {
    const wanted = this.#framework.hasScorePlugins
      ? numFeasibleNodesToFind(this.#percentageOfNodesToScore, nodes.length)
      : 1;
    const feasible: NodeInfo[] = [];
    for (let i = 0; i < nodes.length && feasible.length < wanted; i++) {
      const node = nodes[(this.#nextStartNodeIndex + i) % nodes.length]!;
      const status = this.#framework.runFilterWithNominatedPods(state, pod, node);
      if (isSuccess(status)) {
        feasible.push(node);
        continue;
      }
      if (status.code === "Error") return status;
      diagnosis.nodeToStatus.set(node.name, status);
      diagnosis.addPluginStatus(status);
    }
    return feasible;
  }

  #prioritizeNodes(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): NodeScores | Status {
    if (!this.#framework.hasScorePlugins) return { total: nodes.map(() => 1), byPlugin: new Map() };
    const status: MaybeStatus = this.#framework.runPreScore(state, pod, nodes);
    if (!isSuccess(status)) return status;
    return this.#framework.runScore(state, pod, nodes);
  }
}

/** After how many feasible nodes the search may stop: all below 100, then a share that shrinks as clusters grow. */
export function numFeasibleNodesToFind(percentageOfNodesToScore: number, numAllNodes: number): number {
  if (numAllNodes < minFeasibleNodesToFind) return numAllNodes;
  let percentage = percentageOfNodesToScore;
  if (percentage === 0) {
    percentage = Math.max(50 - Math.trunc(numAllNodes / 125), minFeasibleNodesPercentageToFind);
  }
  return Math.max(Math.trunc((numAllNodes * percentage) / 100), minFeasibleNodesToFind);
}

/** Index of the highest total; among equals each is as likely as the others. */
export function selectHost(totals: readonly number[], random: () => number): number {
  let best = 0;
  let equals = 1;
  for (let i = 1; i < totals.length; i++) {
    if (totals[i]! > totals[best]!) {
      best = i;
      equals = 1;
    } else if (totals[i] === totals[best]) {
      equals++;
      if (random() * equals < 1) best = i;
    }
  }
  return best;
}
