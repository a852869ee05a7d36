/**
 * The one OpenAPI v2 document of all groups, made of the parts of v3 the way k8s.io/kube-openapi builds both from the
 * same definitions: no defaults, references with their description, one type for values of several types.
 */
import type { Docs } from "./docs.ts";
import type { DocumentedVersion } from "./document-v3.ts";
import { buildParts, openApiInfo } from "./document-v3.ts";
import type { JsonObject } from "./schemas.ts";
import { refPrefix } from "./schemas.ts";

/** Keywords of v3 that v2 does not know, or that its clients must not see. */
const dropped = new Set(["default", "oneOf", "anyOf", "not", "nullable", "x-kubernetes-validations"]);

const preserves = (schema: JsonObject) => schema["x-kubernetes-preserve-unknown-fields"] === true;

export function schemaV2(schema: JsonObject): JsonObject {
  if (schema.oneOf !== undefined && schema.properties === undefined && schema.type === undefined)
    return { ...schemaV2({ ...schema, oneOf: undefined }), type: "string" };
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || dropped.has(key)) continue;
    if (key === "$ref") result.$ref = `#/definitions/${String(value).slice(refPrefix.length)}`;
    else if (key === "allOf" && value.length === 1 && value[0].$ref !== undefined)
      Object.assign(result, schemaV2(value[0]));
    else if (key === "allOf") continue;
    else if (key === "items" || (key === "additionalProperties" && typeof value === "object"))
      result[key] = schemaV2(value);
    else if (key === "properties")
      result.properties = Object.fromEntries(
        Object.entries<JsonObject>(value).map(([name, property]) => [name, schemaV2(property)]),
      );
    else result[key] = value;
  }
  // kubectl takes what has properties or items, and an object that says so, to have nothing else.
  if (schema.nullable === true || preserves(schema)) {
    delete result.items;
    delete result.properties;
  }
  const { type } = result;
  if (
    schema.nullable === true ||
    (type === "array" && result.items === undefined) ||
    (type === "object" && preserves(schema))
  )
    delete result.type;
  if (result.required !== undefined && schema.properties !== undefined) {
    result.required = result.required.filter((name: string) => schema.properties[name]?.nullable !== true);
    if (result.required.length === 0) delete result.required;
  }
  if (schema["x-kubernetes-int-or-string"] === true) delete result.type;
  return result;
}

/** Of a kind that keeps unknown fields clients may see nothing but its name, or they refuse the unknown ones. */
function definitionV2(schema: JsonObject): JsonObject {
  const kinds = schema["x-kubernetes-group-version-kind"];
  if (kinds === undefined || !preserves(schema)) return schemaV2(schema);
  const selectable = schema["x-kubernetes-selectable-fields"];
  return {
    type: "object",
    "x-kubernetes-group-version-kind": kinds,
    ...(selectable !== undefined && { "x-kubernetes-selectable-fields": selectable }),
  };
}

function parameterV2(parameter: JsonObject): JsonObject {
  const { schema, ...rest } = parameter;
  return { ...rest, ...schema };
}

function operationV2(operation: JsonObject): JsonObject {
  const { requestBody, responses, parameters, ...rest } = operation;
  const all = (parameters ?? []).map(parameterV2);
  const result: JsonObject = { ...rest };
  if (requestBody) {
    const [[, { schema }] = ["", { schema: {} }]] = Object.entries<JsonObject>(requestBody.content);
    all.unshift({
      name: "body",
      in: "body",
      ...(requestBody.required && { required: true }),
      schema: schemaV2(schema),
    });
    result.consumes = Object.keys(requestBody.content);
  }
  if (all.length > 0) result.parameters = all;
  result.responses = {};
  for (const [code, response] of Object.entries<JsonObject>(responses)) {
    const [content] = Object.entries<JsonObject>(response.content ?? {});
    if (content) result.produces = Object.keys(response.content);
    result.responses[code] = {
      description: response.description,
      ...(content && { schema: schemaV2(content[1].schema) }),
    };
  }
  return result;
}

const methods = new Set(["get", "put", "post", "delete", "patch", "head", "options"]);

function pathItemV2(item: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(item)) {
    if (methods.has(key)) result[key] = operationV2(value);
    else if (key === "parameters") result.parameters = value.map(parameterV2);
    else result[key] = value;
  }
  return result;
}

export function documentV2(versions: readonly DocumentedVersion[], docs: Docs): JsonObject {
  const { paths, schemas } = buildParts(versions, docs);
  const convert = (object: JsonObject, one: (value: JsonObject) => JsonObject) =>
    Object.fromEntries(Object.entries<JsonObject>(object).map(([key, value]) => [key, one(value)]));
  return {
    swagger: "2.0",
    info: openApiInfo,
    paths: convert(paths, pathItemV2),
    definitions: convert(schemas, definitionV2),
    securityDefinitions: {
      BearerToken: { type: "apiKey", description: "Bearer Token authentication", name: "authorization", in: "header" },
    },
    security: [{ BearerToken: [] }],
  };
}

/**
 * Adds what aggregated servers have. A definition of the same name stays as it is here: upstream renames one that differs, which
 * clients do not rely on.
 */
export function mergeV2(document: JsonObject, parts: readonly JsonObject[]): JsonObject {
  if (parts.length === 0) return document;
  const sorted = (objects: JsonObject[]) =>
    Object.fromEntries(
      Object.entries(Object.assign({}, ...objects.toReversed()) as JsonObject).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  return {
    ...document,
    paths: sorted([document.paths, ...parts.map(({ paths }) => paths)]),
    definitions: sorted([document.definitions, ...parts.map(({ definitions }) => definitions)]),
  };
}
