import { formatTime } from "../../apimachinery/clock.ts";
import { initContainersOf, shouldContainerBeRestarted } from "../container-policy.ts";
import type { CriContainerStatus } from "../cri/interfaces.ts";
import { latestContainer } from "../runtime-status.ts";
import type { RuntimePodStatus } from "../runtime-status.ts";
import type { Container, ContainerState, ContainerStatus, Pod } from "../types.ts";

/** Why a container could not be started, kept from one sync to the next (pkg/kubelet/reason_cache.go). */
export interface StartFailure {
  reason: string;
  message: string;
}

export const containerIdPrefix = "containerd://";

/**
 * API statuses of one list of containers, pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses (1.36): waiting by
 * default, then what the runtime has, then the reasons of failed starts. `ready` and `started` are the probe manager's.
 */
export function convertContainerStatuses(
  pod: Pod,
  runtime: RuntimePodStatus,
  containers: readonly Container[],
  previous: readonly ContainerStatus[] | undefined,
  kind: "init" | "regular" | "ephemeral",
  failureOf: (name: string) => StartFailure | undefined,
): ContainerStatus[] {
  const waitingReason = initContainersOf(pod).length > 0 ? "PodInitializing" : "ContainerCreating";
  const statuses = containers.map((container) => {
    const old = previous?.find((candidate) => candidate.name === container.name);
    const [latest, beforeLatest] = runtime.containers.filter((candidate) => candidate.name === container.name);
    let status: ContainerStatus;
    if (latest !== undefined) status = convertOne(container, latest, beforeLatest, old);
    else if (old?.state.terminated !== undefined) status = { ...old };
    else {
      status = {
        name: container.name,
        state: { waiting: { reason: waitingReason } },
        lastState: old?.lastState ?? {},
        ready: false,
        restartCount: old?.restartCount ?? 0,
        image: container.image,
        imageID: "",
        ...volumeMountsOf(container),
      };
    }
    return overlayStartFailure(pod, runtime, container, status, kind, failureOf);
  });
  if (kind !== "init") statuses.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return statuses;
}

function convertOne(
  container: Container,
  latest: CriContainerStatus,
  beforeLatest: CriContainerStatus | undefined,
  old: ContainerStatus | undefined,
): ContainerStatus {
  const containerID = containerIdPrefix + latest.id;
  const lastTerminated =
    old !== undefined && old.containerID !== containerID && old.state.terminated !== undefined
      ? old.state.terminated
      : old?.lastState.terminated;
  const requests = container.resources?.requests;
  return {
    name: container.name,
    state: stateOf(latest),
    lastState:
      beforeLatest !== undefined
        ? stateOf(beforeLatest)
        : lastTerminated !== undefined
          ? { terminated: lastTerminated }
          : {},
    ready: false,
    restartCount: latest.attempt,
    image: latest.image,
    imageID: latest.imageRef,
    containerID,
    ...(requests === undefined ? {} : { allocatedResources: requests }),
    resources: container.resources ?? {},
    ...volumeMountsOf(container),
    user: userOf(container),
  };
}

function stateOf(status: CriContainerStatus): ContainerState {
  switch (status.state) {
    case "CONTAINER_CREATED":
      return { waiting: {} };
    case "CONTAINER_RUNNING":
      return { running: { startedAt: formatTime(status.startedAt) } };
    case "CONTAINER_EXITED":
      return {
        terminated: {
          exitCode: status.exitCode,
          reason: status.reason,
          ...(status.message === "" ? {} : { message: status.message }),
          startedAt: status.startedAt === 0 ? null : formatTime(status.startedAt),
          finishedAt: formatTime(status.finishedAt),
          containerID: containerIdPrefix + status.id,
        },
      };
  }
}

/** A container that the next sync starts again shows why it did not start before. */
function overlayStartFailure(
  pod: Pod,
  runtime: RuntimePodStatus,
  container: Container,
  status: ContainerStatus,
  kind: "init" | "regular" | "ephemeral",
  failureOf: (name: string) => StartFailure | undefined,
): ContainerStatus {
  const failure = failureOf(container.name);
  if (failure === undefined || !shouldContainerBeRestarted(container, pod, runtime)) return status;
  const latest = latestContainer(runtime, container.name);
  if (kind === "init" && latest?.state === "CONTAINER_EXITED" && latest.exitCode === 0) return status;
  return {
    ...status,
    state: { waiting: { reason: failure.reason, ...(failure.message === "" ? {} : { message: failure.message }) } },
    lastState: status.state.terminated !== undefined ? { terminated: status.state.terminated } : status.lastState,
  };
}

function volumeMountsOf(container: Container): Pick<ContainerStatus, "volumeMounts"> {
  if (container.volumeMounts === undefined || container.volumeMounts.length === 0) return {};
  return {
    volumeMounts: container.volumeMounts.map(({ name, mountPath, readOnly, recursiveReadOnly }) => ({
      name,
      mountPath,
      ...(readOnly
        ? {
            readOnly,
            recursiveReadOnly:
              recursiveReadOnly === "IfPossible" || recursiveReadOnly === "Enabled" ? "Enabled" : "Disabled",
          }
        : {}),
    })),
  };
}

function userOf(container: Container): ContainerStatus["user"] {
  const gid = container.securityContext?.runAsGroup ?? 0;
  return { linux: { uid: container.securityContext?.runAsUser ?? 0, gid, supplementalGroups: [gid] } };
}
