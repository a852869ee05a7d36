import { apiVersionOf } from "../../../apimachinery/gvk.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import type { ResourceInfo } from "../../../apis/resource-info.ts";
import {
  parentManagedFields,
  replicasPathsOf,
  scaleManagedFields,
} from "../../../registry/field-manager/scale-handler.ts";

/** A Scale with the owners of the parent's replicas. */
export function withScaleFields(scale: KubeObject, parent: KubeObject, resource: ResourceInfo): KubeObject {
  const managedFields = scaleManagedFields(parent.metadata.managedFields, replicasPathsOf(resource));
  return managedFields === undefined ? scale : { ...scale, metadata: { ...scale.metadata, managedFields } };
}

/** The parent with the owners that a written Scale gives its replicas. */
export function withParentFields(parent: KubeObject, scale: KubeObject, resource: ResourceInfo): KubeObject {
  const paths = replicasPathsOf(resource);
  const managedFields = parentManagedFields(
    parent.metadata.managedFields,
    scale.metadata.managedFields,
    apiVersionOf(resource),
    paths,
  );
  const { managedFields: _previous, ...metadata } = parent.metadata;
  return { ...parent, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}
