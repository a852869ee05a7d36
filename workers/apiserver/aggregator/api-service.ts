import type { KubeObject } from "../../apimachinery/meta.ts";
import type { DefinitionCondition } from "../extensions/definition.ts";
import { findCondition } from "../extensions/definition.ts";

/** apiregistration.k8s.io/v1 APIService, as far as it is read here. */
export interface ApiService extends KubeObject {
  spec: ApiServiceSpec;
  status?: { conditions?: DefinitionCondition[] };
}

export interface ApiServiceSpec {
  group: string;
  version: string;
  groupPriorityMinimum: number;
  versionPriority: number;
  /** Absent for a version that this server answers itself. */
  service?: { namespace: string; name: string; port?: number };
  caBundle?: string;
  insecureSkipTLSVerify?: boolean;
}

/** One that a service answers. */
export type RemoteApiService = ApiService & { spec: { service: { namespace: string; name: string; port?: number } } };

export const apiServices = { group: "apiregistration.k8s.io", resource: "apiservices" };

/** "onstart": made with the cluster; "true": follows the CustomResourceDefinitions. */
export const automanagedLabel = "kube-aggregator.kubernetes.io/automanaged";

/** `v1.apps`; `v1.` for the core group. */
export function apiServiceName(group: string, version: string): string {
  return `${version}.${group}`;
}

export function isRemote(apiService: ApiService): apiService is RemoteApiService {
  return apiService.spec?.service !== undefined && apiService.spec.service !== null;
}

/** What the Available condition says, undefined when nobody has looked yet. */
export function availability(apiService: ApiService): DefinitionCondition | undefined {
  return findCondition(apiService, "Available");
}

export const localCondition: DefinitionCondition = {
  type: "Available",
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};
