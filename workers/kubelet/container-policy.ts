import type { Container, Pod } from "./types.ts";
import { latestContainer } from "./runtime-status.ts";
import type { RuntimePodStatus } from "./runtime-status.ts";

/** A restartable init container. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

export function initContainersOf(pod: Pod): Container[] {
  return pod.spec?.initContainers ?? [];
}

export function containersOf(pod: Pod): Container[] {
  return pod.spec?.containers ?? [];
}

export function ephemeralContainersOf(pod: Pod): Container[] {
  return pod.spec?.ephemeralContainers ?? [];
}

/** Whether a container that ended so is started again: its own rules and policy, else the pod's (podutil.ContainerShouldRestart, 1.36). */
export function containerShouldRestart(container: Container, pod: Pod, exitCode: number): boolean {
  if (container.restartPolicy !== undefined) {
    for (const rule of container.restartPolicyRules ?? []) {
      const listed = rule.exitCodes?.values?.includes(exitCode) ?? false;
      if (rule.exitCodes !== undefined && (rule.exitCodes.operator === "In") === listed) return true;
    }
  }
  switch (container.restartPolicy ?? pod.spec?.restartPolicy ?? "Always") {
    case "Always":
      return true;
    case "OnFailure":
      return exitCode !== 0;
    default:
      return false;
  }
}

/** Whether the next sync starts it, pkg/kubelet/container/helpers.go ShouldContainerBeRestarted (1.36). */
export function shouldContainerBeRestarted(container: Container, pod: Pod, status: RuntimePodStatus): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  const latest = latestContainer(status, container.name);
  switch (latest?.state) {
    case "CONTAINER_RUNNING":
      return false;
    case "CONTAINER_EXITED":
      return containerShouldRestart(container, pod, latest.exitCode);
    default:
      return true;
  }
}
