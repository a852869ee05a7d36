import { applyPatch } from "rfc6902";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newBadRequest } from "../../apimachinery/status-errors.ts";
import type { PatchType } from "../interfaces.ts";

/**
 * Patches as unit tests need them: JSON patch and merge patch are exact; strategic merge and apply know the lists that
 * controllers patch by their usual merge keys. The server's own patches are in apimachinery/patch.
 */
export function simplePatch(object: KubeObject, type: PatchType, patch: unknown): KubeObject {
  const copy = structuredClone(object);
  if (type === "application/json-patch+json") {
    const failure = applyPatch(copy, structuredClone(patch) as never).find((error) => error !== null);
    if (failure) throw newBadRequest(failure.message);
    return copy;
  }
  return mergeInto(copy, patch as Record<string, unknown>, type !== "application/merge-patch+json") as KubeObject;
}

/** Merge keys of built-in lists, by the name of the field. */
const mergeKeys: Record<string, string> = {
  conditions: "type",
  ownerReferences: "uid",
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  volumes: "name",
  env: "name",
  volumeMounts: "mountPath",
  addresses: "type",
  podIPs: "ip",
  hostIPs: "ip",
  imagePullSecrets: "name",
  taints: "key",
};

function mergeInto(target: any, patch: Record<string, unknown>, strategic: boolean): unknown {
  for (const [field, value] of Object.entries(patch)) {
    if (strategic && field.startsWith("$deleteFromPrimitiveList/")) {
      const list = field.slice("$deleteFromPrimitiveList/".length);
      target[list] = (target[list] ?? []).filter((entry: unknown) => !(value as unknown[]).includes(entry));
      if (target[list].length === 0) delete target[list];
    } else if (strategic && field.startsWith("$")) {
      continue;
    } else if (value === null) {
      delete target[field];
    } else if (strategic && Array.isArray(value) && field in mergeKeys) {
      target[field] = mergeList(target[field] ?? [], value, mergeKeys[field]!);
    } else if (strategic && Array.isArray(value) && field === "finalizers") {
      target[field] = [...new Set([...(target[field] ?? []), ...value])];
    } else if (isRecord(value)) {
      target[field] = mergeInto(isRecord(target[field]) ? target[field] : {}, value, strategic);
    } else {
      target[field] = structuredClone(value);
    }
  }
  return target;
}

function mergeList(list: any[], patch: any[], key: string): any[] {
  const merged = [...list];
  for (const entry of patch) {
    const index = merged.findIndex((other) => other[key] === entry[key]);
    if (entry.$patch === "delete") {
      if (index >= 0) merged.splice(index, 1);
    } else if (index < 0) merged.push(structuredClone(entry));
    else merged[index] = mergeInto(merged[index], entry, true);
  }
  return merged;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
