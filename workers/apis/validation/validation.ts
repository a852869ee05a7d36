import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { admissionregistrationValidators } from "./admissionregistration.ts";
import { apiregistrationValidators } from "./apiregistration.ts";
import { validateAutoscaler, validateAutoscalerStatusUpdate, validateAutoscalerUpdate } from "./autoscaling.ts";
import { validateCronJob, validateCronJobUpdate, validateJob, validateJobUpdate } from "./batch.ts";
import { certificatesValidators } from "./certificates.ts";
import type { Causes } from "./checks.ts";
import { validateConfigMap, validateConfigMapUpdate, validateSecret, validateSecretUpdate } from "./config.ts";
import { coordinationValidators } from "./coordination.ts";
import { discoveryValidators } from "./discovery.ts";
import { validateEndpoints } from "./endpoints.ts";
import { validateEvent, validateEventUpdate, validateStrictEvent, validateStrictEventUpdate } from "./events.ts";
import { validateMetadataFinalizers } from "./finalizers.ts";
import { flowcontrolValidators } from "./flowcontrol.ts";
import { validateLimitRange } from "./limit-range.ts";
import { validateNamespace, validateNamespaceFinalizeUpdate, validateNamespaceStatusUpdate } from "./namespaces.ts";
import { networkingValidators } from "./networking.ts";
import { nodeValidators } from "./node.ts";
import { validateNode, validateNodeUpdate } from "./nodes.ts";
import { validateClaim, validateClaimStatusUpdate, validateClaimUpdate } from "./persistent-volume-claims.ts";
import { validatePersistentVolume, validatePersistentVolumeUpdate } from "./persistent-volumes.ts";
import { validatePodStatusUpdate } from "./pod-status.ts";
import { validateEphemeralContainersUpdate, validatePodResize } from "./pod-subresources.ts";
import { validatePodUpdate } from "./pod-update.ts";
import { validatePod, validatePodTemplateObject } from "./pods.ts";
import { validateBudgetStatusUpdate, validatePodDisruptionBudget } from "./policy.ts";
import { validateResourceQuota, validateResourceQuotaStatusUpdate, validateResourceQuotaUpdate } from "./quota.ts";
import { rbacValidators } from "./rbac.ts";
import type { KindChecks, Validators } from "./registry.ts";
import { resourceValidators } from "./resource.ts";
import { schedulingValidators } from "./scheduling.ts";
import { validateService, validateServiceStatusUpdate, validateServiceUpdate } from "./service.ts";
import { storageValidators } from "./storage.ts";
import {
  validateDaemonSetStatusUpdate,
  validateDeploymentStatusUpdate,
  validateReplicaSetStatusUpdate,
  validateStatefulSetStatusUpdate,
} from "./workload-status.ts";
import {
  validateControllerRevision,
  validateControllerRevisionUpdate,
  validateDaemonSet,
  validateDeployment,
  validateReplicaSet,
  validateReplicationController,
  validateStatefulSet,
  validateStatefulSetUpdate,
  withImmutableSelector,
} from "./workloads.ts";

/** By `resource.group`. */
const coreValidators: Validators = {
  pods: {
    create: validatePod,
    update: validatePodUpdate,
    subresources: {
      status: validatePodStatusUpdate,
      ephemeralcontainers: validateEphemeralContainersUpdate,
      resize: validatePodResize,
    },
  },
  podtemplates: { create: validatePodTemplateObject },
  replicationcontrollers: {
    create: validateReplicationController,
    subresources: { status: validateReplicaSetStatusUpdate },
  },
  services: {
    create: validateService,
    update: validateServiceUpdate,
    subresources: { status: validateServiceStatusUpdate },
  },
  endpoints: { create: validateEndpoints },
  configmaps: { create: validateConfigMap, update: validateConfigMapUpdate },
  secrets: { create: validateSecret, update: validateSecretUpdate },
  persistentvolumes: { create: validatePersistentVolume, update: validatePersistentVolumeUpdate },
  persistentvolumeclaims: {
    create: validateClaim,
    update: validateClaimUpdate,
    subresources: { status: validateClaimStatusUpdate },
  },
  nodes: { create: validateNode, update: validateNodeUpdate, subresources: { status: validateNodeUpdate } },
  namespaces: {
    create: validateNamespace,
    update: () => {},
    subresources: { status: validateNamespaceStatusUpdate, finalize: validateNamespaceFinalizeUpdate },
  },
  resourcequotas: {
    create: validateResourceQuota,
    update: validateResourceQuotaUpdate,
    subresources: { status: validateResourceQuotaStatusUpdate },
  },
  limitranges: { create: validateLimitRange },
  events: { create: validateEvent, update: validateEventUpdate },
  "events.events.k8s.io": { create: validateStrictEvent, update: validateStrictEventUpdate },
  "deployments.apps": {
    create: validateDeployment,
    update: withImmutableSelector(validateDeployment),
    subresources: { status: validateDeploymentStatusUpdate },
  },
  "replicasets.apps": {
    create: validateReplicaSet,
    update: withImmutableSelector(validateReplicaSet),
    subresources: { status: validateReplicaSetStatusUpdate },
  },
  "daemonsets.apps": {
    create: validateDaemonSet,
    update: withImmutableSelector(validateDaemonSet),
    subresources: { status: validateDaemonSetStatusUpdate },
  },
  "statefulsets.apps": {
    create: validateStatefulSet,
    update: validateStatefulSetUpdate,
    subresources: { status: validateStatefulSetStatusUpdate },
  },
  "controllerrevisions.apps": { create: validateControllerRevision, update: validateControllerRevisionUpdate },
  "jobs.batch": { create: validateJob, update: validateJobUpdate },
  "cronjobs.batch": { create: validateCronJob, update: validateCronJobUpdate },
  "poddisruptionbudgets.policy": {
    create: validatePodDisruptionBudget,
    subresources: { status: validateBudgetStatusUpdate },
  },
  "horizontalpodautoscalers.autoscaling": {
    create: validateAutoscaler,
    update: validateAutoscalerUpdate,
    subresources: { status: validateAutoscalerStatusUpdate },
  },
};

const kinds: Validators = {
  ...coreValidators,
  ...admissionregistrationValidators,
  ...apiregistrationValidators,
  ...certificatesValidators,
  ...coordinationValidators,
  ...discoveryValidators,
  ...flowcontrolValidators,
  ...networkingValidators,
  ...nodeValidators,
  ...rbacValidators,
  ...resourceValidators,
  ...schedulingValidators,
  ...storageValidators,
};

function checksOf({ group, resource }: GroupResource): KindChecks | undefined {
  const key = group === "" ? resource : `${resource}.${group}`;
  return Object.hasOwn(kinds, key) ? kinds[key] : undefined;
}

/**
 * What is wrong with a new object of a built-in kind, in upstream's words and order; [] for a kind that is not known here.
 * The object is defaulted and in the storage version. What all metadata has in common is checked by the registry.
 */
export function validate(gr: GroupResource, object: KubeObject): InvalidCause[] {
  const checks = checksOf(gr);
  const causes: Causes = [];
  if (checks === undefined) return causes;
  if (object.metadata.finalizers) validateMetadataFinalizers(object.metadata.finalizers, causes);
  checks.create(object, causes);
  return causes;
}

/** As {@link validate}, for a change of `previous` through the resource itself. */
export function validateUpdate(gr: GroupResource, object: KubeObject, previous: KubeObject): InvalidCause[] {
  const checks = checksOf(gr);
  const causes: Causes = [];
  if (checks === undefined) return causes;
  if (object.metadata.finalizers) validateMetadataFinalizers(object.metadata.finalizers, causes);
  if (checks.update !== undefined) checks.update(object, previous, causes);
  else checks.create(object, causes);
  return causes;
}

/** As {@link validateUpdate}, through a subresource such as `status`. */
export function validateSubresourceUpdate(
  gr: GroupResource,
  subresource: string,
  object: KubeObject,
  previous: KubeObject,
): InvalidCause[] {
  const causes: Causes = [];
  checksOf(gr)?.subresources?.[subresource]?.(object, previous, causes);
  return causes;
}

export function validateStatusUpdate(gr: GroupResource, object: KubeObject, previous: KubeObject): InvalidCause[] {
  return validateSubresourceUpdate(gr, "status", object, previous);
}
