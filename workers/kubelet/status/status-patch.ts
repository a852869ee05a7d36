import { equalButForEmpty } from "../equal-but-for-empty.ts";
import type { PodCondition, PodStatus } from "../types.ts";
import { kubeletConditions } from "./generate.ts";

const plainFields = [
  "observedGeneration",
  "phase",
  "message",
  "reason",
  "hostIP",
  "podIP",
  "startTime",
  "initContainerStatuses",
  "containerStatuses",
  "ephemeralContainerStatuses",
  "qosClass",
] as const;

/**
 * The strategic merge patch from one status to another, undefined when nothing that a kubelet owns differs. Conditions
 * of others are never named, so a patch cannot overwrite them whatever the version it lands on
 * (pkg/util/pod PatchPodStatus, 1.36).
 */
export function statusPatch(base: Partial<PodStatus>, status: PodStatus): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const field of plainFields) {
    if (!equalButForEmpty(base[field], status[field])) patch[field] = status[field] ?? null;
  }
  for (const field of ["hostIPs", "podIPs"] as const) {
    if (equalButForEmpty(base[field], status[field])) continue;
    // The lists merge by address: one that changes is replaced as a whole.
    patch[field] = (base[field]?.length ?? 0) === 0 ? status[field] : [...(status[field] ?? []), { $patch: "replace" }];
  }
  const conditions = status.conditions.flatMap((condition) => conditionPatch(base.conditions, condition));
  if (conditions.length > 0) {
    patch["$setElementOrder/conditions"] = status.conditions.map(({ type }) => ({ type }));
    patch.conditions = conditions;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function conditionPatch(base: PodCondition[] | undefined, condition: PodCondition): Record<string, unknown>[] {
  if (!kubeletConditions.has(condition.type)) return [];
  const old = base?.find((candidate) => candidate.type === condition.type);
  if (old !== undefined && equalButForEmpty(old, condition)) return [];
  const patch: Record<string, unknown> = { ...condition };
  for (const key of ["reason", "message", "observedGeneration"] as const) {
    if (old?.[key] !== undefined && condition[key] === undefined) patch[key] = null;
  }
  return [patch];
}
