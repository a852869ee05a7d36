import type { CycleState } from "../framework/cycle-state.ts";
import type { Handle, Plugin } from "../framework/interface.ts";
import { maxNodeScore } from "../framework/interface.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { names } from "./names.ts";

const mebibyte = 1024 * 1024;
const minThreshold = 23 * mebibyte;
const maxContainerThreshold = 1000 * mebibyte;

/** Prefers nodes that have the pod's images, more so the more nodes have them. Mirrors plugins/imagelocality/image_locality.go (1.36). */
export class ImageLocality implements Plugin {
  readonly name = names.imageLocality;
  readonly #handle: Pick<Handle, "snapshot">;

  constructor(handle: Pick<Handle, "snapshot">) {
    this.#handle = handle;
  }

  eventsToRegister(): [] {
    return [];
  }

  score(_state: CycleState, pod: PodInfo, node: NodeInfo): number {
    if (node.imageStates.size === 0) return 0;
    const containers: any[] = [...(pod.pod.spec?.initContainers ?? []), ...(pod.pod.spec?.containers ?? [])];
    const totalNodes = this.#handle.snapshot.numNodes;
    let sum = 0;
    for (const { image } of containers) {
      const state = node.imageStates.get(normalizedImageName(image ?? ""));
      if (state !== undefined) sum += Math.trunc(state.size * (state.nodes.size / totalNodes));
    }
    const maxThreshold = maxContainerThreshold * containers.length;
    const bounded = Math.min(Math.max(sum, minThreshold), maxThreshold);
    return Math.trunc((maxNodeScore * (bounded - minThreshold)) / (maxThreshold - minThreshold));
  }
}

function normalizedImageName(name: string): string {
  return name.lastIndexOf(":") <= name.lastIndexOf("/") ? `${name}:latest` : name;
}
