import type { CycleState } from "../framework/cycle-state.ts";
import type { NodeToStatus } from "../framework/diagnosis.ts";
import { Diagnosis, fitErrorMessage } from "../framework/diagnosis.ts";
import type { Handle, Plugin, PostFilterResult } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { isSuccess, Status, unresolvable, unschedulable } from "../framework/status.ts";
import { names } from "./names.ts";

/**
 * Says whether evicting pods of lower priority would help, and why not where it would not; it evicts nothing. When it
 * would help it stays silent. Mirrors the evaluation of plugins/defaultpreemption and framework/preemption (1.36).
 */
export class DefaultPreemption implements Plugin {
  readonly name = names.defaultPreemption;
  readonly #handle: Pick<Handle, "snapshot" | "framework">;
  readonly #noVictims = unresolvable(names.defaultPreemption, "No preemption victims found for incoming pod");
  readonly #notHelpful = unresolvable(names.defaultPreemption, "Preemption is not helpful for scheduling");

  constructor(handle: Pick<Handle, "snapshot" | "framework">) {
    this.#handle = handle;
  }

  eventsToRegister(): [] {
    return [];
  }

  postFilter(
    state: CycleState,
    pod: PodInfo,
    statuses: NodeToStatus,
  ): { result?: PostFilterResult; status: MaybeStatus } {
    if (pod.pod.spec?.preemptionPolicy === "Never") {
      return { status: unschedulable(this.name, "preemption: not eligible due to preemptionPolicy=Never.") };
    }
    const { snapshot } = this.#handle;
    const diagnosis = new Diagnosis();
    diagnosis.nodeToStatus.absentNodesStatus = this.#notHelpful;
    for (const node of statuses.nodesForStatusCode(snapshot.nodeInfoList, "Unschedulable")) {
      const status = this.#dryRun(state, pod, node);
      if (isSuccess(status)) return { status: new Status("Unschedulable", [], this.name) };
      diagnosis.nodeToStatus.set(node.name, status);
    }
    // Upstream also withdraws a nomination that cannot be fulfilled any more.
    return {
      result: { nominatedNodeName: "" },
      status: unschedulable(this.name, `preemption: ${fitErrorMessage(snapshot.numNodes, diagnosis)}`),
    };
  }

  /** Success: the pod would fit if all pods of lower priority left the node. */
  #dryRun(state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus {
    const victims = [...node.pods.values()].filter((other) => other.priority < pod.priority);
    if (victims.length === 0) return this.#noVictims;
    const framework = this.#handle.framework();
    const copy = node.clone();
    const stateCopy = state.clone();
    for (const victim of victims) {
      copy.removePod(victim.uid);
      const status = framework.runPreFilterExtensionRemovePod(stateCopy, pod, victim, copy);
      if (!isSuccess(status)) return status;
    }
    return framework.runFilterWithNominatedPods(stateCopy, pod, copy);
  }
}
