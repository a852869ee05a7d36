import type { GroupVersionKind } from "../../../apimachinery/gvk.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import { normalizeObject } from "../../codec/normalize.ts";
import { applyDefaults } from "../../defaulting/defaulting.ts";
import { schemaTable } from "../../schema-table.ts";

/** A manifest as the registry sees it: decoded and defaulted. */
export function defaulted(gvk: GroupVersionKind, manifest: object): KubeObject {
  const struct = schemaTable.structOfKind(gvk.group, gvk.version, gvk.kind);
  if (struct === undefined) throw new Error(`no schema of ${gvk.kind}`);
  const object = normalizeObject(structuredClone(manifest), struct).object as unknown as KubeObject;
  object.metadata ??= {};
  applyDefaults(gvk, object);
  return object;
}

/** `merge(base, change)`: maps are merged, everything else replaced; `undefined` takes a member away. */
export function merge(base: any, change: any): any {
  if (!isMap(base) || !isMap(change)) return structuredClone(change);
  const merged: Record<string, any> = { ...base };
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) delete merged[key];
    else merged[key] = merge(base[key], value);
  }
  return merged;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
