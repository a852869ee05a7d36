import { setOf } from "../../apimachinery/structured-merge/field-set.ts";

/**
 * What nobody owns: identity, and what the server writes.
 * Mirrors k8s.io/apimachinery pkg/util/managedfields/internal/stripmeta.go (1.36).
 */
export const strippedFields = setOf(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((field) => ["f:metadata", `f:${field}`]),
);
