import type { CycleState } from "../framework/cycle-state.ts";
import type { Plugin } from "../framework/interface.ts";
import { maxNodeScore } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { skip } from "../framework/status.ts";
import { names } from "./names.ts";

/** Prefers nodes whose cpu and memory would be used in like shares. Mirrors plugins/noderesources/balanced_allocation.go (1.36). */
export class BalancedAllocation implements Plugin {
  readonly name = names.nodeResourcesBalancedAllocation;
  readonly #skip = skip(names.nodeResourcesBalancedAllocation);

  eventsToRegister(): [] {
    return [];
  }

  preScore(_state: CycleState, pod: PodInfo): MaybeStatus {
    return pod.requests.milliCPU === 0 && pod.requests.memory === 0 ? this.#skip : undefined;
  }

  score(_state: CycleState, pod: PodInfo, node: NodeInfo): number {
    const { allocatable, requested } = node;
    let deviation = 0;
    if (allocatable.milliCPU > 0 && allocatable.memory > 0) {
      const cpu = Math.min(1, (requested.milliCPU + pod.requests.milliCPU) / allocatable.milliCPU);
      const memory = Math.min(1, (requested.memory + pod.requests.memory) / allocatable.memory);
      deviation = Math.abs(cpu - memory) / 2;
    }
    return Math.trunc((1 - deviation) * maxNodeScore);
  }
}
