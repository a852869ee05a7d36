import { formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { CriImage } from "../cri/interfaces.ts";
import { equalButForEmpty } from "../equal-but-for-empty.ts";
import { defaultLabels, staticNodeStatus } from "./simulated-machine.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";

/** v1.NodeCondition */
export interface NodeCondition {
  type: string;
  status: string;
  lastHeartbeatTime?: string | null;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
}

/** Setters of pkg/kubelet/nodestatus (1.36), in their order, for a machine that lacks nothing. */
const healthy: readonly Pick<NodeCondition, "type" | "status" | "reason" | "message">[] = [
  {
    type: "MemoryPressure",
    status: "False",
    reason: "KubeletHasSufficientMemory",
    message: "kubelet has sufficient memory available",
  },
  {
    type: "DiskPressure",
    status: "False",
    reason: "KubeletHasNoDiskPressure",
    message: "kubelet has no disk pressure",
  },
  {
    type: "PIDPressure",
    status: "False",
    reason: "KubeletHasSufficientPID",
    message: "kubelet has sufficient PID available",
  },
  { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
];

/** At most as many images are reported, the largest (nodeStatusMaxImages). */
const maxImages = 50;

/** The Node object that a kubelet registers itself with. */
export function initialNode(machine: SimulatedMachine, now: number): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: machine.name,
      labels: defaultLabels(machine),
      annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
    },
    spec: machine.taints.length === 0 ? {} : { taints: machine.taints },
    status: { ...staticNodeStatus(machine), conditions: healthyConditions(undefined, now) },
  };
}

export function isReady(node: KubeObject): boolean {
  const conditions: NodeCondition[] = node.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/**
 * The strategic merge patch of the status: conditions with a new heartbeat, and whatever else the API object lacks.
 * `images`: what the runtime holds, when that is to be reported.
 */
export function nodeStatusPatch(
  machine: SimulatedMachine,
  node: KubeObject,
  images: readonly CriImage[] | undefined,
  now: number,
): Record<string, unknown> {
  const patch: Record<string, unknown> = { conditions: healthyConditions(node.status?.conditions, now) };
  for (const [field, value] of Object.entries(staticNodeStatus(machine))) {
    if (!isContained(value, node.status?.[field])) patch[field] = value;
  }
  if (images !== undefined) {
    const list = images
      .map(({ repoTags, repoDigests, size }) => ({ names: [...repoDigests, ...repoTags], sizeBytes: size }))
      .sort((a, b) => b.sizeBytes - a.sizeBytes)
      .slice(0, maxImages);
    if (!equalButForEmpty(node.status?.images, list)) patch.images = list;
  }
  return patch;
}

function healthyConditions(base: NodeCondition[] | undefined, now: number): NodeCondition[] {
  const time = formatTime(now);
  return healthy.map((condition) => {
    const before = base?.find(({ type }) => type === condition.type);
    return {
      ...condition,
      lastHeartbeatTime: time,
      lastTransitionTime: (before?.status === condition.status ? before.lastTransitionTime : undefined) ?? time,
    };
  });
}

/** Whether the API object says all that `part` says; quantities and lists that others added do not count. */
function isContained(part: unknown, whole: unknown): boolean {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return equalButForEmpty(part, whole);
  if (typeof whole !== "object" || whole === null) return equalButForEmpty(part, whole);
  return Object.entries(part).every(([key, value]) => isContained(value, (whole as Record<string, unknown>)[key]));
}
