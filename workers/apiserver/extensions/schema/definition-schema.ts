import { checkRules } from "../../../admission/cel/rule-checks.ts";
import type { StructuralSchema } from "../../../admission/cel/structural-schema.ts";
import { forbidden, invalid, notSupported, required } from "../../../apimachinery/field-error.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import type { JsonSchema } from "./json-schema.ts";
import { additionalOf, itemsOf } from "./json-schema.ts";
import { validateDefaults } from "./schema-defaults.ts";
import { validateStructural } from "./structural.ts";

/**
 * The schema of a version in a definition: structural, its defaults valid, and nothing in it that is not supported.
 * `path` ends in `schema`. Mirrors ValidateCustomResourceDefinitionOpenAPISchema of
 * pkg/apis/apiextensions/validation/validation.go of k8s.io/apiextensions-apiserver (1.36).
 */
export function validateDefinitionSchema(schema: JsonSchema, path: string, hasStatus: boolean): InvalidCause[] {
  const causes: InvalidCause[] = [];
  if (hasStatus) causes.push(...validateRootForStatus(schema, path));
  if (schema.nullable === true)
    causes.push(forbidden(`${path}.openAPIV3Schema.nullable`, "nullable cannot be true at the root"));
  const root = `${path}.openAPIV3Schema`;
  const structural = validateStructural(schema, root);
  causes.push(...(structural.length > 0 ? structural : validateDefaults(schema, root)));
  causes.push(...validateNode(schema, root, { isRoot: true, insideMeta: false, noDefaults: undefined }));
  // Rules are only looked at where the schema makes sense.
  if (causes.length === 0) causes.push(...checkRules(schema as StructuralSchema, root));
  return causes;
}

const rootFields = new Set([
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
  "nullable",
]);

const rootFieldNames =
  "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]";

function validateRootForStatus(schema: JsonSchema, path: string): InvalidCause[] {
  for (const [name, value] of Object.entries(schema)) {
    if (name === "type" && value !== "" && value !== "object") {
      return [
        invalid(
          `${path}.openAPIV3Schema.type`,
          value,
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        ),
      ];
    }
    const zero = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
    if (!zero && !rootFields.has(name)) {
      return [
        invalid(
          `${path}.openAPIV3Schema`,
          schema,
          `only ${rootFieldNames} fields are allowed at the root of the schema if the status subresource is enabled`,
        ),
      ];
    }
  }
  return [];
}

interface Context {
  isRoot: boolean;
  insideMeta: boolean;
  /** Why defaults may not be set here. */
  noDefaults: string | undefined;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields = new Set(["metadata", "kind", "apiVersion"]);
const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

function validateNode(schema: JsonSchema, path: string, context: Context): InvalidCause[] {
  const causes = validateKeywords(schema, path, context);
  const inner: Context = { ...context, isRoot: false };
  const additional = additionalOf(schema);
  const hasProperties = Object.keys(schema.properties ?? {}).length > 0;
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== true && hasProperties) {
    causes.push(forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
  }
  if (additional !== undefined) {
    const noDefaults = context.insideMeta
      ? "inside additionalProperties applying to object metadata"
      : context.noDefaults;
    causes.push(...validateNode(additional, `${path}.additionalProperties`, { ...inner, noDefaults }));
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = (context.isRoot || schema["x-kubernetes-embedded-resource"] === true) && metaFields.has(name);
    causes.push(
      ...validateNode(property, `${path}.properties[${name}]`, {
        isRoot: false,
        insideMeta: context.insideMeta || isMeta,
        noDefaults: isMeta && context.isRoot ? `in top-level ${name}` : context.noDefaults,
      }),
    );
  }
  if (schema.not !== undefined) causes.push(...validateNode(schema.not, `${path}.not`, inner));
  for (const junctor of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [index, part] of (schema[junctor] ?? []).entries())
      causes.push(...validateNode(part, `${path}.${junctor}[${index}]`, inner));
  }
  const items = itemsOf(schema);
  if (items !== undefined) causes.push(...validateNode(items, `${path}.items`, inner));
  return [...causes, ...validateExtensions(schema, items, path)];
}

function validateKeywords(schema: JsonSchema, path: string, context: Context): InvalidCause[] {
  const causes: InvalidCause[] = [];
  if (schema.type && !types.includes(schema.type)) causes.push(notSupported(`${path}.type`, schema.type, types));
  if (schema.default !== undefined && context.noDefaults !== undefined)
    causes.push(forbidden(`${path}.default`, `must not be set ${context.noDefaults}`));
  for (const name of unsupported)
    if (schema[name] !== undefined) causes.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  if (schema.type === "null")
    causes.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  if (Array.isArray(schema.items))
    causes.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  if (context.insideMeta && schema["x-kubernetes-embedded-resource"] === true) {
    causes.push(forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  }
  if (schema.uniqueItems === true) {
    causes.push(
      forbidden(
        `${path}.uniqueItems`,
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    );
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    causes.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  return causes;
}

function validateExtensions(schema: JsonSchema, items: JsonSchema | undefined, path: string): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const mapType = schema["x-kubernetes-map-type"];
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const mustBe = (type: string, extension: string) => {
    const detail = `must be ${type} if ${extension} is specified`;
    causes.push(schema.type ? invalid(`${path}.type`, schema.type, detail) : required(`${path}.type`, detail));
  };
  if (mapType !== undefined && schema.type !== "object") mustBe("object", "x-kubernetes-map-type");
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    causes.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  if (listType !== undefined && schema.type !== "array") mustBe("array", "x-kubernetes-list-type");
  else if (listType === "set" && items !== undefined) {
    const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const inner = items["x-kubernetes-list-type"];
    if (items.type === "array" && inner !== undefined && inner !== "atomic")
      causes.push(invalid(`${path}.items.x-kubernetes-list-type`, inner, detail));
    if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
      causes.push(invalid(`${path}.items.x-kubernetes-map-type`, items["x-kubernetes-map-type"] ?? "null", detail));
    }
  }
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType)) {
    causes.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  }
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    causes.push(
      listType === undefined
        ? required(`${path}.x-kubernetes-list-type`, detail)
        : invalid(`${path}.x-kubernetes-list-type`, listType, detail),
    );
  }
  if (listType === "map") causes.push(...validateMapList(schema, keys, items, path));
  if (listType === "map" || listType === "set") {
    if (items?.nullable === true)
      causes.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  return causes;
}

function validateMapList(
  schema: JsonSchema,
  keys: string[],
  items: JsonSchema | undefined,
  path: string,
): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const keysField = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) causes.push(required(keysField, "must not be empty if x-kubernetes-list-type is map"));
  if (schema.items === undefined)
    causes.push(required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
  if (items === undefined) return causes;
  if (items.type !== "object") {
    causes.push(
      invalid(`${path}.items.type`, items.type ?? "", "must be object if parent array's x-kubernetes-list-type is map"),
    );
    return causes;
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = items.properties?.[key];
    const field = `${path}.items.properties[${key}]`;
    if (property === undefined) causes.push(invalid(keysField, keys, "entries must all be names of item properties"));
    else if (property.type === "array" || property.type === "object") {
      causes.push(
        invalid(`${field}.type`, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"),
      );
    }
    if (seen.has(key)) causes.push(invalid(keysField, keys, "must not contain duplicate entries"));
    seen.add(key);
    if (property === undefined) continue;
    if (!(items.required ?? []).includes(key) && property.default === undefined) {
      causes.push(
        required(
          `${field}.default`,
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        ),
      );
    }
    if (property.nullable === true) {
      causes.push(
        forbidden(`${field}.nullable`, "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"),
      );
    }
  }
  return causes;
}
