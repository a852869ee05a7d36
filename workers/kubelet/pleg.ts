import type { ContainerEvent, RuntimeService } from "./cri/interfaces.ts";
import { emptyRuntimePodStatus } from "./runtime-status.ts";
import type { RuntimePodStatus } from "./runtime-status.ts";

export interface PodLifecycleEvent {
  uid: string;
  type: "ContainerStarted" | "ContainerDied" | "ContainerRemoved";
}

/**
 * Pod lifecycle events out of the runtime's container events, and the cache of what the runtime knows of each pod.
 * Mirrors pkg/kubelet/pleg/evented.go (1.36): nothing is polled, since an event carries the whole sandbox.
 */
export class EventedPleg {
  readonly #cache = new Map<string, RuntimePodStatus>();
  readonly #unsubscribe: () => void;

  constructor(runtime: RuntimeService, handler: (event: PodLifecycleEvent) => void) {
    this.#unsubscribe = runtime.getContainerEvents((event) => {
      this.#remember(event);
      const type = lifecycleType(event);
      if (type !== undefined) handler({ uid: event.sandbox.uid, type });
    });
  }

  get(uid: string): RuntimePodStatus {
    return this.#cache.get(uid) ?? emptyRuntimePodStatus;
  }

  has(uid: string): boolean {
    return this.#cache.has(uid);
  }

  /** Fills the cache for a pod that was restored without events. */
  set(uid: string, status: RuntimePodStatus): void {
    this.#cache.set(uid, status);
  }

  delete(uid: string): void {
    this.#cache.delete(uid);
  }

  stop(): void {
    this.#unsubscribe();
  }

  #remember(event: ContainerEvent): void {
    const { uid, ips } = event.sandbox;
    if (event.type === "CONTAINER_DELETED_EVENT" && event.containerId === event.sandbox.id) {
      this.#cache.delete(uid);
      return;
    }
    this.#cache.set(uid, { sandbox: event.sandbox, ips, containers: event.containers });
  }
}

function lifecycleType(event: ContainerEvent): PodLifecycleEvent["type"] | undefined {
  switch (event.type) {
    case "CONTAINER_STARTED_EVENT":
      return "ContainerStarted";
    case "CONTAINER_STOPPED_EVENT":
      return "ContainerDied";
    case "CONTAINER_DELETED_EVENT":
      return "ContainerRemoved";
    case "CONTAINER_CREATED_EVENT":
      return undefined;
  }
}
