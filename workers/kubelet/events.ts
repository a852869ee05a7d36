import type { EventRecorder } from "../client/events/event-recorder.ts";
import type { Container, Pod } from "./types.ts";

/** Events of one node's pods. */
export class PodEvents {
  readonly #recorder: EventRecorder;
  readonly #host: string;

  constructor(recorder: EventRecorder, host: string) {
    this.#recorder = recorder;
    this.#host = host;
  }

  about(pod: Pod, type: "Normal" | "Warning", reason: string, message: string): void {
    this.#recorder.event(typed(pod), type, reason, message, { host: this.#host });
  }

  /** About one container: the field path names it (pkg/kubelet/container/ref.go, 1.36). */
  aboutContainer(pod: Pod, container: Container, type: "Normal" | "Warning", reason: string, message: string): void {
    const fieldPath = fieldPathOf(pod, container.name);
    const source = { host: this.#host, ...(fieldPath === "" ? {} : { fieldPath }) };
    this.#recorder.event(typed(pod), type, reason, message, source);
  }
}

/** Items of a list need not say what they are. */
function typed(pod: Pod): Pod {
  return pod.kind === undefined || pod.apiVersion === undefined ? { ...pod, apiVersion: "v1", kind: "Pod" } : pod;
}

function fieldPathOf(pod: Pod, name: string): string {
  for (const list of ["containers", "initContainers", "ephemeralContainers"]) {
    const containers: Container[] = pod.spec?.[list] ?? [];
    if (containers.some((container) => container.name === name)) return `spec.${list}{${name}}`;
  }
  return "";
}

/** `name_namespace(uid)`, as messages name a pod. */
export function formatPod(pod: Pod): string {
  return `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
}
