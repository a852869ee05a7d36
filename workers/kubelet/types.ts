import type { KubeObject } from "../apimachinery/meta.ts";

/** A v1.Pod; spec and status are read through the loose type of {@link KubeObject}. */
export type Pod = KubeObject;

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";

export interface ContainerStateTerminated {
  exitCode: number;
  signal?: number;
  reason?: string;
  message?: string;
  startedAt?: string | null;
  finishedAt?: string | null;
  containerID?: string;
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string | null };
  terminated?: ContainerStateTerminated;
}

/** v1.ContainerStatus */
export interface ContainerStatus {
  name: string;
  state: ContainerState;
  lastState: ContainerState;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
  started?: boolean;
  allocatedResources?: Record<string, string>;
  resources?: any;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean; recursiveReadOnly?: string }[];
  user?: { linux?: { uid: number; gid: number; supplementalGroups?: number[] } };
}

/** v1.PodCondition */
export interface PodCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  observedGeneration?: number;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
}

/** v1.PodStatus, as far as a kubelet writes it. */
export interface PodStatus {
  observedGeneration?: number;
  phase: PodPhase;
  conditions: PodCondition[];
  message?: string;
  reason?: string;
  hostIP?: string;
  hostIPs?: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
  qosClass?: string;
}

/** v1.Container, as far as a kubelet reads it. */
export interface Container {
  name: string;
  image: string;
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  command?: string[];
  args?: string[];
  restartPolicy?: "Always" | "OnFailure" | "Never";
  restartPolicyRules?: { action: string; exitCodes?: { operator: "In" | "NotIn"; values?: number[] } }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean; recursiveReadOnly?: string }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
  securityContext?: { runAsUser?: number; runAsGroup?: number };
}

export interface Probe {
  initialDelaySeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
}
