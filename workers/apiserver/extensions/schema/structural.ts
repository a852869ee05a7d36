import { forbidden, invalid, required } from "../../../apimachinery/field-error.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { deepEqual } from "../../../apimachinery/deep-equal.ts";
import type { JsonSchema } from "./json-schema.ts";
import { additionalOf, itemsOf } from "./json-schema.ts";
import { compilePattern } from "./patterns.ts";

type Level = "root" | "item" | "field";

/**
 * Whether a schema is structural: every field has a type, junctors only restrict values, metadata is left alone.
 * Mirrors pkg/apiserver/schema/{validation,complete}.go of k8s.io/apiextensions-apiserver (1.36).
 */
export function validateStructural(schema: JsonSchema, path: string): InvalidCause[] {
  const causes = [...validateInvariants(schema, "root", path), ...validateCompleteness(schema, path)];
  return causes.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

const textOf = ({ field, message }: InvalidCause): string => `${field}: ${message}`;

function validateInvariants(schema: JsonSchema, level: Level, path: string): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const items = itemsOf(schema);
  if (schema.type === "array" && schema.items === undefined)
    causes.push(required(`${path}.items`, "must be specified"));
  if (items !== undefined) causes.push(...validateInvariants(items, "item", `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    causes.push(...validateInvariants(property, "field", `${path}.properties[${name}]`));
  }
  if (schema.additionalProperties !== undefined) {
    if (level === "root") causes.push(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
    const additional = additionalOf(schema);
    if (additional !== undefined)
      causes.push(...validateInvariants(additional, "field", `${path}.additionalProperties`));
  }
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  if (intOrString && preserve)
    causes.push(
      invalid(
        `${path}.x-kubernetes-preserve-unknown-fields`,
        true,
        "must be false if x-kubernetes-int-or-string is true",
      ),
    );
  if (intOrString && embedded)
    causes.push(
      invalid(`${path}.x-kubernetes-embedded-resource`, true, "must be false if x-kubernetes-int-or-string is true"),
    );
  causes.push(...validateValueValidation(schema, isIntOrStringPattern(schema), level, path));
  causes.push(...validateType(schema, level, path));
  if (embedded && schema.additionalProperties !== undefined) {
    causes.push(forbidden(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  if (level === "root" && schema.type && schema.type !== "object")
    causes.push(invalid(`${path}.type`, schema.type, "must be object at the root"));
  if (level === "root" || embedded) {
    for (const name of ["kind", "apiVersion"]) {
      const property = schema.properties?.[name];
      if (property !== undefined && property.type !== "string") {
        causes.push(invalid(`${path}.properties[${name}].type`, property.type ?? "", "must be string"));
      }
    }
  }
  const metadata = schema.properties?.metadata;
  if (metadata !== undefined)
    causes.push(...validateMetadata(metadata, level === "root" || embedded, level, `${path}.properties[metadata]`));
  if (embedded && !preserve && Object.keys(schema.properties ?? {}).length === 0) {
    causes.push(
      required(
        `${path}.properties`,
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
  }
  return causes;
}

const emptyType: Record<Level, string> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function validateType(schema: JsonSchema, level: Level, path: string): InvalidCause[] {
  if (schema["x-kubernetes-embedded-resource"] === true && schema.type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    return [schema.type ? invalid(`${path}.type`, schema.type, detail) : required(`${path}.type`, detail)];
  }
  const free = schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  return schema.type || free ? [] : [required(`${path}.type`, emptyType[level])];
}

function validateMetadata(schema: JsonSchema, checked: boolean, level: Level, path: string): InvalidCause[] {
  const causes =
    checked && schema.type !== "object" ? [invalid(`${path}.type`, schema.type ?? "", "must be object")] : [];
  if (level !== "root") return causes;
  const { properties = {}, type: _type, description: _description, default: _default, ...rest } = schema;
  const others = Object.keys(properties).filter((name) => name !== "name" && name !== "generateName");
  const structure = Object.entries(rest).filter(
    ([name, value]) => value !== undefined && value !== false && !valueKeywords.has(name),
  );
  if (others.length > 0 || structure.length > 0) {
    causes.push(
      forbidden(
        path,
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
      ),
    );
  }
  return causes;
}

const valueKeywords = new Set(["externalDocs", "example"]);

const intOrString = [{ type: "integer" }, { type: "string" }];

/** `anyOf` of integer and string, by itself or first in `allOf`: what x-kubernetes-int-or-string means. */
function isIntOrStringPattern(schema: JsonSchema): { anyOf: boolean; allOf: boolean } {
  return { anyOf: deepEqual(schema.anyOf, intOrString), allOf: deepEqual(schema.allOf?.[0]?.anyOf, intOrString) };
}

function validateValueValidation(
  schema: JsonSchema,
  skip: { anyOf: boolean; allOf: boolean },
  level: Level,
  path: string,
): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const none = { anyOf: false, allOf: false };
  if (!skip.anyOf)
    for (const [index, part] of (schema.anyOf ?? []).entries())
      causes.push(...validateNested(part, none, level, `${path}.anyOf[${index}]`));
  for (const [index, part] of (schema.allOf ?? []).entries()) {
    causes.push(
      ...validateNested(part, { anyOf: skip.allOf && index === 0, allOf: false }, level, `${path}.allOf[${index}]`),
    );
  }
  for (const [index, part] of (schema.oneOf ?? []).entries())
    causes.push(...validateNested(part, none, level, `${path}.oneOf[${index}]`));
  if (schema.not !== undefined) causes.push(...validateNested(schema.not, none, level, `${path}.not`));
  if (schema.pattern) {
    try {
      compilePattern(schema.pattern);
    } catch (error) {
      causes.push(
        invalid(
          `${path}.pattern`,
          schema.pattern,
          `must be a valid regular expression, but isn't: ${(error as Error).message}`,
        ),
      );
    }
  }
  return causes;
}

function validateNested(
  schema: JsonSchema,
  skip: { anyOf: boolean; allOf: boolean },
  level: Level,
  path: string,
): InvalidCause[] {
  const causes = validateValueValidation(schema, skip, level, path);
  const none = { anyOf: false, allOf: false };
  const items = itemsOf(schema);
  if (items !== undefined) causes.push(...validateNested(items, none, level, `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    causes.push(...validateNested(property, none, "field", `${path}.properties[${name}]`));
  const refuse = (name: string, detail: string) =>
    causes.push(forbidden(`${path}.${name}`, `${detail} to be structural`));
  if (schema.type) refuse("type", "must be empty");
  if (schema.additionalProperties !== undefined) refuse("additionalProperties", "must be undefined");
  if (schema.default !== undefined && schema.default !== null) refuse("default", "must be undefined");
  if (schema.title) refuse("title", "must be empty");
  if (schema.description) refuse("description", "must be empty");
  if (schema.nullable === true) refuse("nullable", "must be false");
  for (const name of ["preserve-unknown-fields", "embedded-resource", "int-or-string"]) {
    if (schema[`x-kubernetes-${name}`] === true) refuse(`x-kubernetes-${name}`, "must be false");
  }
  if ((schema["x-kubernetes-list-map-keys"]?.length ?? 0) > 0) refuse("x-kubernetes-list-map-keys", "must be empty");
  if (schema["x-kubernetes-list-type"] !== undefined) refuse("x-kubernetes-list-type", "must be undefined");
  if (schema["x-kubernetes-map-type"] !== undefined) refuse("x-kubernetes-map-type", "must be undefined");
  if ((schema["x-kubernetes-validations"]?.length ?? 0) > 0) refuse("x-kubernetes-validations", "must be empty");
  if (schema.properties?.metadata !== undefined)
    causes.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  return causes;
}

/** Fields that junctors restrict have to be specified outside of them. */
function validateCompleteness(schema: JsonSchema, path: string): InvalidCause[] {
  const skip = isIntOrStringPattern(schema);
  const causes = completeJunctors(schema, schema, skip, path, path);
  const items = itemsOf(schema);
  if (items !== undefined) causes.push(...validateCompleteness(items, `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    causes.push(...validateCompleteness(property, `${path}.properties[${name}]`));
  const additional = additionalOf(schema);
  if (additional !== undefined) causes.push(...validateCompleteness(additional, `${path}.additionalProperties`));
  return causes;
}

function completeJunctors(
  value: JsonSchema,
  structure: JsonSchema | undefined,
  skip: { anyOf: boolean; allOf: boolean },
  path: string,
  at: string,
): InvalidCause[] {
  const causes: InvalidCause[] = [];
  for (const junctor of ["allOf", "anyOf", "oneOf"] as const) {
    if (junctor === "anyOf" && skip.anyOf) continue;
    for (const [index, part] of (value[junctor] ?? []).entries()) {
      const inner = { anyOf: junctor === "allOf" && index === 0 && skip.allOf, allOf: false };
      causes.push(...completeNested(part, structure, inner, `${path}.${junctor}[${index}]`, at));
    }
  }
  if (value.not !== undefined)
    causes.push(...completeNested(value.not, structure, { anyOf: false, allOf: false }, `${path}.not`, at));
  return causes;
}

function completeNested(
  value: JsonSchema,
  structure: JsonSchema | undefined,
  skip: { anyOf: boolean; allOf: boolean },
  path: string,
  at: string,
): InvalidCause[] {
  const causes = completeJunctors(value, structure, skip, path, at);
  const none = { anyOf: false, allOf: false };
  const items = itemsOf(value);
  if (items !== undefined) {
    const inner = itemsOf(structure);
    if (inner === undefined) causes.push(required(`${at}.items`, `because it is defined in ${path}.items`));
    else causes.push(...completeNested(items, inner, none, `${path}.items`, `${at}.items`));
  }
  for (const [name, property] of Object.entries(value.properties ?? {})) {
    const inner = structure?.properties?.[name];
    if (inner === undefined)
      causes.push(required(`${at}.properties[${name}]`, `because it is defined in ${path}.properties[${name}]`));
    else
      causes.push(...completeNested(property, inner, none, `${path}.properties[${name}]`, `${at}.properties[${name}]`));
  }
  return causes;
}
