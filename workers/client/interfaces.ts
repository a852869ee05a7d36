import type { GroupVersionResource } from "../apimachinery/gvk.ts";
import type { KubeList, KubeObject } from "../apimachinery/meta.ts";
import type { WatchEvent } from "../apimachinery/watch-event.ts";

/**
 * Carries requests to an API server. Two implementations: HTTP (any cluster, from anywhere) and loopback (the same
 * handler chain in this isolate, with an injected identity). Paths are relative to the cluster: `/api/v1/pods`.
 */
export interface Transport {
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export interface ListOptions {
  labelSelector?: string;
  fieldSelector?: string;
  resourceVersion?: string;
  resourceVersionMatch?: "Exact" | "NotOlderThan";
  limit?: number;
  continue?: string;
}

export interface WatchOptions extends ListOptions {
  allowWatchBookmarks?: boolean;
  sendInitialEvents?: boolean;
  timeoutSeconds?: number;
}

export interface DeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: "Orphan" | "Background" | "Foreground";
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** Of patches; apply needs a field manager. */
export interface PatchOptions {
  fieldManager?: string;
  /** Apply only: take over conflicting fields. */
  force?: boolean;
  dryRun?: "All";
}

export type PatchType =
  | "application/json-patch+json"
  | "application/merge-patch+json"
  | "application/strategic-merge-patch+json"
  | "application/apply-patch+yaml";

/** A running watch. Ends (without throwing) when the server ends it; a transport failure throws. */
export interface Watch<T = KubeObject> extends AsyncIterable<WatchEvent<T>> {
  stop(): void;
}

/** One independent operation of a batch; the server answers each on its own. */
export interface BatchOperation {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, relative to the cluster. */
  path: string;
  contentType?: string;
  body?: unknown;
}

export interface BatchResult {
  code: number;
  /** The object, or a metav1.Status. */
  body: KubeObject;
}

/**
 * A REST client for one cluster and one identity. Failures are StatusErrors (apimachinery/status-errors.ts).
 * `namespace` is undefined for cluster-scoped resources and for lists over all namespaces.
 */
export interface Client {
  get<T extends KubeObject>(gvr: GroupVersionResource, namespace: string | undefined, name: string): Promise<T>;
  list<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    options?: ListOptions,
  ): Promise<KubeList<T>>;
  watch<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    options: WatchOptions,
  ): Promise<Watch<T>>;
  create<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    object: T,
    subresource?: { name: string; subresource: string },
  ): Promise<T>;
  update<T extends KubeObject>(gvr: GroupVersionResource, object: T, subresource?: string): Promise<T>;
  patch<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    name: string,
    type: PatchType,
    patch: unknown,
    subresource?: string,
    options?: PatchOptions,
  ): Promise<T>;
  delete(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    name: string,
    options?: DeleteOptions,
  ): Promise<void>;
  deleteCollection(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    options?: DeleteOptions,
    list?: ListOptions,
  ): Promise<void>;
  /**
   * Independent operations, answered in order: POST /apis/edgeplane.dev/v1/batch, 500 in one request. The server groups
   * them by shard. A failure of one is in its result; only a failure of a whole request throws.
   */
  batch(operations: BatchOperation[]): Promise<BatchResult[]>;
  /** GET of any other path, decoded (discovery, for instance). */
  raw<T>(path: string): Promise<T>;
}
