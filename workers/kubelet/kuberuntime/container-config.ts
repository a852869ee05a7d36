import { controllerOf } from "../../apimachinery/meta.ts";
import { simulationLabels } from "../cri/behaviour.ts";
import type { ContainerConfig, PodSandboxConfig } from "../cri/interfaces.ts";
import { initContainersOf, isSidecar } from "../container-policy.ts";
import type { Container, Pod } from "../types.ts";

export function generateSandboxConfig(pod: Pod, attempt: number): PodSandboxConfig {
  return {
    name: pod.metadata.name ?? "",
    namespace: pod.metadata.namespace ?? "",
    uid: pod.metadata.uid ?? "",
    attempt,
    hostNetwork: pod.spec?.hostNetwork === true,
  };
}

/** The same for the same pod at any time, so that a restored container behaves as the one that was created. */
export function generateContainerConfig(
  pod: Pod,
  container: Container,
  attempt: number,
  imageRef: string,
): ContainerConfig {
  const init = initContainersOf(pod).some((candidate) => candidate.name === container.name);
  const ownedByJob = controllerOf(pod)?.kind === "Job" && pod.spec?.restartPolicy !== "Always";
  return {
    name: container.name,
    attempt,
    image: container.image,
    imageRef,
    ...(container.command === undefined ? {} : { command: container.command }),
    ...(container.args === undefined ? {} : { args: container.args }),
    annotations: pod.metadata.annotations ?? {},
    labels: {
      [simulationLabels.role]: !init ? "container" : isSidecar(container) ? "sidecar" : "init",
      ...(ownedByJob ? { [simulationLabels.job]: "true" } : {}),
    },
  };
}
