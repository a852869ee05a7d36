import { normalizedImageName } from "../cri/image-reference.ts";
import type { CriContainerStatus } from "../cri/interfaces.ts";
import {
  containersOf,
  containerShouldRestart,
  ephemeralContainersOf,
  initContainersOf,
  isSidecar,
  shouldContainerBeRestarted,
} from "../container-policy.ts";
import { latestContainer, sandboxUsable } from "../runtime-status.ts";
import type { RuntimePodStatus } from "../runtime-status.ts";
import { isContainerStarted } from "../status/probes.ts";
import type { Container, Pod } from "../types.ts";

/** What a sync has to do, in the order of the fields. */
export interface PodActions {
  /** Nothing will run again: stop whatever is left (sidecars) and the sandbox. */
  killPod: boolean;
  containersToKill: { container: Container; status: CriContainerStatus; message: string }[];
  createSandbox: boolean;
  ephemeralContainersToStart: Container[];
  /** At most one regular init container; sidecars that have to run first or again. */
  initContainersToStart: Container[];
  containersToStart: Container[];
}

/** Pure; mirrors pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions (1.36) without resizes and probes. */
export function computePodActions(pod: Pod, runtime: RuntimePodStatus, now: number): PodActions {
  const actions: PodActions = {
    killPod: false,
    containersToKill: [],
    createSandbox: !sandboxUsable(runtime),
    ephemeralContainersToStart: [],
    initContainersToStart: [],
    containersToStart: [],
  };
  const init = computeInitActions(pod, runtime, now);
  if (init.failed) return { ...actions, killPod: true, createSandbox: false };

  let kept = 0;
  if (init.initialized) {
    for (const container of containersOf(pod)) {
      const status = latestContainer(runtime, container.name);
      if (status?.state === "CONTAINER_RUNNING" && !definitionChanged(container, status)) {
        kept++;
        continue;
      }
      if (status?.state === "CONTAINER_RUNNING") {
        const message = `Container ${container.name} definition changed, will be restarted`;
        actions.containersToKill.push({ container, status, message });
        actions.containersToStart.push(container);
      } else if (shouldContainerBeRestarted(container, pod, runtime)) {
        actions.containersToStart.push(container);
      }
    }
    if (kept === 0 && actions.containersToStart.length === 0) {
      return { ...actions, killPod: true, createSandbox: false };
    }
  }
  actions.initContainersToStart = init.start;
  if (!actions.createSandbox) {
    actions.ephemeralContainersToStart = ephemeralContainersOf(pod).filter(
      (container) => latestContainer(runtime, container.name) === undefined,
    );
  }
  return actions;
}

interface InitActions {
  start: Container[];
  initialized: boolean;
  failed: boolean;
}

/**
 * Init containers run one after another; a sidecar has to be started before the next. Once a regular container has
 * been created, regular init containers are done for good and sidecars only restart.
 */
function computeInitActions(pod: Pod, runtime: RuntimePodStatus, now: number): InitActions {
  const start: Container[] = [];
  const wasInitialized = containersOf(pod).some((container) => latestContainer(runtime, container.name) !== undefined);
  for (const container of initContainersOf(pod)) {
    const status = latestContainer(runtime, container.name);
    if (isSidecar(container)) {
      const running = status?.state === "CONTAINER_RUNNING";
      if (!running) start.push(container);
      if (wasInitialized) continue;
      if (!running || !isContainerStarted(container, status.startedAt, now)) {
        return { start, initialized: false, failed: false };
      }
      continue;
    }
    if (wasInitialized) continue;
    if (status === undefined || status.state === "CONTAINER_CREATED") {
      return { start: [...start, container], initialized: false, failed: false };
    }
    if (status.state === "CONTAINER_RUNNING") return { start, initialized: false, failed: false };
    if (status.exitCode === 0) continue;
    if (!containerShouldRestart(container, pod, status.exitCode)) {
      return { start: [], initialized: false, failed: true };
    }
    return { start: [...start, container], initialized: false, failed: false };
  }
  return { start, initialized: true, failed: false };
}

/** Only the image of a running container's definition can change. */
function definitionChanged(container: Container, status: CriContainerStatus): boolean {
  try {
    return normalizedImageName(container.image) !== status.image;
  } catch {
    return true;
  }
}
