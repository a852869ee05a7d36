import type { Strategy } from "../strategy.ts";
import {
  immutableFields,
  validateImmutableContents,
  validateJobUpdate,
  validatePriorityClassUpdate,
  validateRoleRef,
} from "./immutable.ts";
import { namespaceStrategy } from "./namespace.ts";
import { podStrategy } from "./pod.ts";
import { serviceStrategy } from "./service.ts";
import {
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  replicationControllerStrategy,
  statefulSetStrategy,
} from "./workloads.ts";

/** Kinds whose whole body apart from metadata counts for the generation. */
const wholeBody: Strategy = { generation: "all" };
const specOnly: Strategy = { generation: "spec" };
const noGeneration: Strategy = { generation: false };
const createOnUpdate: Strategy = { allowCreateOnUpdate: true };
/** No unconditional update: AllowUnconditionalUpdate is false upstream. */
const conditional: Strategy = { requireResourceVersion: true };
const returned: Strategy = { returnDeletedObject: true };

/** The strategy of each group/resource that has more than the defaults of {@link Strategy}. */
const strategies: Record<string, Strategy> = {
  pods: podStrategy,
  namespaces: namespaceStrategy,
  services: serviceStrategy,
  replicationcontrollers: replicationControllerStrategy,
  "deployments.apps": deploymentStrategy,
  "replicasets.apps": replicaSetStrategy,
  "statefulsets.apps": statefulSetStrategy,
  "daemonsets.apps": daemonSetStrategy,
  "controllerrevisions.apps": { validateUpdate: immutableFields("data") },
  nodes: { ...noGeneration, keepsStatusOnCreate: true },
  persistentvolumes: {
    ...noGeneration,
    ...returned,
    prepareForCreate(volume) {
      volume.status = { phase: "Pending" };
    },
  },
  persistentvolumeclaims: {
    ...noGeneration,
    ...returned,
    prepareForCreate(claim) {
      claim.status = { phase: "Pending" };
    },
  },
  configmaps: { validateUpdate: validateImmutableContents("data", "binaryData") },
  secrets: {
    validateUpdate: (secret, previous) => [
      ...immutableFields("type")(secret, previous),
      ...validateImmutableContents("data")(secret, previous),
    ],
  },
  podtemplates: returned,
  serviceaccounts: returned,
  resourcequotas: { ...noGeneration, ...returned },
  events: createOnUpdate,
  "events.events.k8s.io": createOnUpdate,
  endpoints: createOnUpdate,
  "endpointslices.discovery.k8s.io": { ...wholeBody, validateUpdate: immutableFields("addressType") },
  limitranges: createOnUpdate,
  "leases.coordination.k8s.io": { ...createOnUpdate, ...conditional },
  "leasecandidates.coordination.k8s.io": conditional,
  "jobs.batch": { ...specOnly, orphansDependents: true, validateUpdate: validateJobUpdate },
  "cronjobs.batch": specOnly,
  "horizontalpodautoscalers.autoscaling": noGeneration,
  "certificatesigningrequests.certificates.k8s.io": { ...noGeneration, validateUpdate: immutableFields("spec") },
  "clustertrustbundles.certificates.k8s.io": conditional,
  "podcertificaterequests.certificates.k8s.io": { ...noGeneration, ...conditional },
  "apiservices.apiregistration.k8s.io": { ...noGeneration, ...conditional },
  "customresourcedefinitions.apiextensions.k8s.io": conditional,
  "networkpolicies.networking.k8s.io": specOnly,
  "ingressclasses.networking.k8s.io": { ...specOnly, validateUpdate: immutableFields("spec.controller") },
  "ingresses.networking.k8s.io": specOnly,
  "servicecidrs.networking.k8s.io": noGeneration,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": { ...wholeBody, ...conditional },
  "validatingwebhookconfigurations.admissionregistration.k8s.io": { ...wholeBody, ...conditional },
  "validatingadmissionpolicies.admissionregistration.k8s.io": { ...specOnly, ...conditional },
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": { ...specOnly, ...conditional },
  "mutatingadmissionpolicies.admissionregistration.k8s.io": { ...specOnly, ...conditional },
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": { ...specOnly, ...conditional },
  "poddisruptionbudgets.policy": { ...specOnly, ...conditional },
  "roles.rbac.authorization.k8s.io": createOnUpdate,
  "clusterroles.rbac.authorization.k8s.io": createOnUpdate,
  "rolebindings.rbac.authorization.k8s.io": { ...createOnUpdate, validateUpdate: validateRoleRef },
  "clusterrolebindings.rbac.authorization.k8s.io": { ...createOnUpdate, validateUpdate: validateRoleRef },
  "runtimeclasses.node.k8s.io": { ...conditional, validateUpdate: immutableFields("handler") },
  "priorityclasses.scheduling.k8s.io": { ...wholeBody, validateUpdate: validatePriorityClassUpdate },
  "resourceclaims.resource.k8s.io": { ...noGeneration, validateUpdate: immutableFields("spec") },
  "resourceclaimtemplates.resource.k8s.io": { validateUpdate: immutableFields("spec") },
  "resourceslices.resource.k8s.io": specOnly,
  "deviceclasses.resource.k8s.io": specOnly,
  "storageclasses.storage.k8s.io": {
    ...returned,
    validateUpdate: immutableFields("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"),
  },
  "volumeattachments.storage.k8s.io": { ...noGeneration, ...returned, ...conditional, validateUpdate: immutableFields("spec") },
  "csidrivers.storage.k8s.io": { ...returned, ...conditional },
  "csinodes.storage.k8s.io": { ...returned, ...conditional },
  "csistoragecapacities.storage.k8s.io": { ...conditional, validateUpdate: immutableFields("nodeTopology", "storageClassName") },
  "volumeattributesclasses.storage.k8s.io": { ...returned, validateUpdate: immutableFields("driverName", "parameters") },
};

const defaults: Strategy = {};

export function strategyFor(group: string, resource: string): Strategy {
  return strategies[group === "" ? resource : `${resource}.${group}`] ?? defaults;
}
