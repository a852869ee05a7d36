import type { CycleState } from "../framework/cycle-state.ts";
import type { ClusterEventWithHint } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import type { Plugin } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { unresolvable } from "../framework/status.ts";
import { names } from "./names.ts";
import { tolerationsTolerate } from "./tolerations.ts";

const unschedulableTaint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Cordoned nodes take only pods that tolerate it. Mirrors plugins/nodeunschedulable/node_unschedulable.go (1.36). */
export class NodeUnschedulable implements Plugin {
  readonly name = names.nodeUnschedulable;
  readonly #status = unresolvable(names.nodeUnschedulable, "node(s) were unschedulable");

  eventsToRegister(): ClusterEventWithHint[] {
    return [
      {
        event: { resource: "Node", action: Action.Add | Action.UpdateNodeTaint },
        hint: (_pod, previous, current) =>
          !current?.spec?.unschedulable && (previous === undefined || Boolean(previous.spec?.unschedulable)),
      },
      { event: { resource: "UnscheduledPod", action: Action.UpdatePodToleration } },
    ];
  }

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus {
    if (!node.node?.spec?.unschedulable || tolerationsTolerate(pod.tolerations, unschedulableTaint)) return undefined;
    return this.#status;
  }
}
