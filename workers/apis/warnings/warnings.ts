import { deepEqual } from "../../apimachinery/deep-equal.ts";
import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { entriesOf, isSet, textOf } from "../validation/checks.ts";
import {
  warningsForEndpoints,
  warningsForEndpointSlice,
  warningsForNetworkPolicy,
  warningsForNewIngress,
  warningsForService,
} from "./networking.ts";
import { deprecatedNodeLabel } from "./node-labels.ts";
import { warningsForPod, warningsForPodTemplate } from "./pod.ts";
import {
  warningsForClaim,
  warningsForPersistentVolume,
  warningsForStorageCapacity,
  warningsForStorageClass,
} from "./storage.ts";
import {
  warningsForChangedCronJob,
  warningsForJobSpec,
  warningsForNewCronJob,
  warningsForPodNamePrefix,
  warningsForRevisionHistory,
  warningsForStatefulSet,
  warningsForTemplateOf,
} from "./workloads.ts";

/** What a kind has to say about objects that are valid, but hardly meant so. Objects are in the storage version, defaulted. */
interface KindWarnings {
  create?(object: KubeObject): string[];
  update?(object: KubeObject, previous: KubeObject): string[];
}

const both = (check: (object: KubeObject) => string[]): KindWarnings => ({ create: check, update: check });

/** Looked at again only when the spec has changed. */
const onChange = (check: (object: KubeObject) => string[]) => (object: KubeObject, previous: KubeObject) =>
  object.metadata.generation === previous.metadata.generation ? [] : check(object);

const namedTemplate: KindWarnings = {
  create: (object) => [...warningsForPodNamePrefix(object), ...warningsForTemplateOf(object)],
  update: onChange(warningsForTemplateOf),
};
const jobSpec = ({ spec }: KubeObject) => warningsForJobSpec(spec, "spec");
const podTemplate = (object: KubeObject) => warningsForPodTemplate(object["template"], "template");

/** By `resource.group`. Mirrors WarningsOnCreate and WarningsOnUpdate of the strategies below pkg/registry (1.36). */
const kinds: Readonly<Record<string, KindWarnings>> = {
  // A pod's updates are many, and no human's.
  pods: { create: warningsForPod },
  podtemplates: {
    create: podTemplate,
    update: (object, previous) => (deepEqual(object["template"], previous["template"]) ? [] : podTemplate(object)),
  },
  replicationcontrollers: namedTemplate,
  "replicasets.apps": namedTemplate,
  "deployments.apps": namedTemplate,
  "daemonsets.apps": { create: warningsForTemplateOf, update: onChange(warningsForTemplateOf) },
  "statefulsets.apps": {
    create: warningsForStatefulSet,
    update: (set, previous) => [...onChange(warningsForTemplateOf)(set, previous), ...warningsForRevisionHistory(set)],
  },
  "jobs.batch": {
    create: (job) => [...warningsForPodNamePrefix(job), ...jobSpec(job)],
    update: onChange(jobSpec),
  },
  "cronjobs.batch": { create: warningsForNewCronJob, update: warningsForChangedCronJob },
  services: both(warningsForService),
  endpoints: both(warningsForEndpoints),
  "endpointslices.discovery.k8s.io": both(warningsForEndpointSlice),
  "ingresses.networking.k8s.io": { create: warningsForNewIngress },
  "networkpolicies.networking.k8s.io": both(warningsForNetworkPolicy),
  nodes: both(warningsForNode),
  serviceaccounts: {
    create: warningsForServiceAccount,
    update: (object, previous) =>
      warningsForServiceAccount(previous).length > 0 ? [] : warningsForServiceAccount(object),
  },
  persistentvolumes: both(warningsForPersistentVolume),
  persistentvolumeclaims: both(warningsForClaim),
  "storageclasses.storage.k8s.io": both(warningsForStorageClass),
  "csistoragecapacities.storage.k8s.io": both(warningsForStorageCapacity),
  "runtimeclasses.node.k8s.io": both(warningsForRuntimeClass),
};

export function warningsOnCreate(gr: GroupResource, object: KubeObject): string[] {
  return kindOf(gr)?.create?.(object) ?? [];
}

export function warningsOnUpdate(gr: GroupResource, object: KubeObject, previous: KubeObject): string[] {
  return kindOf(gr)?.update?.(object, previous) ?? [];
}

function kindOf({ group, resource }: GroupResource): KindWarnings | undefined {
  const key = group === "" ? resource : `${resource}.${group}`;
  return Object.hasOwn(kinds, key) ? kinds[key] : undefined;
}

function warningsForNode({ spec }: KubeObject): string[] {
  return [
    ...(isSet(spec?.configSource) ? ["spec.configSource: the feature is removed"] : []),
    ...(textOf(spec?.externalID) === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
  ];
}

function warningsForServiceAccount({ metadata }: KubeObject): string[] {
  const annotation = "kubernetes.io/enforce-mountable-secrets";
  if (!isSet(metadata.annotations?.[annotation])) return [];
  return [
    `metadata.annotations[${annotation}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
  ];
}

function warningsForRuntimeClass(runtimeClass: KubeObject): string[] {
  return entriesOf(runtimeClass["scheduling"]?.nodeSelector).flatMap(([key]) => {
    const message = deprecatedNodeLabel(key);
    return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`];
  });
}
