import { containerShouldRestart, containersOf, initContainersOf, isSidecar } from "../container-policy.ts";
import type { ContainerStatus, Pod, PodPhase } from "../types.ts";

/**
 * The phase that container statuses amount to, pkg/kubelet/kubelet_pods.go getPhase (1.36).
 * `podIsTerminal`: no container will be started again, whatever the restart policy says.
 * `podHasInitialized`: a regular container has been started before.
 */
export function getPhase(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  podIsTerminal: boolean,
  podHasInitialized: boolean,
): PodPhase {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  let pendingInit = 0;
  let pendingSidecars = 0;
  let running = 0;
  let waiting = 0;
  let unknown = 0;
  let stopped = 0;
  let stoppedForGood = 0;
  let succeeded = 0;

  for (const container of initContainersOf(pod)) {
    const status = byName.get(container.name);
    if (isSidecar(container)) {
      if (status === undefined) unknown++;
      else if (status.state.running !== undefined) {
        if (status.started !== true) pendingSidecars++;
        running++;
      } else if (status.state.waiting !== undefined && status.lastState.terminated === undefined) {
        pendingSidecars++;
        waiting++;
      }
      continue;
    }
    const ended = status?.state.terminated ?? (status?.state.waiting && status.lastState.terminated);
    if (ended === undefined) pendingInit++;
    else if (ended.exitCode !== 0 && !containerShouldRestart(container, pod, ended.exitCode)) return "Failed";
  }

  for (const container of containersOf(pod)) {
    const status = byName.get(container.name);
    if (status === undefined) unknown++;
    else if (status.state.running !== undefined) running++;
    else {
      const ended = status.state.terminated ?? status.lastState.terminated;
      if (ended === undefined) {
        waiting++;
        continue;
      }
      stopped++;
      if (!containerShouldRestart(container, pod, ended.exitCode)) stoppedForGood++;
      if (status.state.terminated?.exitCode === 0) succeeded++;
    }
  }

  if (pendingInit > 0 || (pendingSidecars > 0 && !podHasInitialized) || waiting > 0) return "Pending";
  if (running > 0 && unknown === 0) return "Running";
  if (running === 0 && stopped > 0 && unknown === 0) {
    if (!podIsTerminal && stopped !== stoppedForGood) return "Running";
    return stopped === succeeded ? "Succeeded" : "Failed";
  }
  return "Pending";
}
