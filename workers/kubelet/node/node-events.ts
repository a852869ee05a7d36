import type { EventRecorder } from "../../client/events/event-recorder.ts";

/** What a node's conditions say when it has just started, in the order of its status functions. */
const initialStatuses = ["NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID"];

/**
 * What kubelets say of their nodes. The Node is named by its name in place of its uid, as kubelets do: `kubectl describe
 * node` asks for both. Mirrors recordNodeStatusEvent of pkg/kubelet/kubelet_node_status.go (1.36).
 */
export class NodeEvents {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  /** A kubelet has made its Node. */
  started(node: string): void {
    this.#say(node, "Starting", "Starting kubelet.");
    for (const status of initialStatuses) this.#status(node, status);
    this.#say(node, "NodeAllocatableEnforced", "Updated Node Allocatable limit across pods");
    this.#status(node, "NodeReady");
  }

  schedulable(node: string, schedulable: boolean): void {
    this.#status(node, schedulable ? "NodeSchedulable" : "NodeNotSchedulable");
  }

  #status(node: string, status: string): void {
    this.#say(node, status, `Node ${node} status is now: ${status}`);
  }

  #say(name: string, reason: string, message: string): void {
    const about = { apiVersion: "v1", kind: "Node", metadata: { name, uid: name } };
    this.#recorder.event(about, "Normal", reason, message, { host: name });
  }
}
