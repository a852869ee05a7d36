import { apiVersionOf } from "../apimachinery/gvk.ts";
import type { GroupResource } from "../apimachinery/gvk.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import type { ResourceInfo } from "../apis/resource-info.ts";
import { horizontalPodAutoscalerV1 } from "./conversions/autoscaling.ts";
import { eventsV1 } from "./conversions/events.ts";
import { resourceClaimTemplateV1beta1, resourceClaimV1beta1, resourceSliceV1beta1 } from "./conversions/resource.ts";

/**
 * Between a served version and the storage version of a resource. Versions whose JSON form is the same need nothing but
 * another apiVersion; the others are listed here.
 */
export interface Converter {
  toStorage(object: KubeObject): KubeObject;
  fromStorage(object: KubeObject): KubeObject;
  /** For fields of selectors that have other names; upstream's field label conversion. */
  toStorageField?(field: string): string;
}

const converters: Record<string, Converter> = {
  "autoscaling/v1/horizontalpodautoscalers": horizontalPodAutoscalerV1,
  "events.k8s.io/v1/events": eventsV1,
  "resource.k8s.io/v1beta1/resourceclaims": resourceClaimV1beta1,
  "resource.k8s.io/v1beta1/resourceclaimtemplates": resourceClaimTemplateV1beta1,
  "resource.k8s.io/v1beta1/resourceslices": resourceSliceV1beta1,
};

/** undefined: the stored JSON is this version's JSON. */
export function converterFor(resource: Pick<ResourceInfo, "group" | "version" | "resource">): Converter | undefined {
  return converters[`${resource.group}/${resource.version}/${resource.resource}`];
}

/** The type under which a resource is stored: both groups of events share one. */
export function storedAs(resource: Pick<ResourceInfo, "group" | "resource" | "storageGroup">): GroupResource {
  return { group: resource.storageGroup ?? resource.group, resource: resource.resource };
}

/** A field that a selector names, in the storage version's words. */
export function toStorageField(resource: Pick<ResourceInfo, "group" | "version" | "resource">, field: string): string {
  return converterFor(resource)?.toStorageField?.(field) ?? field;
}

export function toStorageVersion(resource: ResourceInfo, object: KubeObject): KubeObject {
  return converterFor(resource)?.toStorage(object) ?? object;
}

/** Whether stored texts are this version's texts but for apiVersion and kind. */
export function isPassedThrough(resource: ResourceInfo): boolean {
  return resource.custom === undefined ? converterFor(resource) === undefined : resource.custom.passThrough;
}

/** The object in the served version, apiVersion and kind in front. The given one may be changed. */
export function toServedVersion(resource: ResourceInfo, stored: KubeObject): KubeObject {
  if (resource.custom !== undefined && !resource.custom.passThrough) resource.custom.fromStorage(stored);
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = converterFor(resource)?.fromStorage(stored) ?? stored;
  return { kind: resource.kind, apiVersion: apiVersionOf(resource), ...rest };
}
