import type { GroupVersionKindJson, JsonObject } from "./schemas.ts";
import { refPrefix } from "./schemas.ts";

/** `example.com`, `v1`, `Widget` → `com.example.v1.Widget`. */
export function customDefinitionName(group: string, version: string, kind: string): string {
  return [...group.split(".").toReversed(), version, kind].join(".");
}

/**
 * The component schema of a custom kind: its structural schema with the fields that every object has.
 * Mirrors apiextensions-apiserver pkg/controller/openapi/builder/builder.go (1.36).
 */
export function customKindSchema(
  schema: JsonObject | undefined,
  kind: GroupVersionKindJson,
  objectMeta: JsonObject,
): JsonObject {
  const base = schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    ...base,
    type: "object",
    properties: {
      ...base.properties,
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { allOf: [objectMeta] },
    },
    "x-kubernetes-group-version-kind": [kind],
  };
}

export function customListSchema(item: string, kind: GroupVersionKindJson, listMeta: JsonObject): JsonObject {
  return {
    description: `${kind.kind} is a list of ${item.slice(item.lastIndexOf(".") + 1)}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { type: "string" },
      items: { type: "array", items: { $ref: refPrefix + item } },
      kind: { type: "string" },
      metadata: { allOf: [listMeta] },
    },
    "x-kubernetes-group-version-kind": [kind],
  };
}
