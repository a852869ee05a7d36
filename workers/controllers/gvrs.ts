import type { GroupVersionResource } from "../apimachinery/gvk.ts";

/** The resources that the controllers of this folder read and write. */
const core = (resource: string): GroupVersionResource => ({ group: "", version: "v1", resource });
const apps = (resource: string): GroupVersionResource => ({ group: "apps", version: "v1", resource });

export const podsResource = core("pods");
export const nodesResource = core("nodes");
export const namespacesResource = core("namespaces");
export const serviceAccountsResource = core("serviceaccounts");
export const configMapsResource = core("configmaps");
export const replicationControllersResource = core("replicationcontrollers");
export const deploymentsResource = apps("deployments");
export const replicaSetsResource = apps("replicasets");
export const leasesResource: GroupVersionResource = {
  group: "coordination.k8s.io",
  version: "v1",
  resource: "leases",
};
