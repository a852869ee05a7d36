import { formatTime } from "../../apimachinery/clock.ts";
import type { BatchOperation, BatchResult, Client } from "../../client/interfaces.ts";
import { containersOf } from "../container-policy.ts";
import type { QueuedTimer, TimerQueue } from "../timer-queue.ts";
import type { ContainerStatus, Pod, PodCondition, PodStatus } from "../types.ts";
import { hasAnyRegularContainerStarted, kubeletConditions } from "./generate.ts";
import { statusPatch } from "./status-patch.ts";

export interface StatusManagerOptions {
  client: Client;
  timers: TimerQueue;
  /** States that follow each other within this time are sent as one. */
  windowMilliseconds: number;
  onError: (error: unknown) => void;
}

interface Entry {
  pod: Pod;
  /** The newest status, undefined before the first. */
  status: PodStatus | undefined;
  /** What the API server is known to hold, as far as this kubelet wrote or saw it. */
  sent: Partial<PodStatus>;
  /** The API server's answer to the last patch: an informer event that differs was written by someone else. */
  acknowledged: { resourceVersion: string; status: PodStatus } | undefined;
  /** Nothing of the pod runs any more, see {@link StatusManager.terminatePod}. */
  finished: boolean;
  deleted: boolean;
}

const batchLimit = 500;
const retryMilliseconds = { transport: 1000, refused: 10_000 };

/**
 * Source of truth for pod statuses of all kubelets of a pool; syncs changes to the API server. Mirrors
 * pkg/kubelet/status/status_manager.go (1.36), with these invariants: at most one request is in flight; a pod's
 * statuses arrive in order; an unchanged one is never sent; the API object of a deleted pod goes only after its last
 * status arrived.
 */
export class StatusManager {
  readonly #options: StatusManagerOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #dirty = new Set<string>();
  #timer: QueuedTimer | undefined;
  #inFlight = 0;
  #stopped = false;

  constructor(options: StatusManagerOptions) {
    this.#options = options;
  }

  /** Statuses that have not arrived and pod deletions that have not been answered. */
  get pending(): number {
    return this.#dirty.size + this.#inFlight;
  }

  getPodStatus(uid: string): PodStatus | undefined {
    return this.#entries.get(uid)?.status;
  }

  /** Takes a status over and completes it: transition times, generations, start time. */
  setPodStatus(pod: Pod, status: PodStatus): void {
    const entry = this.#entryOf(pod);
    const old: Partial<PodStatus> = entry.status ?? pod.status ?? {};
    const now = formatTime(this.#options.timers.now());
    const generation = pod.metadata.generation;
    status.startTime ??= old.startTime ?? now;
    if (generation !== undefined) status.observedGeneration = generation;
    status.conditions = status.conditions.map((condition) => {
      if (!kubeletConditions.has(condition.type)) return condition;
      const before = old.conditions?.find((candidate) => candidate.type === condition.type);
      return completeCondition(condition, before, generation, now);
    });
    entry.status = status;
    if (statusPatch(entry.sent, status) !== undefined) this.#markDirty(pod.metadata.uid!);
  }

  /**
   * The last word on a pod whose containers are gone: those without an end are reported as lost, the phase becomes
   * terminal, and the API object may be deleted once the status has arrived and a deletion is asked for.
   */
  terminatePod(pod: Pod): void {
    const entry = this.#entryOf(pod);
    const status = structuredClone(entry.status ?? ({ conditions: [], ...pod.status } as PodStatus));
    const lost = (containers: ContainerStatus[] | undefined): void => {
      for (const container of containers ?? []) {
        if (container.state.terminated !== undefined) continue;
        container.state = {
          terminated: {
            exitCode: 137,
            reason: "ContainerStatusUnknown",
            message: "The container could not be located when the pod was terminated",
            startedAt: null,
            finishedAt: null,
          },
        };
        container.ready = false;
        container.started = false;
      }
    };
    const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    if (containersOf(pod).length > 0 && hasAnyRegularContainerStarted(pod, all)) lost(status.containerStatuses);
    if (status.phase !== "Succeeded" && status.phase !== "Failed") status.phase = "Failed";
    this.setPodStatus(pod, status);
    entry.finished = true;
    this.#enqueueDeletion(entry);
  }

  /** Notes a pod that had ended before this process started. */
  addFinishedPod(pod: Pod): void {
    const entry = this.#entryOf(pod);
    entry.finished = true;
    this.#enqueueDeletion(entry);
  }

  /** Takes in the API server's newest object: restores the status if someone else changed it. */
  reconcile(pod: Pod): void {
    const entry = this.#entries.get(pod.metadata.uid!);
    if (entry === undefined) return;
    entry.pod = pod;
    this.#enqueueDeletion(entry);
    const { acknowledged, status } = entry;
    if (status === undefined) {
      entry.sent = pod.status ?? {};
      return;
    }
    if (acknowledged === undefined || this.#dirty.has(pod.metadata.uid!)) return;
    if (!isNewer(pod.metadata.resourceVersion, acknowledged.resourceVersion)) return;
    if (ownedEqual(acknowledged.status, pod.status ?? {})) return;
    entry.acknowledged = { resourceVersion: pod.metadata.resourceVersion ?? "", status: pod.status };
    entry.sent = pod.status ?? {};
    if (statusPatch(entry.sent, status) !== undefined) this.#markDirty(pod.metadata.uid!);
  }

  /** Forgets a pod that the API server no longer has. */
  removePod(uid: string): void {
    this.#entries.delete(uid);
    this.#dirty.delete(uid);
  }

  stop(): void {
    this.#stopped = true;
    this.#options.timers.cancel(this.#timer);
  }

  #entryOf(pod: Pod): Entry {
    const uid = pod.metadata.uid!;
    let entry = this.#entries.get(uid);
    if (entry === undefined) {
      const acknowledged = { resourceVersion: pod.metadata.resourceVersion ?? "", status: pod.status };
      entry = { pod, status: undefined, sent: pod.status ?? {}, acknowledged, finished: false, deleted: false };
      this.#entries.set(uid, entry);
    }
    entry.pod = pod;
    return entry;
  }

  #canBeDeleted(entry: Entry): boolean {
    return entry.finished && !entry.deleted && entry.pod.metadata.deletionTimestamp !== undefined;
  }

  #enqueueDeletion(entry: Entry): void {
    if (this.#canBeDeleted(entry)) this.#markDirty(entry.pod.metadata.uid!);
  }

  #markDirty(uid: string): void {
    this.#dirty.add(uid);
    this.#schedule(this.#options.windowMilliseconds);
  }

  #schedule(milliseconds: number): void {
    if (this.#timer?.callback !== undefined || this.#inFlight > 0 || this.#stopped) return;
    this.#timer = this.#options.timers.after(milliseconds, () => {
      this.#sync().catch(this.#options.onError);
    });
  }

  async #sync(): Promise<void> {
    const { client } = this.#options;
    let retry: number | undefined;
    try {
      const uids = [...this.#dirty];
      this.#dirty.clear();
      this.#inFlight = uids.length;
      for (let start = 0; start < uids.length; start += batchLimit) {
        const part = uids.slice(start, start + batchLimit);
        for (const step of [this.#patchOperation, this.#deleteOperation]) {
          const prepared = part.flatMap((uid) => step.call(this, uid) ?? []);
          if (prepared.length === 0) continue;
          let results: BatchResult[];
          try {
            results = await client.batch(prepared.map(({ operation }) => operation));
          } catch (error) {
            this.#options.onError(error);
            retry = retryMilliseconds.transport;
            for (const { uid, failed } of prepared) {
              failed?.();
              if (this.#entries.has(uid)) this.#dirty.add(uid);
            }
            continue;
          }
          prepared.forEach(({ uid, done, failed }, index) => {
            const result = results[index];
            if (result !== undefined && (result.code < 300 || result.code === 404 || result.code === 409)) {
              done(result);
              return;
            }
            this.#options.onError(new Error(`pod ${uid}: ${result?.code} ${result?.body?.message ?? ""}`));
            retry ??= retryMilliseconds.refused;
            failed?.();
            if (this.#entries.has(uid)) this.#dirty.add(uid);
          });
        }
      }
    } finally {
      this.#inFlight = 0;
    }
    if (this.#dirty.size > 0) this.#schedule(retry ?? this.#options.windowMilliseconds);
  }

  #patchOperation(uid: string): Prepared | undefined {
    const entry = this.#entries.get(uid);
    if (entry?.status === undefined) return undefined;
    const { status } = entry;
    const patch = statusPatch(entry.sent, status);
    if (patch === undefined) return undefined;
    return {
      uid,
      operation: {
        method: "PATCH",
        path: `${podPath(entry.pod)}/status`,
        contentType: "application/strategic-merge-patch+json",
        body: { metadata: { uid }, status: patch },
      },
      done: (result) => {
        // 404 and 409 (another uid): the pod is gone, which its informer will tell.
        entry.sent = status;
        if (entry.status !== undefined && statusPatch(status, entry.status) !== undefined) this.#dirty.add(uid);
        if (result.code >= 300) return;
        entry.acknowledged = {
          resourceVersion: result.body.metadata?.resourceVersion ?? "",
          status: result.body.status,
        };
      },
    };
  }

  #deleteOperation(uid: string): Prepared | undefined {
    const entry = this.#entries.get(uid);
    if (entry === undefined || !this.#canBeDeleted(entry)) return undefined;
    // A last status that has not arrived goes first.
    if (entry.status !== undefined && statusPatch(entry.sent, entry.status) !== undefined) return undefined;
    entry.deleted = true;
    return {
      uid,
      operation: {
        method: "DELETE",
        path: podPath(entry.pod),
        contentType: "application/json",
        body: { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0, preconditions: { uid } },
      },
      done: () => {},
      failed: () => {
        entry.deleted = false;
      },
    };
  }
}

interface Prepared {
  uid: string;
  operation: BatchOperation;
  done: (result: BatchResult) => void;
  failed?: () => void;
}

function podPath(pod: Pod): string {
  const { namespace, name } = pod.metadata;
  return `/api/v1/namespaces/${encodeURIComponent(namespace ?? "")}/pods/${encodeURIComponent(name ?? "")}`;
}

function completeCondition(
  condition: PodCondition,
  before: PodCondition | undefined,
  generation: number | undefined,
  now: string,
): PodCondition {
  const { type, status, reason, message } = condition;
  return {
    type,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status,
    lastProbeTime: null,
    lastTransitionTime: (before?.status === status ? before.lastTransitionTime : undefined) ?? now,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

/** resourceVersions of one type are comparable numbers. */
function isNewer(candidate: string | undefined, known: string): boolean {
  if (candidate === undefined || known === "") return true;
  return BigInt(candidate) > BigInt(known);
}

function ownedEqual(a: Partial<PodStatus> | undefined, b: Partial<PodStatus>): boolean {
  return statusPatch(a ?? {}, { ...b, conditions: b.conditions ?? [] } as PodStatus) === undefined;
}
