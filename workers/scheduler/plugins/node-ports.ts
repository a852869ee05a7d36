import type { CycleState } from "../framework/cycle-state.ts";
import type { ClusterEventWithHint } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import { hostPortsOf, portsConflict } from "../framework/host-ports.ts";
import type { Plugin, PreFilterOutcome } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { skip, unschedulable } from "../framework/status.ts";
import { names } from "./names.ts";

/** Host ports. Mirrors plugins/nodeports/node_ports.go (1.36). */
export class NodePorts implements Plugin {
  readonly name = names.nodePorts;
  readonly #skip: PreFilterOutcome = { status: skip(names.nodePorts) };
  readonly #taken = unschedulable(names.nodePorts, "node(s) didn't have free ports for the requested pod ports");

  eventsToRegister(): ClusterEventWithHint[] {
    return [
      {
        event: { resource: "AssignedPod", action: Action.Delete },
        hint: (pod, deleted) =>
          deleted === undefined ||
          hostPortsOf(deleted).some((freed) => pod.hostPorts.some((wanted) => portsConflict(freed, wanted))),
      },
      { event: { resource: "Node", action: Action.Add } },
    ];
  }

  preFilter(_state: CycleState, pod: PodInfo): PreFilterOutcome | undefined {
    return pod.hostPorts.length === 0 ? this.#skip : undefined;
  }

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus {
    for (const port of pod.hostPorts) if (node.usedPorts.conflicts(port)) return this.#taken;
    return undefined;
  }
}
