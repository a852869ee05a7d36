import type { PodInfo } from "../framework/pod-info.ts";

/** Pods that wait for a node which preemption made room on. Mirrors scheduler/backend/queue/nominator.go (1.36). */
export class Nominator {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodeOf = new Map<string, string>();

  /** Records, moves or, for "", drops a nomination. */
  addNominatedPod(pod: PodInfo, nodeName: string): void {
    this.deleteNominatedPod(pod.uid);
    if (nodeName === "") return;
    this.#nodeOf.set(pod.uid, nodeName);
    const pods = this.#byNode.get(nodeName) ?? new Map<string, PodInfo>();
    pods.set(pod.uid, pod);
    this.#byNode.set(nodeName, pods);
  }

  deleteNominatedPod(uid: string): void {
    const nodeName = this.#nodeOf.get(uid);
    if (nodeName === undefined) return;
    this.#nodeOf.delete(uid);
    const pods = this.#byNode.get(nodeName);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(nodeName);
  }

  nominatedNode(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  nominatedPodsForNode(nodeName: string): readonly PodInfo[] {
    const pods = this.#byNode.size === 0 ? undefined : this.#byNode.get(nodeName);
    return pods === undefined ? none : [...pods.values()];
  }
}

const none: readonly PodInfo[] = [];
