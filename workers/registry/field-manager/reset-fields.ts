import { setOf } from "../../apimachinery/structured-merge/field-set.ts";
import type { FieldSet } from "../../apimachinery/structured-merge/field-set.ts";

const status = setOf(["f:status"]);
const allButStatus = setOf(
  ["f:spec"],
  ["f:metadata", "f:labels"],
  ["f:metadata", "f:deletionTimestamp"],
  ["f:metadata", "f:ownerReferences"],
);

/**
 * Fields that a write through this endpoint cannot change, since the strategy resets them: the status on the main
 * resource where it has a subresource of its own, everything else on `status`.
 * Mirrors GetResetFields of the strategies under pkg/registry (1.36).
 */
export function resetFieldsOf(hasStatus: boolean, subresource: string): FieldSet | undefined {
  if (subresource === "status") return allButStatus;
  return hasStatus && subresource === "" ? status : undefined;
}
