import type { KubeObject } from "../apimachinery/meta.ts";
import type { Container, Pod } from "./types.ts";

/** What a kubelet adds to an event: its host, and the container that the event is about. */
export interface EventSource {
  host: string;
  fieldPath?: string;
}

/** The recorder that a kubelet needs; one that ignores the source fits too. */
export interface KubeletEventRecorder {
  event(about: KubeObject, type: "Normal" | "Warning", reason: string, message: string, source?: EventSource): void;
}

/** Events of one node's pods. */
export class PodEvents {
  readonly #recorder: KubeletEventRecorder;
  readonly #host: string;

  constructor(recorder: KubeletEventRecorder, host: string) {
    this.#recorder = recorder;
    this.#host = host;
  }

  about(object: KubeObject, type: "Normal" | "Warning", reason: string, message: string): void {
    this.#recorder.event(object, type, reason, message, { host: this.#host });
  }

  /** About one container: the field path names it (pkg/kubelet/container/ref.go, 1.36). */
  aboutContainer(
    pod: Pod,
    container: Container,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ): void {
    const fieldPath = fieldPathOf(pod, container.name);
    this.#recorder.event(pod, type, reason, message, { host: this.#host, ...(fieldPath === "" ? {} : { fieldPath }) });
  }
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
