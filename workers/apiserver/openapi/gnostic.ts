/**
 * Encodes an OpenAPI v2 document as the protobuf message openapi.v2.Document of gnostic (openapiv2/OpenAPIv2.proto),
 * which clients with generated code ask for.
 */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { JsonObject } from "./schemas.ts";

type Encode<T> = (writer: BinaryWriter, value: T) => void;

function message<T>(writer: BinaryWriter, field: number, value: T, encode: Encode<T>): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  encode(writer, value);
  writer.join();
}

function text(writer: BinaryWriter, field: number, value: string | undefined): void {
  if (value !== undefined && value !== "") writer.tag(field, WireType.LengthDelimited).string(value);
}

function texts(writer: BinaryWriter, field: number, values: readonly string[] | undefined): void {
  for (const value of values ?? []) writer.tag(field, WireType.LengthDelimited).string(value);
}

function bool(writer: BinaryWriter, field: number, value: boolean | undefined): void {
  if (value === true) writer.tag(field, WireType.Varint).bool(true);
}

/** Any holds YAML, of which JSON is a part. */
const any: Encode<unknown> = (writer, value) => text(writer, 2, `${JSON.stringify(value)}\n`);

/** A map as repeated {name=1, value=2}. */
function named<T>(writer: BinaryWriter, field: number, map: Record<string, T>, encode: Encode<T>): void {
  for (const [name, value] of Object.entries(map))
    message(writer, field, value, (entry) => {
      text(entry, 1, name);
      message(entry, 2, value, encode);
    });
}

function vendorExtensions(writer: BinaryWriter, field: number, object: JsonObject): void {
  for (const [name, value] of Object.entries(object))
    if (name.startsWith("x-")) named(writer, field, { [name]: value }, any);
}

const schema: Encode<JsonObject> = (writer, value) => {
  text(writer, 1, value.$ref);
  text(writer, 2, value.format);
  text(writer, 4, value.description);
  for (const [field, key] of [
    [7, "maximum"],
    [9, "minimum"],
  ] as const)
    if (value[key] !== undefined) writer.tag(field, WireType.Bit64).double(value[key]);
  for (const [field, key] of [
    [11, "maxLength"],
    [12, "minLength"],
    [14, "maxItems"],
    [15, "minItems"],
  ] as const)
    if (value[key] !== undefined) writer.tag(field, WireType.Varint).int64(value[key]);
  text(writer, 13, value.pattern);
  bool(writer, 16, value.uniqueItems);
  texts(writer, 19, value.required);
  for (const item of value.enum ?? []) message(writer, 20, item, any);
  const additional = value.additionalProperties;
  if (additional !== undefined)
    message(writer, 21, additional, (entry) => {
      if (typeof additional === "boolean") entry.tag(2, WireType.Varint).bool(additional);
      else message(entry, 1, additional, schema);
    });
  if (value.type !== undefined) message(writer, 22, value.type, (entry, type) => text(entry, 1, type));
  if (value.items !== undefined) message(writer, 23, value.items, (entry, items) => message(entry, 1, items, schema));
  if (value.properties !== undefined)
    message(writer, 25, value.properties as Record<string, JsonObject>, (entry, properties) =>
      named(entry, 1, properties, schema),
    );
  vendorExtensions(writer, 31, value);
};

const bodyParameter: Encode<JsonObject> = (writer, value) => {
  text(writer, 1, value.description);
  text(writer, 2, value.name);
  text(writer, 3, value.in);
  bool(writer, 4, value.required);
  message(writer, 5, value.schema as JsonObject, schema);
};

/** QueryParameterSubSchema and PathParameterSubSchema differ by one field that only the query form has. */
function subSchema(query: boolean): Encode<JsonObject> {
  return (writer, value) => {
    const shift = query ? 1 : 0;
    bool(writer, 1, value.required);
    text(writer, 2, value.in);
    text(writer, 3, value.description);
    text(writer, 4, value.name);
    text(writer, 5 + shift, value.type);
    text(writer, 6 + shift, value.format);
    bool(writer, 19 + shift, value.uniqueItems);
  };
}

const parametersItem: Encode<JsonObject> = (writer, value) =>
  message(writer, 1, value, (parameter) => {
    if (value.in === "body") message(parameter, 1, value, bodyParameter);
    else
      message(parameter, 2, value, (nonBody) =>
        value.in === "path"
          ? message(nonBody, 4, value, subSchema(false))
          : message(nonBody, 3, value, subSchema(true)),
      );
  });

const response: Encode<JsonObject> = (writer, value) =>
  message(writer, 1, value, (entry) => {
    text(entry, 1, value.description);
    if (value.schema !== undefined)
      message(entry, 2, value.schema as JsonObject, (item, type) => message(item, 1, type, schema));
  });

const operation: Encode<JsonObject> = (writer, value) => {
  texts(writer, 1, value.tags);
  text(writer, 3, value.description);
  text(writer, 5, value.operationId);
  texts(writer, 6, value.produces);
  texts(writer, 7, value.consumes);
  for (const parameter of value.parameters ?? []) message(writer, 8, parameter as JsonObject, parametersItem);
  message(writer, 9, value.responses as Record<string, JsonObject>, (entry, responses) =>
    named(entry, 1, responses, response),
  );
  vendorExtensions(writer, 13, value);
};

const operationFields = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 } as const;

const pathItem: Encode<JsonObject> = (writer, value) => {
  for (const [method, field] of Object.entries(operationFields))
    if (value[method] !== undefined) message(writer, field, value[method] as JsonObject, operation);
  for (const parameter of value.parameters ?? []) message(writer, 9, parameter as JsonObject, parametersItem);
};

const apiKeySecurity: Encode<JsonObject> = (writer, value) =>
  message(writer, 2, value, (entry) => {
    text(entry, 1, value.type);
    text(entry, 2, value.name);
    text(entry, 3, value.in);
    text(entry, 4, value.description);
  });

export function encodeGnosticV2(document: JsonObject): Uint8Array {
  const writer = new BinaryWriter();
  text(writer, 1, document.swagger);
  message(writer, 2, document.info as JsonObject, (entry, info) => {
    text(entry, 1, info.title);
    text(entry, 2, info.version);
  });
  message(writer, 8, document.paths as Record<string, JsonObject>, (entry, paths) => named(entry, 2, paths, pathItem));
  message(writer, 9, document.definitions as Record<string, JsonObject>, (entry, definitions) =>
    named(entry, 1, definitions, schema),
  );
  for (const requirement of document.security ?? [])
    message(writer, 12, requirement as Record<string, string[]>, (entry, scopes) =>
      named(entry, 1, scopes, (value, list) => texts(value, 1, list)),
    );
  message(writer, 13, document.securityDefinitions as Record<string, JsonObject>, (entry, definitions) =>
    named(entry, 1, definitions, apiKeySecurity),
  );
  return writer.finish();
}
