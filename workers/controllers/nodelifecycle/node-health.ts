import { formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { parseTime } from "../pod-utils.ts";

/** Conditions that a kubelet keeps; all become Unknown when it falls silent. */
const kubeletConditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

export interface NodeHealthOptions {
  /** Silence after which a node counts as unreachable. */
  gracePeriodMilliseconds: number;
  /** The same for a node that has never reported. */
  startupGracePeriodMilliseconds: number;
}

/** What was last heard of a node. Silence counts from when this controller noticed, never from stored times. */
interface Health {
  heartbeat: string | undefined;
  transition: string | undefined;
  renewTime: string | undefined;
  probeAt: number;
}

/**
 * Judges whether kubelets are alive by their leases and heartbeats. A change of either counts as a sign of life at the
 * moment it is seen, so that clocks of nodes do not matter, and neither does the time before this instance existed.
 * Mirrors pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth (1.36).
 */
export class NodeHealthMonitor {
  readonly #options: NodeHealthOptions;
  readonly #health = new Map<string, Health>();

  constructor(options: NodeHealthOptions) {
    this.#options = options;
  }

  /** Everybody gets a new grace period: time was lost in which no sign of life could have been seen. */
  restart(now: number): void {
    for (const health of this.#health.values()) health.probeAt = now;
  }

  forget(nodeName: string): void {
    this.#health.delete(nodeName);
  }

  /** The conditions that the node should have now; undefined to leave them as they are. */
  judge(node: KubeObject, lease: KubeObject | undefined, now: number): any[] | undefined {
    const name = node.metadata.name!;
    const ready = (node.status?.conditions ?? []).find(({ type }: any) => type === "Ready");
    const health = this.#health.get(name);
    const heard: Health = {
      heartbeat: ready?.lastHeartbeatTime,
      transition: ready?.lastTransitionTime,
      renewTime: lease?.spec?.renewTime,
      probeAt: now,
    };
    if (health === undefined) {
      if (ready === undefined) heard.probeAt = Math.max(parseTime(node.metadata.creationTimestamp) ?? now, now);
      this.#health.set(name, heard);
      return undefined;
    }
    const isAlive =
      heard.heartbeat !== health.heartbeat || (heard.renewTime !== undefined && heard.renewTime !== health.renewTime);
    if (isAlive) {
      this.#health.set(name, heard);
      return undefined;
    }
    const grace =
      ready === undefined ? this.#options.startupGracePeriodMilliseconds : this.#options.gracePeriodMilliseconds;
    return now > health.probeAt + grace ? unknownConditions(node, now) : undefined;
  }
}

/** All kubelet conditions Unknown; undefined if they are already. */
function unknownConditions(node: KubeObject, now: number): any[] | undefined {
  const time = formatTime(now);
  const conditions: any[] = [...(node.status?.conditions ?? [])];
  let changed = false;
  for (const type of kubeletConditions) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const current = conditions[index];
    if (current === undefined) {
      conditions.push({
        type,
        status: "Unknown",
        lastHeartbeatTime: node.metadata.creationTimestamp,
        lastTransitionTime: time,
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
      });
    } else if (current.status !== "Unknown") {
      conditions[index] = {
        ...current,
        status: "Unknown",
        lastTransitionTime: time,
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
      };
    } else {
      continue;
    }
    changed = true;
  }
  return changed ? conditions : undefined;
}
