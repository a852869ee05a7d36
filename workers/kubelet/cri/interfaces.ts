/**
 * The part of the Container Runtime Interface (k8s.io/cri-api, runtime/v1, 1.36) that a kubelet calls. Times are
 * milliseconds since the epoch, 0 when not set. Failures are {@link CriError}s; a call given a signal rejects with an
 * AbortError when it aborts.
 */
export interface RuntimeService {
  runPodSandbox(config: PodSandboxConfig, signal?: AbortSignal): Promise<string>;
  /** Stops whatever still runs in it and gives its network back. Idempotent. */
  stopPodSandbox(sandboxId: string): Promise<void>;
  /** Removes it with its containers. Idempotent. */
  removePodSandbox(sandboxId: string): Promise<void>;
  createContainer(sandboxId: string, config: ContainerConfig, signal?: AbortSignal): Promise<string>;
  startContainer(containerId: string, signal?: AbortSignal): Promise<void>;
  /** Resolves once the container has exited: after at most `timeoutSeconds` it is killed. Idempotent. */
  stopContainer(containerId: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  removeContainer(containerId: string): Promise<void>;
  listContainers(filter?: { podSandboxId?: string }): Promise<CriContainerStatus[]>;
  containerStatus(containerId: string): Promise<CriContainerStatus>;
  /** Each event carries the state of the whole sandbox, so a subscriber needs no further call. Returns the removal. */
  getContainerEvents(handler: (event: ContainerEvent) => void): () => void;
}

export interface ImageService {
  /** Resolves to the image's reference (`name@sha256:…`). */
  pullImage(image: ImageSpec, signal?: AbortSignal): Promise<string>;
  imageStatus(image: string): Promise<CriImage | undefined>;
  listImages(): Promise<CriImage[]>;
  removeImage(image: string): Promise<void>;
}

export interface ImageSpec {
  image: string;
  annotations?: Record<string, string>;
}

export interface PodSandboxConfig {
  name: string;
  namespace: string;
  uid: string;
  attempt: number;
  hostNetwork: boolean;
}

export interface PodSandboxStatus extends PodSandboxConfig {
  id: string;
  state: "SANDBOX_READY" | "SANDBOX_NOTREADY";
  createdAt: number;
  /** Empty for the host's network. */
  ips: string[];
}

export interface ContainerConfig {
  name: string;
  attempt: number;
  /** The reference of the pod spec. */
  image: string;
  /** The reference that the pull gave. */
  imageRef: string;
  command?: string[];
  args?: string[];
  annotations: Record<string, string>;
  labels: Record<string, string>;
}

export type CriContainerState = "CONTAINER_CREATED" | "CONTAINER_RUNNING" | "CONTAINER_EXITED";

export interface CriContainerStatus {
  id: string;
  name: string;
  attempt: number;
  state: CriContainerState;
  createdAt: number;
  startedAt: number;
  finishedAt: number;
  exitCode: number;
  /** The normalised name, `docker.io/library/nginx:latest`. */
  image: string;
  imageRef: string;
  reason: string;
  message: string;
}

export interface CriImage {
  id: string;
  repoTags: string[];
  repoDigests: string[];
  /** Bytes. */
  size: number;
}

export type ContainerEventType =
  | "CONTAINER_CREATED_EVENT"
  | "CONTAINER_STARTED_EVENT"
  | "CONTAINER_STOPPED_EVENT"
  | "CONTAINER_DELETED_EVENT";

export interface ContainerEvent {
  type: ContainerEventType;
  /** The container, or the sandbox itself. */
  containerId: string;
  sandbox: PodSandboxStatus;
  /** Newest first. */
  containers: CriContainerStatus[];
}

/** A failed CRI call; the message has gRPC's form. */
export class CriError extends Error {
  readonly code: "NotFound" | "Unknown" | "InvalidArgument";

  constructor(code: "NotFound" | "Unknown" | "InvalidArgument", description: string) {
    super(`rpc error: code = ${code} desc = ${description}`);
    this.name = "CriError";
    this.code = code;
  }
}
