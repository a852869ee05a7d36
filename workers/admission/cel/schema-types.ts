import { escapeProperty } from "./property-names.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { additionalSchema, withTypeAndObjectMeta } from "./structural-schema.ts";
import type { CelType } from "./types.ts";

/** Bytes: k8s.io/apiserver pkg/cel/limits.go (1.36). */
export const maxRequestSize = 3 * 1024 * 1024;
const maxDurationSize = 32;
const maxDatetimeSize = 32;
const minDurationSize = 3;
const dateSize = 12;
const minDatetimeSize = 21;
const minStringSize = 2;
const minBoolSize = 4;
const minNumberSize = 1;

/** A type with the least bytes that a value of it takes as JSON. */
export interface DeclType {
  readonly type: CelType;
  readonly minSerializedSize: number;
}

/** Upstream's estimates take keys, numbers, booleans and objects to have no size; real schemas rely on it. */
const keyType: CelType = { kind: "string", maxSize: 0 };

const notNegative = (value: number): number => Math.max(value, 0);

/**
 * The type that expressions see; undefined for what they cannot reach. `name` becomes the name of object types, which are
 * equal only by name. Mirrors k8s.io/apiserver pkg/cel/common/schemas.go (1.36).
 */
export function schemaType(schema: StructuralSchema, isResourceRoot: boolean, name: string): DeclType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) {
    const maxSize = schema.maxLength === undefined ? maxRequestSize - 2 : notNegative(schema.maxLength) * 4;
    return { type: { kind: "dyn", maxSize }, minSerializedSize: 1 };
  }
  const seen = isResourceRoot ? withTypeAndObjectMeta(schema) : schema;
  switch (seen.type) {
    case "array": {
      if (seen.items === undefined) return undefined;
      const items = schemaType(seen.items, isEmbedded(seen.items), `${name}.@elem`);
      if (items === undefined) return undefined;
      const maxSize =
        seen.maxItems === undefined
          ? Math.floor((maxRequestSize - 2) / (items.minSerializedSize + 1))
          : notNegative(seen.maxItems);
      return { type: { kind: "list", element: items.type, maxSize }, minSerializedSize: 2 };
    }
    case "object":
      return objectType(seen, name);
    case "string":
      return textType(seen);
    case "boolean":
      return { type: { kind: "bool", maxSize: 0 }, minSerializedSize: minBoolSize };
    case "number":
      return { type: { kind: "double", maxSize: 0 }, minSerializedSize: minNumberSize };
    case "integer":
      return { type: { kind: "int", maxSize: 0 }, minSerializedSize: minNumberSize };
    default:
      return undefined;
  }
}

const isEmbedded = (schema: StructuralSchema): boolean => schema["x-kubernetes-embedded-resource"] === true;

function objectType(schema: StructuralSchema, name: string): DeclType | undefined {
  const additional = additionalSchema(schema);
  if (additional !== undefined) {
    const values = schemaType(additional, isEmbedded(additional), `${name}.@elem`);
    if (values === undefined) return undefined;
    const maxSize =
      schema.maxProperties === undefined
        ? Math.floor((maxRequestSize - 2) / (values.minSerializedSize + 6))
        : notNegative(schema.maxProperties);
    return { type: { kind: "map", key: keyType, value: values.type, maxSize }, minSerializedSize: 2 };
  }
  const fields = new Map<string, CelType>();
  const required = new Set(schema.required ?? []);
  let minSerializedSize = 2;
  for (const [property, propertySchema] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeProperty(property);
    const type = schemaType(propertySchema, isEmbedded(propertySchema), `${name}.${escaped ?? property}`);
    if (type === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, type.type);
    if (required.has(property) && propertySchema.default === undefined) {
      minSerializedSize += property.length + type.minSerializedSize + 4;
    }
  }
  return { type: { kind: "object", name, fields, maxSize: 0 }, minSerializedSize };
}

function textType(schema: StructuralSchema): DeclType {
  const { format, maxLength } = schema;
  switch (format) {
    case "byte":
      return {
        type: { kind: "bytes", maxSize: maxLength === undefined ? maxRequestSize - 2 : notNegative(maxLength) },
        minSerializedSize: minStringSize,
      };
    case "duration":
      return { type: { kind: "duration", maxSize: maxDurationSize }, minSerializedSize: minDurationSize };
    case "date":
      return { type: { kind: "timestamp", maxSize: dateSize }, minSerializedSize: dateSize };
    case "date-time":
      return { type: { kind: "timestamp", maxSize: maxDatetimeSize }, minSerializedSize: minDatetimeSize };
    default:
  }
  let maxSize = maxRequestSize - 2;
  if (maxLength !== undefined) maxSize = notNegative(maxLength) * 4;
  else if (schema.enum !== undefined && schema.enum.length > 0) {
    maxSize = Math.max(
      0,
      ...schema.enum.map((value) => (typeof value === "string" ? new TextEncoder().encode(value).length : 0)),
    );
  }
  return { type: { kind: "string", maxSize }, minSerializedSize: minStringSize };
}
