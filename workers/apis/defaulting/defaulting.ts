import type { GroupVersionKind } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import {
  defaultAdmissionPolicy,
  defaultAdmissionPolicyBinding,
  defaultMutatingWebhooks,
  defaultValidatingWebhooks,
} from "./admissionregistration.ts";
import { defaultDaemonSet, defaultDeployment, defaultReplicaSet, defaultStatefulSet } from "./apps.ts";
import { defaultHorizontalPodAutoscaler, defaultHorizontalPodAutoscalerV1 } from "./autoscaling.ts";
import { defaultCronJob, defaultJob } from "./batch.ts";
import {
  defaultEndpoints,
  defaultEndpointSlice,
  defaultLimitRange,
  defaultNamespace,
  defaultNode,
  defaultPersistentVolume,
  defaultPersistentVolumeClaim,
  defaultPod,
  defaultPodTemplateObject,
  defaultReplicationController,
  defaultResourceQuota,
  defaultSecret,
  defaultTokenRequest,
} from "./core.ts";
import { defaultAPIService, defaultCustomResourceDefinition } from "./extensions.ts";
import { defaultFlowSchema, defaultPriorityLevelConfiguration } from "./flowcontrol.ts";
import { defaultIngressClass, defaultNetworkPolicy } from "./networking.ts";
import { defaultBinding } from "./rbac.ts";
import { defaultResourceClaim, defaultResourceClaimTemplate } from "./resource-claims.ts";
import { defaultService } from "./service.ts";
import { setDefault, type Json } from "./set-default.ts";
import { defaultCSIDriver, defaultStorageClass } from "./storage.ts";

type Defaulter = (object: Json) => void;

/** By `group/Kind`, for every version that has no entry of its own in {@link byVersion}. */
const byKind: Readonly<Record<string, Defaulter>> = {
  "/Endpoints": defaultEndpoints,
  "/LimitRange": defaultLimitRange,
  "/Namespace": defaultNamespace,
  "/Node": defaultNode,
  "/PersistentVolume": defaultPersistentVolume,
  "/PersistentVolumeClaim": defaultPersistentVolumeClaim,
  "/Pod": defaultPod,
  "/PodTemplate": defaultPodTemplateObject,
  "/ReplicationController": defaultReplicationController,
  "/ResourceQuota": defaultResourceQuota,
  "/Secret": defaultSecret,
  "/Service": defaultService,
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": defaultAdmissionPolicy,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": defaultAdmissionPolicyBinding,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": defaultMutatingWebhooks,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": defaultAdmissionPolicy,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": defaultAdmissionPolicyBinding,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": defaultValidatingWebhooks,
  "apiextensions.k8s.io/CustomResourceDefinition": defaultCustomResourceDefinition,
  "apiregistration.k8s.io/APIService": defaultAPIService,
  "apps/DaemonSet": defaultDaemonSet,
  "apps/Deployment": defaultDeployment,
  "apps/ReplicaSet": defaultReplicaSet,
  "apps/StatefulSet": defaultStatefulSet,
  "authentication.k8s.io/TokenRequest": defaultTokenRequest,
  "autoscaling/HorizontalPodAutoscaler": defaultHorizontalPodAutoscaler,
  "batch/CronJob": defaultCronJob,
  "batch/Job": defaultJob,
  "discovery.k8s.io/EndpointSlice": defaultEndpointSlice,
  "flowcontrol.apiserver.k8s.io/FlowSchema": defaultFlowSchema,
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": defaultPriorityLevelConfiguration,
  "networking.k8s.io/IngressClass": defaultIngressClass,
  "networking.k8s.io/NetworkPolicy": defaultNetworkPolicy,
  "rbac.authorization.k8s.io/ClusterRoleBinding": defaultBinding,
  "rbac.authorization.k8s.io/RoleBinding": defaultBinding,
  "resource.k8s.io/ResourceClaim": defaultResourceClaim,
  "resource.k8s.io/ResourceClaimTemplate": defaultResourceClaimTemplate,
  "scheduling.k8s.io/PriorityClass": (object) => setDefault(object, "preemptionPolicy", "PreemptLowerPriority"),
  "storage.k8s.io/CSIDriver": defaultCSIDriver,
  "storage.k8s.io/StorageClass": defaultStorageClass,
};

const byVersion: Readonly<Record<string, Defaulter>> = {
  "autoscaling/v1/HorizontalPodAutoscaler": defaultHorizontalPodAutoscalerV1,
};

/**
 * Fills in what a decoded object leaves out, in place; applying it again changes nothing. Kinds without defaults are
 * left alone. Mirrors the SetDefaults_* functions of Kubernetes' pkg/apis (1.36), and the two conversions that write
 * fields: Secret.stringData into data, serviceAccount equal to serviceAccountName.
 */
export function applyDefaults(gvk: GroupVersionKind, object: KubeObject): void {
  const { group, version, kind } = gvk;
  const defaulter = byVersion[`${group}/${version}/${kind}`] ?? byKind[`${group}/${kind}`];
  defaulter?.(object);
}
