import { hexDigest } from "./hash.ts";
import { containersOf, ephemeralContainersOf, initContainersOf } from "./container-policy.ts";
import type { CriContainerStatus, PodSandboxStatus } from "./cri/interfaces.ts";
import { normalizedImageName } from "./cri/image-reference.ts";
import type { SandboxSnapshot } from "./cri/simulated-runtime.ts";
import { generateContainerConfig, generateSandboxConfig } from "./kuberuntime/container-config.ts";
import type { Container, ContainerStatus, Pod, PodStatus } from "./types.ts";
import { containerIdPrefix } from "./status/container-statuses.ts";

/**
 * What the simulated runtime had of a pod, from the pod's status; undefined when its sandbox had not been reported.
 * The runtime's state lives only in memory, and a restart of the host must not restart containers.
 */
export function snapshotOf(pod: Pod): SandboxSnapshot | undefined {
  const status: Partial<PodStatus> = pod.status ?? {};
  const lists: [Container[], ContainerStatus[] | undefined][] = [
    [initContainersOf(pod), status.initContainerStatuses],
    [containersOf(pod), status.containerStatuses],
    [ephemeralContainersOf(pod), status.ephemeralContainerStatuses],
  ];
  const containers: SandboxSnapshot["containers"] = [];
  for (const [specs, statuses] of lists) {
    for (const container of specs) {
      const reported = statuses?.find((candidate) => candidate.name === container.name);
      if (reported === undefined) continue;
      const restored = containerOf(container, reported);
      if (restored === undefined) continue;
      const config = generateContainerConfig(pod, container, restored.attempt, restored.imageRef);
      containers.push({ config, status: restored });
    }
  }
  const hostNetwork = pod.spec?.hostNetwork === true;
  const ips = hostNetwork ? [] : (status.podIPs ?? []).map(({ ip }) => ip);
  if (containers.length === 0 && ips.length === 0) return undefined;
  const uid = pod.metadata.uid ?? "";
  const sandbox: PodSandboxStatus = {
    ...generateSandboxConfig(pod, 0),
    id: hexDigest(`sandbox/${uid}/0`, 64),
    state: "SANDBOX_READY",
    createdAt: Date.parse(status.startTime ?? "") || 0,
    ips,
  };
  return { sandbox, containers };
}

function containerOf(container: Container, reported: ContainerStatus): CriContainerStatus | undefined {
  const { running, terminated } = reported.state;
  const ended = terminated ?? (running === undefined ? reported.lastState?.terminated : undefined);
  const containerId = ended?.containerID ?? reported.containerID;
  if (containerId === undefined || (running === undefined && ended === undefined)) return undefined;
  const startedAt = timeOf(running?.startedAt ?? ended?.startedAt);
  return {
    id: containerId.startsWith(containerIdPrefix) ? containerId.slice(containerIdPrefix.length) : containerId,
    name: container.name,
    attempt: reported.restartCount,
    state: ended === undefined ? "CONTAINER_RUNNING" : "CONTAINER_EXITED",
    createdAt: startedAt,
    startedAt,
    finishedAt: timeOf(ended?.finishedAt),
    exitCode: ended?.exitCode ?? 0,
    image: imageOf(reported, container),
    imageRef: reported.imageID,
    reason: ended?.reason ?? "",
    message: ended?.message ?? "",
  };
}

/** A container that waits for its restart is reported under its image's name in the spec. */
function imageOf(reported: ContainerStatus, container: Container): string {
  try {
    return normalizedImageName(reported.image === "" ? container.image : reported.image);
  } catch {
    return reported.image;
  }
}

function timeOf(text: string | null | undefined): number {
  return text === undefined || text === null ? 0 : Date.parse(text) || 0;
}
