import { simulationAnnotations } from "../cri/behaviour.ts";
import { containersOf, initContainersOf, isSidecar } from "../container-policy.ts";
import { latestContainer } from "../runtime-status.ts";
import type { RuntimePodStatus } from "../runtime-status.ts";
import type { Container, ContainerStatus, Pod, PodStatus, Probe } from "../types.ts";

/**
 * Sets `started` and `ready`, as pkg/kubelet/prober's UpdatePodStatus. Probes are simulated: a startup probe succeeds
 * `initialDelaySeconds` (and the periods that its success threshold takes) after the start, a readiness probe as long
 * after the startup probe's success, or after the start where its own delay is longer; an annotation makes readiness
 * fail. Returns when a result changes next (milliseconds), undefined when none will.
 */
export function updateProbeResults(
  pod: Pod,
  runtime: RuntimePodStatus,
  status: PodStatus,
  now: number,
): number | undefined {
  let next: number | undefined;
  const unready = pod.metadata.annotations?.[simulationAnnotations.ready] === "false";
  const apply = (container: Container, target: ContainerStatus | undefined): void => {
    if (target === undefined) return;
    const startedAt =
      target.state.running === undefined ? undefined : latestContainer(runtime, container.name)?.startedAt;
    if (startedAt === undefined) {
      target.started = false;
      target.ready = false;
      return;
    }
    const startupDue = startedAt + delayOf(container.startupProbe);
    const readyDue = Math.max(startupDue, startedAt + delayOf(container.readinessProbe));
    target.started = now >= startupDue;
    target.ready = now >= readyDue && !unready;
    const due = !target.started ? startupDue : now < readyDue ? readyDue : undefined;
    if (due !== undefined) next = Math.min(next ?? due, due);
  };
  for (const container of containersOf(pod)) apply(container, find(status.containerStatuses, container.name));
  for (const container of initContainersOf(pod)) {
    const target = find(status.initContainerStatuses, container.name);
    if (target === undefined) continue;
    if (isSidecar(container)) apply(container, target);
    else {
      target.started = target.state.running !== undefined;
      target.ready = target.state.terminated?.exitCode === 0;
    }
  }
  for (const target of status.ephemeralContainerStatuses ?? []) {
    target.started = target.state.running !== undefined;
    target.ready = false;
  }
  return next;
}

/** Whether the startup probe of a running container has succeeded. */
export function isContainerStarted(container: Container, startedAt: number, now: number): boolean {
  return now >= startedAt + delayOf(container.startupProbe);
}

function delayOf(probe: Probe | undefined): number {
  if (probe === undefined) return 0;
  const repeats = Math.max(0, (probe.successThreshold ?? 1) - 1) * (probe.periodSeconds ?? 10);
  return ((probe.initialDelaySeconds ?? 0) + repeats) * 1000;
}

function find(statuses: ContainerStatus[] | undefined, name: string): ContainerStatus | undefined {
  return statuses?.find((status) => status.name === name);
}
