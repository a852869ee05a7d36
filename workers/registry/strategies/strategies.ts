import type { Strategy } from "../strategy.ts";
import { certificateSigningRequestStrategy } from "./certificate-signing-request.ts";
import { jobStrategy } from "./job.ts";
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
  podtemplates: returned,
  serviceaccounts: returned,
  resourcequotas: { ...noGeneration, ...returned },
  events: createOnUpdate,
  "events.events.k8s.io": createOnUpdate,
  endpoints: createOnUpdate,
  "endpointslices.discovery.k8s.io": wholeBody,
  limitranges: createOnUpdate,
  "leases.coordination.k8s.io": { ...createOnUpdate, ...conditional },
  "leasecandidates.coordination.k8s.io": conditional,
  "jobs.batch": jobStrategy,
  "cronjobs.batch": specOnly,
  "horizontalpodautoscalers.autoscaling": noGeneration,
  "certificatesigningrequests.certificates.k8s.io": certificateSigningRequestStrategy,
  "clustertrustbundles.certificates.k8s.io": conditional,
  "podcertificaterequests.certificates.k8s.io": { ...noGeneration, ...conditional },
  "apiservices.apiregistration.k8s.io": { ...noGeneration, ...conditional },
  "customresourcedefinitions.apiextensions.k8s.io": conditional,
  "networkpolicies.networking.k8s.io": specOnly,
  "ingressclasses.networking.k8s.io": specOnly,
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
  "rolebindings.rbac.authorization.k8s.io": createOnUpdate,
  "clusterrolebindings.rbac.authorization.k8s.io": createOnUpdate,
  "runtimeclasses.node.k8s.io": conditional,
  "priorityclasses.scheduling.k8s.io": wholeBody,
  "resourceclaims.resource.k8s.io": noGeneration,
  "resourceslices.resource.k8s.io": specOnly,
  "deviceclasses.resource.k8s.io": specOnly,
  "storageclasses.storage.k8s.io": returned,
  "volumeattachments.storage.k8s.io": { ...noGeneration, ...returned, ...conditional },
  "csidrivers.storage.k8s.io": { ...returned, ...conditional },
  "csinodes.storage.k8s.io": { ...returned, ...conditional },
  "csistoragecapacities.storage.k8s.io": conditional,
  "volumeattributesclasses.storage.k8s.io": returned,
};

const defaults: Strategy = {};

export function strategyFor(group: string, resource: string): Strategy {
  return strategies[group === "" ? resource : `${resource}.${group}`] ?? defaults;
}
