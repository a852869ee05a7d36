import type { CriContainerStatus, PodSandboxStatus } from "./cri/interfaces.ts";

/** What the runtime knows of a pod (kubecontainer.PodStatus upstream). */
export interface RuntimePodStatus {
  sandbox: PodSandboxStatus | undefined;
  /** Addresses of the newest sandbox; kept after it has stopped. */
  ips: readonly string[];
  /** Newest first. */
  containers: readonly CriContainerStatus[];
}

export const emptyRuntimePodStatus: RuntimePodStatus = { sandbox: undefined, ips: [], containers: [] };

/** The newest container of a name. */
export function latestContainer(status: RuntimePodStatus, name: string): CriContainerStatus | undefined {
  return status.containers.find((container) => container.name === name);
}

/** Whether containers can be created: otherwise a new sandbox is needed (PodSandboxChanged upstream). */
export function sandboxUsable(status: RuntimePodStatus): boolean {
  const { sandbox } = status;
  return sandbox?.state === "SANDBOX_READY" && (sandbox.hostNetwork || sandbox.ips.length > 0);
}
