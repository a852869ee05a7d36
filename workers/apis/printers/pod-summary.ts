import type { KubeObject } from "../../apimachinery/meta.ts";
import { count, isTrue, list, millisecondsOf, text } from "./cells.ts";
import { humanDuration } from "./human-duration.ts";

export interface PodSummary {
  ready: number;
  total: number;
  /** One word for the state of the pod: the most telling reason of its containers, or else its phase. */
  reason: string;
  /** `3`, or `3 (2m ago)` when the last restart's time is known. */
  restarts: string;
}

/** Number of restarts and the end of the latest run before one, in milliseconds. */
class Restarts {
  total = 0;
  last: number | undefined;

  add(status: any): void {
    this.total += count(status.restartCount);
    const finished = millisecondsOf(status.lastState?.terminated?.finishedAt);
    if (finished !== undefined && (this.last === undefined || finished > this.last)) this.last = finished;
  }

  format(now: number): string {
    if (this.total === 0 || this.last === undefined) return `${this.total}`;
    return `${this.total} (${humanDuration(now - this.last)} ago)`;
  }
}

interface Progress {
  ready: number;
  reason: string;
  restarts: Restarts;
}

/** What `kubectl get pods` says of a pod. Mirrors printPod of pkg/printers/internalversion/printers.go (1.36). */
export function podSummary(pod: KubeObject, now: number): PodSummary {
  const { spec = {}, status = {} } = pod;
  const sidecars = new Set<string>(
    list(spec.initContainers)
      .filter((container) => container.restartPolicy === "Always")
      .map((container) => container.name),
  );
  const progress: Progress = { ready: 0, reason: phaseReason(status), restarts: new Restarts() };
  const sidecarRestarts = new Restarts();
  const initialized = initialize(progress, sidecarRestarts, pod, sidecars);
  if (initialized || isTrue(status.conditions, "Initialized")) {
    progress.restarts = sidecarRestarts;
    run(progress, status);
  }
  const deleted = pod.metadata?.deletionTimestamp !== undefined && pod.metadata.deletionTimestamp !== null;
  if (deleted && status.reason === "NodeLost") progress.reason = "Unknown";
  else if (deleted && status.phase !== "Failed" && status.phase !== "Succeeded") progress.reason = "Terminating";
  return {
    ready: progress.ready,
    total: list(spec.containers).length + sidecars.size,
    reason: progress.reason,
    restarts: progress.restarts.format(now),
  };
}

function phaseReason(status: any): string {
  const gated = list(status.conditions).some(
    (condition) => condition.type === "PodScheduled" && condition.reason === "SchedulingGated",
  );
  return gated ? "SchedulingGated" : text(status.reason) || text(status.phase);
}

/** Goes through the init containers up to the first that is not done. True when there is none. */
function initialize(progress: Progress, sidecarRestarts: Restarts, pod: KubeObject, sidecars: Set<string>): boolean {
  const total = list(pod.spec?.initContainers).length;
  for (const [index, container] of list(pod.status?.initContainerStatuses).entries()) {
    const { terminated, waiting } = container.state ?? {};
    const sidecar = sidecars.has(container.name);
    progress.restarts.add(container);
    if (sidecar) sidecarRestarts.add(container);
    if (terminated && count(terminated.exitCode) === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready === true) progress.ready++;
      continue;
    }
    if (terminated) progress.reason = `Init:${terminationReason(terminated)}`;
    else if (text(waiting?.reason) !== "" && waiting.reason !== "PodInitializing")
      progress.reason = `Init:${waiting.reason}`;
    else progress.reason = `Init:${index}/${total}`;
    return false;
  }
  return true;
}

/** Goes through the containers from last to first, so that the first one's reason prevails. */
function run(progress: Progress, status: any): void {
  let running = false;
  let error = "";
  for (const container of list(status.containerStatuses).toReversed()) {
    const { terminated, waiting, running: runs } = container.state ?? {};
    progress.restarts.add(container);
    if (text(waiting?.reason) !== "") {
      progress.reason = waiting.reason;
    } else if (terminated) {
      progress.reason = terminationReason(terminated);
      if (count(terminated.exitCode) !== 0) error = progress.reason;
    } else if (container.ready === true && runs) {
      running = true;
      progress.ready++;
    }
  }
  // A completed container does not speak for a pod in which others still run or have failed.
  if (progress.reason !== "Completed") return;
  if (running && isTrue(status.conditions, "Ready")) progress.reason = "Running";
  else if (error !== "") progress.reason = error;
  else if (running) progress.reason = "NotReady";
}

function terminationReason(terminated: any): string {
  if (text(terminated.reason) !== "") return terminated.reason;
  if (count(terminated.signal) !== 0) return `Signal:${terminated.signal}`;
  return `ExitCode:${count(terminated.exitCode)}`;
}
