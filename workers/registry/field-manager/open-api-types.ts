import { deducedType, untypedScalar } from "../../apimachinery/structured-merge/schema.ts";
import type { MapField, MapType, ScalarType, SchemaType } from "../../apimachinery/structured-merge/schema.ts";
import { typeOfMeta } from "./object-meta-type.ts";

/** The part of an OpenAPI v3 schema of a custom resource that structured merge looks at. */
export interface OpenApiSchema {
  type?: string;
  format?: string;
  properties?: Record<string, OpenApiSchema>;
  additionalProperties?: boolean | OpenApiSchema;
  items?: OpenApiSchema;
  default?: unknown;
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
}

/**
 * The type of a custom resource from its schema and its markers; without a schema everything is deduced from the values.
 * apiVersion, kind and metadata are added at the root and in embedded resources.
 * Mirrors k8s.io/kube-openapi pkg/schemaconv/openapi.go and apiextensions-apiserver pkg/controller/openapi/builder (1.36).
 */
export function typeOfOpenApi(schema: OpenApiSchema | undefined): SchemaType {
  if (schema === undefined) return deducedType;
  return convert({ ...schema, type: "object", "x-kubernetes-embedded-resource": true });
}

function convert(schema: OpenApiSchema): SchemaType {
  if (schema["x-kubernetes-int-or-string"] === true) return untypedScalar;
  switch (schema.type) {
    case "object":
      return convertObject(schema);
    case "array": {
      const listType = schema["x-kubernetes-list-type"];
      return {
        kind: "list",
        atomic: listType !== "set" && listType !== "map",
        keys: listType === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [],
        element: schema.items === undefined ? deducedType : convert(schema.items),
      };
    }
    case "string":
      return stringOf(schema.format);
    case "integer":
    case "number":
      return { kind: "scalar", scalar: "numeric" };
    case "boolean":
      return { kind: "scalar", scalar: "boolean" };
    default:
      return deducedType;
  }
}

function stringOf(format: string | undefined): ScalarType {
  return format === undefined || format === "" || format === "byte"
    ? { kind: "scalar", scalar: "string" }
    : untypedScalar;
}

function convertObject(schema: OpenApiSchema): MapType {
  const fields = new Map<string, MapField>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    fields.set(name, {
      type: convert(property),
      ...(property.default === undefined ? {} : { default: property.default }),
    });
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    fields.set("apiVersion", { type: { kind: "scalar", scalar: "string" } });
    fields.set("kind", { type: { kind: "scalar", scalar: "string" } });
    fields.set("metadata", { type: typeOfMeta() });
  }
  const additional = schema.additionalProperties;
  let element: SchemaType | undefined;
  if (typeof additional === "object") element = convert(additional);
  else if (additional === true || schema["x-kubernetes-preserve-unknown-fields"] === true) element = deducedType;
  else if (fields.size === 0) element = deducedType;
  return { kind: "map", atomic: schema["x-kubernetes-map-type"] === "atomic", fields, element };
}
