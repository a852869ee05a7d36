import { containersOf, initContainersOf, isSidecar } from "../container-policy.ts";
import { sandboxUsable } from "../runtime-status.ts";
import type { RuntimePodStatus } from "../runtime-status.ts";
import type { ContainerStatus, Pod, PodCondition, PodPhase } from "../types.ts";

/** The conditions below are those that a kubelet owns; others pass through untouched. */
export const kubeletConditions: ReadonlySet<string> = new Set([
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
]);

type Verdict = Pick<PodCondition, "status" | "reason" | "message">;

const isTrue: Verdict = { status: "True" };

/** As Go's %s prints a slice. */
const listed = (names: string[]): string => `[${names.join(" ")}]`;

/**
 * Mirrors pkg/kubelet/status/generate.go (1.36), in upstream's order. `others`: conditions that the kubelet does not
 * own; readiness gates look at them. Times and generations are filled in by the status manager.
 */
export function generateConditions(
  pod: Pod,
  runtime: RuntimePodStatus,
  statuses: readonly ContainerStatus[],
  phase: PodPhase,
  others: readonly PodCondition[],
): PodCondition[] {
  const containersReady = containersReadyVerdict(pod, statuses, phase);
  return [
    { type: "PodReadyToStartContainers", status: sandboxUsable(runtime) ? "True" : "False" },
    { type: "Initialized", ...initializedVerdict(pod, statuses, phase) },
    { type: "Ready", ...readyVerdict(pod, containersReady, others) },
    { type: "ContainersReady", ...containersReady },
    { type: "PodScheduled", status: "True" },
  ];
}

function containersReadyVerdict(pod: Pod, statuses: readonly ContainerStatus[], phase: PodPhase): Verdict {
  const unknown: string[] = [];
  const unready: string[] = [];
  for (const container of [...initContainersOf(pod).filter(isSidecar), ...containersOf(pod)]) {
    const status = statuses.find((candidate) => candidate.name === container.name);
    if (status === undefined) unknown.push(container.name);
    else if (!status.ready) unready.push(container.name);
  }
  if (phase === "Succeeded" && unknown.length === 0) return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const messages = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${listed(unknown)}`] : []),
    ...(unready.length > 0 ? [`containers with unready status: ${listed(unready)}`] : []),
  ];
  if (messages.length === 0) return isTrue;
  return { status: "False", reason: "ContainersNotReady", message: messages.join(", ") };
}

function readyVerdict(pod: Pod, containersReady: Verdict, others: readonly PodCondition[]): Verdict {
  if (containersReady.status !== "True") return containersReady;
  const messages: string[] = [];
  for (const { conditionType } of (pod.spec?.readinessGates ?? []) as { conditionType: string }[]) {
    const condition = others.find((candidate) => candidate.type === conditionType);
    if (condition === undefined) {
      messages.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    } else if (condition.status !== "True") {
      messages.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`);
    }
  }
  if (messages.length === 0) return isTrue;
  return { status: "False", reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}

function initializedVerdict(pod: Pod, statuses: readonly ContainerStatus[], phase: PodPhase): Verdict {
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of initContainersOf(pod)) {
    const status = statuses.find((candidate) => candidate.name === container.name);
    if (status === undefined) unknown.push(container.name);
    else if (isSidecar(container) ? status.started !== true : !status.ready) incomplete.push(container.name);
  }
  if (phase === "Succeeded" && unknown.length === 0) return { status: "True", reason: "PodCompleted" };
  if (hasAnyRegularContainerStarted(pod, statuses)) return isTrue;
  const messages = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${listed(unknown)}`] : []),
    ...(incomplete.length > 0 ? [`containers with incomplete status: ${listed(incomplete)}`] : []),
  ];
  if (messages.length === 0) return isTrue;
  return { status: "False", reason: "ContainersNotInitialized", message: messages.join(", ") };
}

/** A regular container runs or has run. */
export function hasAnyRegularContainerStarted(pod: Pod, statuses: readonly ContainerStatus[]): boolean {
  return containersOf(pod).some((container) => {
    const status = statuses.find((candidate) => candidate.name === container.name);
    return (
      status?.state.running !== undefined ||
      status?.state.terminated !== undefined ||
      status?.lastState.terminated !== undefined
    );
  });
}
