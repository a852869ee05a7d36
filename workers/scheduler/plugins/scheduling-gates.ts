import type { ClusterEventWithHint } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import type { Plugin } from "../framework/interface.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { unresolvable } from "../framework/status.ts";
import { names } from "./names.ts";

/** Keeps gated pods out of the active queue. Mirrors plugins/schedulinggates/scheduling_gates.go (1.36). */
export class SchedulingGates implements Plugin {
  readonly name = names.schedulingGates;

  eventsToRegister(): ClusterEventWithHint[] {
    return [{ event: { resource: "UnscheduledPod", action: Action.UpdatePodSchedulingGatesEliminated } }];
  }

  preEnqueue(pod: PodInfo): MaybeStatus {
    const gates: { name: string }[] | undefined = pod.pod.spec?.schedulingGates;
    if (!gates?.length) return undefined;
    return unresolvable(this.name, `waiting for scheduling gates: [${gates.map(({ name }) => name).join(" ")}]`);
  }
}
