import type { CycleState } from "../framework/cycle-state.ts";
import type { ClusterEventWithHint } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import type { Plugin } from "../framework/interface.ts";
import { maxNodeScore } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo, Toleration } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { unresolvable } from "../framework/status.ts";
import { names } from "./names.ts";
import { defaultNormalizeScore } from "./normalize-score.ts";
import { findUntoleratedTaint, tolerationsTolerate } from "./tolerations.ts";

const stateKey = `PreScore${names.taintToleration}`;

/** Mirrors plugins/tainttoleration/taint_toleration.go (1.36). */
export class TaintToleration implements Plugin {
  readonly name = names.taintToleration;
  readonly #untolerated = unresolvable(names.taintToleration, "node(s) had untolerated taint(s)");

  eventsToRegister(): ClusterEventWithHint[] {
    return [
      {
        event: { resource: "Node", action: Action.Add | Action.UpdateNodeTaint },
        hint: (pod, previous, current) => {
          const tolerated = (node: any) =>
            findUntoleratedTaint(node?.spec?.taints ?? [], pod.tolerations) === undefined;
          return tolerated(current) && (previous === undefined || !tolerated(previous));
        },
      },
      { event: { resource: "UnscheduledPod", action: Action.UpdatePodToleration } },
    ];
  }

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus {
    if (node.taints.length === 0 || findUntoleratedTaint(node.taints, pod.tolerations) === undefined) return undefined;
    return this.#untolerated;
  }

  preScore(state: CycleState, pod: PodInfo): MaybeStatus {
    const preferNoSchedule = pod.tolerations.filter(({ effect }) => !effect || effect === "PreferNoSchedule");
    state.write(stateKey, preferNoSchedule);
    return undefined;
  }

  /** The number of PreferNoSchedule taints that the pod does not tolerate. */
  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    if (node.taints.length === 0) return 0;
    const tolerations = state.read<Toleration[]>(stateKey) ?? [];
    let intolerable = 0;
    for (const taint of node.taints) {
      if (taint.effect === "PreferNoSchedule" && !tolerationsTolerate(tolerations, taint)) intolerable++;
    }
    return intolerable;
  }

  normalizeScore(_state: CycleState, _pod: PodInfo, _nodes: readonly NodeInfo[], scores: number[]): void {
    defaultNormalizeScore(maxNodeScore, true, scores);
  }
}
