import type { Pod } from "./types.ts";

/** The pods that the API server has bound to one node, by uid (pkg/kubelet/pod/pod_manager.go, 1.36; no mirror pods). */
export class PodManager {
  readonly #pods = new Map<string, Pod>();

  get(uid: string): Pod | undefined {
    return this.#pods.get(uid);
  }

  getPods(): Pod[] {
    return [...this.#pods.values()];
  }

  /** Adds, or replaces by a newer version. */
  update(pod: Pod): void {
    this.#pods.set(pod.metadata.uid!, pod);
  }

  remove(uid: string): void {
    this.#pods.delete(uid);
  }
}
