import type { GroupVersionResource } from "../../apimachinery/gvk.ts";

/** Resources whose objects are one piece: a status field, if any, is written with the rest. */
export const withoutStatus: ReadonlySet<string> = new Set([
  "events",
  "leases",
  "configmaps",
  "secrets",
  "serviceaccounts",
  "endpoints",
  "endpointslices",
  "controllerrevisions",
  "storageclasses",
  "csinodes",
  "priorityclasses",
  "roles",
  "rolebindings",
  "clusterroles",
  "clusterrolebindings",
]);

const clusterScoped: ReadonlySet<string> = new Set([
  "namespaces",
  "nodes",
  "persistentvolumes",
  "storageclasses",
  "csinodes",
  "csidrivers",
  "volumeattachments",
  "volumeattributesclasses",
  "priorityclasses",
  "runtimeclasses",
  "ingressclasses",
  "gatewayclasses",
  "clusterroles",
  "clusterrolebindings",
  "customresourcedefinitions",
  "apiservices",
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "certificatesigningrequests",
  "clustertrustbundles",
  "flowschemas",
  "prioritylevelconfigurations",
  "deviceclasses",
  "resourceslices",
  "servicecidrs",
  "ipaddresses",
  "storageversions",
  "storageversionmigrations",
]);

/** Kinds by resource, where a created object lacks one. */
export const defaultKinds: Readonly<Record<string, string>> = {
  pods: "Pod",
  nodes: "Node",
  namespaces: "Namespace",
  services: "Service",
  endpoints: "Endpoints",
  endpointslices: "EndpointSlice",
  events: "Event",
  leases: "Lease",
  configmaps: "ConfigMap",
  secrets: "Secret",
  serviceaccounts: "ServiceAccount",
  deployments: "Deployment",
  replicasets: "ReplicaSet",
  statefulsets: "StatefulSet",
  daemonsets: "DaemonSet",
  controllerrevisions: "ControllerRevision",
  replicationcontrollers: "ReplicationController",
  jobs: "Job",
  cronjobs: "CronJob",
  horizontalpodautoscalers: "HorizontalPodAutoscaler",
  poddisruptionbudgets: "PodDisruptionBudget",
  persistentvolumes: "PersistentVolume",
  persistentvolumeclaims: "PersistentVolumeClaim",
  storageclasses: "StorageClass",
  resourcequotas: "ResourceQuota",
  priorityclasses: "PriorityClass",
};

export function isNamespaced(gvr: GroupVersionResource): boolean {
  return !clusterScoped.has(gvr.resource);
}

/** The plural of a kind, by the usual English rules. */
export function resourceOfKind(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular === "endpoints") return singular;
  if (singular.endsWith("s")) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
