import { containersOf, ephemeralContainersOf, initContainersOf } from "../container-policy.ts";
import type { RuntimePodStatus } from "../runtime-status.ts";
import type { Pod, PodCondition, PodStatus } from "../types.ts";
import { convertContainerStatuses } from "./container-statuses.ts";
import type { StartFailure } from "./container-statuses.ts";
import { generateConditions, hasAnyRegularContainerStarted, kubeletConditions } from "./generate.ts";
import { getPhase } from "./phase.ts";
import { updateProbeResults } from "./probes.ts";
import { qosClassOf } from "./qos.ts";

export interface ApiPodStatusInput {
  pod: Pod;
  runtime: RuntimePodStatus;
  /** The status manager's newest, else the pod's own. */
  oldStatus: PodStatus | undefined;
  podIsTerminal: boolean;
  failureOf: (container: string) => StartFailure | undefined;
  hostIP: string;
  now: number;
}

/**
 * The status of a pod from what the runtime knows and what was reported before; changes neither. Mirrors
 * pkg/kubelet/kubelet_pods.go generateAPIPodStatus (1.36). `nextChange`: when time alone changes the result
 * (simulated probes).
 */
export function generateApiPodStatus(input: ApiPodStatusInput): { status: PodStatus; nextChange: number | undefined } {
  const { pod, runtime, oldStatus, failureOf, hostIP } = input;
  const status: PodStatus = { phase: "Pending", conditions: [], qosClass: qosClassOf(pod) };
  const containers = (
    list: ReturnType<typeof containersOf>,
    previous: PodStatus["containerStatuses"],
    kind: "init" | "regular" | "ephemeral",
  ) => convertContainerStatuses(pod, runtime, list, previous, kind, failureOf);

  status.containerStatuses = containers(containersOf(pod), oldStatus?.containerStatuses, "regular");
  const init = initContainersOf(pod);
  if (init.length > 0) status.initContainerStatuses = containers(init, oldStatus?.initContainerStatuses, "init");
  const ephemeral = ephemeralContainersOf(pod);
  if (ephemeral.length > 0) {
    status.ephemeralContainerStatuses = containers(ephemeral, oldStatus?.ephemeralContainerStatuses, "ephemeral");
  }
  const nextChange = updateProbeResults(pod, runtime, status, input.now);

  const all = [...(status.initContainerStatuses ?? []), ...status.containerStatuses];
  status.phase = getPhase(pod, all, input.podIsTerminal, hasAnyRegularContainerStarted(pod, all));
  if (status.phase !== "Failed" && status.phase !== "Succeeded") {
    const terminal = [oldStatus?.phase, pod.status?.phase].find((phase) => phase === "Failed" || phase === "Succeeded");
    if (terminal !== undefined) status.phase = terminal;
  }
  const reported = pod.status?.phase;
  if (reported === "Failed" || reported === "Succeeded") status.phase = reported;
  if (status.phase === oldStatus?.phase) {
    const reason = oldStatus.reason ?? pod.status?.reason;
    const message = oldStatus.message ?? pod.status?.message;
    if (reason !== undefined) status.reason = reason;
    if (message !== undefined) status.message = message;
  }

  const others = ((pod.status?.conditions ?? []) as PodCondition[]).filter(({ type }) => !kubeletConditions.has(type));
  status.conditions = [...others, ...generateConditions(pod, runtime, all, status.phase, others)];

  status.hostIP = hostIP;
  status.hostIPs = [{ ip: hostIP }];
  const ips = pod.spec?.hostNetwork === true ? [hostIP] : runtime.ips;
  if (ips.length > 0) {
    status.podIP = ips[0]!;
    status.podIPs = ips.map((ip) => ({ ip }));
  }
  return { status, nextChange };
}
