import type { GroupVersionKindJson, JsonObject } from "./schemas.ts";
import { refPrefix } from "./schemas.ts";

/** `example.com`, `v1`, `Widget` → `com.example.v1.Widget`. */
export function customDefinitionName(group: string, version: string, kind: string): string {
  return [...group.split(".").toReversed(), version, kind].join(".");
}

/** What the document around a custom kind gives to its schema. */
export interface CustomSchemaContext {
  /** Reference to ObjectMeta, or to ListMeta for a list. */
  meta: JsonObject;
  /** Descriptions of apiVersion, kind and metadata. */
  describe(field: string): string;
  /** Paths of spec.versions[].selectableFields, without the leading dot. */
  selectableFields: readonly string[];
}

/**
 * The component schema of a custom kind: its structural schema with the fields that every object has.
 * Mirrors apiextensions-apiserver pkg/controller/openapi/builder/builder.go (1.36).
 */
export function customKindSchema(
  schema: JsonObject | undefined,
  kind: GroupVersionKindJson,
  context: CustomSchemaContext,
): JsonObject {
  const base = embedding(schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true }, context);
  return {
    ...base,
    type: "object",
    properties: { ...base.properties, ...typeMeta(context), metadata: metadata(context) },
    "x-kubernetes-group-version-kind": [kind],
    ...selectable(context),
  };
}

export function customListSchema(
  item: string,
  plural: string,
  kind: GroupVersionKindJson,
  context: CustomSchemaContext,
): JsonObject {
  const { apiVersion, kind: kindProperty } = typeMeta(context);
  return {
    description: `${kind.kind} is a list of ${item.slice(item.lastIndexOf(".") + 1)}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion,
      items: {
        description: `List of ${plural}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`,
        type: "array",
        items: { $ref: refPrefix + item },
      },
      kind: kindProperty,
      metadata: metadata(context),
    },
    "x-kubernetes-group-version-kind": [kind],
    ...selectable(context),
  };
}

function described(text: string): JsonObject {
  return text === "" ? {} : { description: text };
}

function typeMeta({ describe }: CustomSchemaContext): JsonObject {
  return {
    apiVersion: { ...described(describe("apiVersion")), type: "string" },
    kind: { ...described(describe("kind")), type: "string" },
  };
}

function metadata({ meta, describe }: CustomSchemaContext): JsonObject {
  return { ...described(describe("metadata")), allOf: [meta] };
}

function selectable({ selectableFields }: CustomSchemaContext): JsonObject {
  if (selectableFields.length === 0) return {};
  return { "x-kubernetes-selectable-fields": selectableFields.map((fieldPath) => ({ fieldPath })) };
}

/** Objects inside of objects have apiVersion, kind and metadata as well. */
function embedding(schema: JsonObject, context: CustomSchemaContext): JsonObject {
  const result: JsonObject = { ...schema };
  const inside = (value: unknown) => (typeof value === "object" && value !== null ? embedding(value, context) : value);
  if (schema.properties !== undefined)
    result.properties = Object.fromEntries(
      Object.entries<JsonObject>(schema.properties).map(([name, property]) => [name, inside(property)]),
    );
  if (schema.items !== undefined) result.items = inside(schema.items);
  if (schema.additionalProperties !== undefined) result.additionalProperties = inside(schema.additionalProperties);
  if (schema["x-kubernetes-embedded-resource"] !== true) return result;
  result.properties = { ...result.properties, ...typeMeta(context), metadata: metadata(context) };
  result.required = [...new Set([...(schema.required ?? []), "kind", "apiVersion"])];
  return result;
}
