import type { CycleState } from "../framework/cycle-state.ts";
import type { ClusterEventWithHint } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import type { Plugin } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { unresolvable } from "../framework/status.ts";
import { names } from "./names.ts";

/** Mirrors plugins/nodename/node_name.go (1.36). */
export class NodeName implements Plugin {
  readonly name = names.nodeName;
  readonly #status = unresolvable(names.nodeName, "node(s) didn't match the requested node name");

  eventsToRegister(): ClusterEventWithHint[] {
    return [{ event: { resource: "Node", action: Action.Add } }];
  }

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus {
    const wanted = pod.nodeName;
    return wanted === "" || wanted === node.name ? undefined : this.#status;
  }
}
