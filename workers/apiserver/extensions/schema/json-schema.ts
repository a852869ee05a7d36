/**
 * apiextensions.k8s.io/v1 JSONSchemaProps as stored: the structural schema of a custom kind, read as it is. Structurality is
 * checked once, when a definition is written (structural.ts).
 */
export interface JsonSchema {
  type?: string;
  format?: string;
  title?: string;
  description?: string;
  default?: unknown;
  nullable?: boolean;
  enum?: unknown[];
  maximum?: number;
  exclusiveMaximum?: boolean;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  maxItems?: number;
  minItems?: number;
  uniqueItems?: boolean;
  multipleOf?: number;
  maxProperties?: number;
  minProperties?: number;
  required?: string[];
  items?: JsonSchema | JsonSchema[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  not?: JsonSchema;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-validations"?: Record<string, unknown>[];
  [unsupported: string]: unknown;
}

export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schema of list items; a list of schemas is refused in definitions. */
export function itemsOf(schema: JsonSchema | undefined): JsonSchema | undefined {
  return schema?.items !== undefined && !Array.isArray(schema.items) ? schema.items : undefined;
}

/** The schema of a property, of `properties` or of `additionalProperties`; undefined for none. */
export function propertyOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return additionalOf(schema);
}

export function additionalOf(schema: JsonSchema): JsonSchema | undefined {
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** Every schema of the tree that says something about structure, the root included; stops at the first `true`. */
export function someSchema(schema: JsonSchema | undefined, test: (schema: JsonSchema) => boolean): boolean {
  if (schema === undefined) return false;
  return (
    test(schema) ||
    Object.values(schema.properties ?? {}).some((property) => someSchema(property, test)) ||
    someSchema(additionalOf(schema), test) ||
    someSchema(itemsOf(schema), test)
  );
}
