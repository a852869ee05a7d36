import type { Clock } from "../apimachinery/clock.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import type { InvalidCause } from "../apimachinery/status-errors.ts";
import type { ResourceInfo } from "../apis/resource-info.ts";
import type { UserInfo } from "../apiserver/authentication/user-info.ts";
import type { DeleteOptions } from "./options.ts";
import type { StorageFactory } from "./storage-factory.ts";

/** One request as the registry sees it. */
export interface RequestScope {
  resource: ResourceInfo;
  namespace: string | undefined;
  user: UserInfo;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  storage: StorageFactory;
  warnings: string[];
  dryRun: boolean;
}

/** What was reserved for a write: `commit`, after the write, gives back what it replaced; `revert`, when it failed, gives back what is new. */
export interface Transaction {
  commit(): Promise<void>;
  revert(): Promise<void>;
}

/** A subresource whose body is the whole object, but which changes a part of it only. */
export interface SubresourceStrategy {
  /** The object as it shall be: of `object`, as it was sent, what the subresource may change; the rest is `previous`. */
  merge(object: KubeObject, previous: KubeObject, scope: RequestScope): KubeObject;
  validate?(object: KubeObject, previous: KubeObject, scope: RequestScope): InvalidCause[];
}

/**
 * What a kind adds to the generic store; everything is optional. Objects are in the storage version, defaulted.
 * Counterpart of k8s.io/apiserver pkg/registry/rest RESTCreateStrategy, RESTUpdateStrategy and RESTDeleteStrategy (1.36).
 */
export interface Strategy {
  /** Clears what a creator may not set. May change `object`. */
  prepareForCreate?(object: KubeObject, scope: RequestScope): void;
  validate?(object: KubeObject, scope: RequestScope): InvalidCause[];
  /** Reserves what must exist before the object does (a cluster IP). The result undoes it if the write fails. */
  beginCreate?(object: KubeObject, scope: RequestScope): Promise<() => Promise<void>>;
  /** The same for an update, after validation; runs again after a conflict. Not for updates of subresources. */
  beginUpdate?(object: KubeObject, previous: KubeObject, scope: RequestScope): Promise<Transaction>;
  prepareForUpdate?(object: KubeObject, previous: KubeObject, scope: RequestScope): void;
  validateUpdate?(object: KubeObject, previous: KubeObject, scope: RequestScope): InvalidCause[];
  /** For updates of `status`: `object` carries the new status on top of the rest of `previous`. */
  prepareForStatusUpdate?(object: KubeObject, previous: KubeObject, scope: RequestScope): void;
  validateStatusUpdate?(object: KubeObject, previous: KubeObject, scope: RequestScope): InvalidCause[];
  /** By name, besides `status`. */
  subresources?: Readonly<Record<string, SubresourceStrategy>>;
  /** Releases what was reserved, after the object is gone. */
  afterDelete?(object: KubeObject, scope: RequestScope): Promise<void>;
  /** PUT of a name that does not exist creates it. */
  allowCreateOnUpdate?: boolean;
  /** An update without resourceVersion is refused; a patch always has one, the current. */
  requireResourceVersion?: boolean;
  /** The seconds a deletion waits for, or undefined for at once. May adjust `options`. */
  gracePeriodSeconds?(object: KubeObject, options: DeleteOptions): number | undefined;
  /** What has to happen before a deleted object can go, apart from finalizers in metadata; marks it and says whether it stays. */
  terminate?(object: KubeObject, now: number): boolean;
  /** A creator may set status (nodes); for all others with a status subresource it begins empty. */
  keepsStatusOnCreate?: boolean;
  /** Metadata of the old object that an update of `status` keeps; the rest is taken as given. */
  statusKeeps?: readonly ("labels" | "ownerReferences")[];
  /** Dependents are orphaned when a deletion does not say what becomes of them. */
  orphansDependents?: boolean;
  /** Deletion answers with the last state of the object instead of a Status. */
  returnDeletedObject?: boolean;
  /** Fields whose change counts as a new generation; `false`: the kind has no generation. Default: `spec` if there is one. */
  generation?: false | "spec" | "all";
}
