import type { Strategy } from "../strategy.ts";
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
  nodes: { ...noGeneration },
  persistentvolumes: {
    ...noGeneration,
    prepareForCreate(volume) {
      volume.status = { phase: "Pending" };
    },
  },
  persistentvolumeclaims: {
    ...noGeneration,
    prepareForCreate(claim) {
      claim.status = { phase: "Pending" };
    },
  },
  resourcequotas: noGeneration,
  events: { allowCreateOnUpdate: true },
  "events.events.k8s.io": { allowCreateOnUpdate: true },
  endpoints: { allowCreateOnUpdate: true },
  limitranges: { allowCreateOnUpdate: true },
  "leases.coordination.k8s.io": { allowCreateOnUpdate: true },
  "jobs.batch": {
    generation: "spec",
    prepareForCreate(job, _scope) {
      job.status = {};
    },
  },
  "cronjobs.batch": {
    generation: "spec",
    prepareForCreate(job) {
      job.status = {};
    },
  },
  "horizontalpodautoscalers.autoscaling": noGeneration,
  "certificatesigningrequests.certificates.k8s.io": noGeneration,
  "apiservices.apiregistration.k8s.io": noGeneration,
  "networkpolicies.networking.k8s.io": specOnly,
  "ingressclasses.networking.k8s.io": specOnly,
  "ingresses.networking.k8s.io": specOnly,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": wholeBody,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": wholeBody,
  "validatingadmissionpolicies.admissionregistration.k8s.io": specOnly,
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": specOnly,
  "mutatingadmissionpolicies.admissionregistration.k8s.io": specOnly,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": specOnly,
  "priorityclasses.scheduling.k8s.io": wholeBody,
  "resourceclaims.resource.k8s.io": noGeneration,
  "resourceslices.resource.k8s.io": specOnly,
};

const defaults: Strategy = {};

export function strategyFor(group: string, resource: string): Strategy {
  return strategies[group === "" ? resource : `${resource}.${group}`] ?? defaults;
}
