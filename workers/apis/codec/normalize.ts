import { isJsonObject, setOwn, type JsonObject } from "../../apimachinery/patch/own-property.ts";
import { schemaTable } from "../schema-table.ts";
import type { FieldInfo, StructInfo, TypeRef } from "../schema.ts";
import { goKindWord, goTypeString, jsonWord, structQualifiedName, structShortName } from "./go-types.ts";
import { isInt32, isInt64, readBase64, readCustomScalar, zeroScalar } from "./scalars.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

/** Deepest nesting of free-form values; well below what the call stack and JSON.stringify bear. */
export const maxDepth = 1_000;
/** sigs.k8s.io/json stops collecting there. */
const maxStrictProblems = 100;

export interface Normalized {
  object: JsonObject;
  /** `unknown field "spec.foo"`, in the order of the document; empty unless asked for. */
  unknownFields: string[];
}

/**
 * An object as upstream would write it again after decoding it into its Go type: unknown fields dropped, scalars
 * checked and brought to canonical form, empty `omitempty` fields dropped, fields without `omitempty` present.
 * Returns a copy; free-form values (RawExtension, JSON) are shared with the input. One deviation: absent lists and
 * maps without `omitempty` become `[]` and `{}`, where Go writes null.
 * Throws {@link UnmarshalError} at the first value of a wrong type.
 */
export function normalizeObject(
  object: unknown,
  struct: StructInfo,
  options: { collectUnknown?: boolean } = {},
): Normalized {
  const walk: Walk = { path: [], unknown: options.collectUnknown === true ? [] : undefined };
  const compiled = compile(struct);
  if (!isJsonObject(object)) {
    throw new UnmarshalError(
      `json: cannot unmarshal ${jsonWord(object)} into Go value of type ${structQualifiedName(struct.name)}`,
      `cannot restore struct from: ${goKindWord(object)}`,
    );
  }
  return { object: readStruct(walk, compiled, object), unknownFields: walk.unknown ?? [] };
}

interface Walk {
  /** Struct fields and map keys as strings (map keys marked), list indexes as numbers. */
  path: (string | number)[];
  unknown: string[] | undefined;
}

interface CompiledField {
  name: string;
  type: CompiledType;
  dropEmpty: boolean;
  pointer: boolean;
  /** Present in JSON even if the document does not set it. */
  always: boolean;
}

interface CompiledType {
  ref: TypeRef;
  kind: TypeRef["kind"];
  /** Of list entries and map values. */
  element: CompiledType | undefined;
  /** Set on first use: structs may refer to themselves. */
  struct: CompiledStruct | undefined;
}

interface CompiledStruct {
  name: string;
  fields: Map<string, CompiledField>;
  always: CompiledField[];
}

const compiledStructs = new WeakMap<StructInfo, CompiledStruct>();
const mapKeyMark = "\u0000";

function compile(struct: StructInfo): CompiledStruct {
  const known = compiledStructs.get(struct);
  if (known !== undefined) return known;
  const fields = new Map<string, CompiledField>();
  for (const info of struct.fields.values()) {
    fields.set(info.name, {
      name: info.name,
      type: compileType(info.type),
      dropEmpty: info.omitEmpty && !info.pointer,
      pointer: info.pointer,
      always: isAlwaysPresent(info),
    });
  }
  const compiled = {
    name: structShortName(struct.name),
    fields,
    always: [...fields.values()].filter((field) => field.always),
  };
  compiledStructs.set(struct, compiled);
  return compiled;
}

function compileType(ref: TypeRef): CompiledType {
  return {
    ref,
    kind: ref.kind,
    element: ref.kind === "array" ? compileType(ref.items) : ref.kind === "map" ? compileType(ref.values) : undefined,
    struct: undefined,
  };
}

/** Go's omitempty never drops a struct, and times, quantities and the like are structs there. */
function isAlwaysPresent(info: FieldInfo): boolean {
  if (info.pointer) return !info.omitEmpty;
  switch (info.type.kind) {
    case "struct":
    case "microTime":
    case "quantity":
    case "intOrString":
    case "duration":
      return true;
    case "time":
      // omitzero since 1.34.
      return info.name !== "creationTimestamp";
    case "rawExtension":
    case "json":
      return true;
    default:
      return !info.omitEmpty;
  }
}

function structOf(type: CompiledType): CompiledStruct {
  if (type.struct === undefined) {
    const name = (type.ref as { name: string }).name;
    const struct = schemaTable.struct(name);
    if (struct === undefined) throw new Error(`schema table has no struct ${name}`);
    type.struct = compile(struct);
  }
  return type.struct;
}

function readStruct(walk: Walk, struct: CompiledStruct, input: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key in input) {
    const field = struct.fields.get(key);
    if (field === undefined) {
      if (walk.unknown !== undefined && walk.unknown.length < maxStrictProblems) {
        walk.path.push(key);
        walk.unknown.push(`unknown field ${JSON.stringify(fullPath(walk.path))}`);
        walk.path.pop();
      }
      continue;
    }
    const value = input[key];
    if (value === null || value === undefined) continue;
    walk.path.push(key);
    const read = readValue(walk, field.type, value, struct);
    walk.path.pop();
    if (field.dropEmpty && isEmpty(field.type.kind, read)) continue;
    result[key] = read;
  }
  addMissing(result, struct);
  return result;
}

function addMissing(result: JsonObject, struct: CompiledStruct): void {
  for (const field of struct.always) {
    if (result[field.name] === undefined) result[field.name] = field.pointer ? null : zeroOf(field.type);
  }
}

/** Of a field that is no pointer. */
function zeroOf(type: CompiledType): unknown {
  switch (type.kind) {
    case "array":
      return [];
    case "map":
      return {};
    case "struct": {
      const result: JsonObject = {};
      addMissing(result, structOf(type));
      return result;
    }
    default:
      return zeroScalar(type.kind);
  }
}

/** As Go's omitempty sees it. */
function isEmpty(kind: TypeRef["kind"], value: unknown): boolean {
  switch (kind) {
    case "string":
    case "bytes":
      return value === "";
    case "int32":
    case "int64":
    case "float64":
      return value === 0;
    case "bool":
      return value === false;
    case "array":
      return (value as unknown[]).length === 0;
    case "map":
      for (const _ in value as JsonObject) return false;
      return true;
    default:
      return false;
  }
}

function readValue(walk: Walk, type: CompiledType, value: unknown, owner: CompiledStruct): unknown {
  switch (type.kind) {
    case "string":
      if (typeof value !== "string") throw misfit(walk, type, value, owner);
      return value;
    case "bool":
      if (typeof value !== "boolean") throw misfit(walk, type, value, owner);
      return value;
    case "int32":
      if (!isInt32(value)) throw misfit(walk, type, value, owner);
      return value;
    case "int64":
      if (!isInt64(value)) throw misfit(walk, type, value, owner);
      return value;
    case "float64":
      if (typeof value !== "number") throw misfit(walk, type, value, owner);
      return value;
    case "bytes":
      if (typeof value !== "string") throw misfit(walk, type, value, owner);
      return readBase64(value);
    case "struct":
      if (!isJsonObject(value)) throw misfit(walk, type, value, owner);
      return readStruct(walk, structOf(type), value);
    case "array":
      if (!Array.isArray(value)) throw misfit(walk, type, value, owner);
      return readArray(walk, type.element!, value, owner);
    case "map":
      if (!isJsonObject(value)) throw misfit(walk, type, value, owner);
      return readMap(walk, type.element!, value, owner);
    case "json":
      if ((type.ref as { union?: string }).union !== undefined) return readSchemaUnion(value);
      checkDepth(value, maxDepth);
      return value;
    case "fieldsV1":
    case "rawExtension":
      checkDepth(value, maxDepth);
      return value;
    default:
      return readCustomScalar(type.kind, value);
  }
}

function readArray(walk: Walk, element: CompiledType, value: unknown[], owner: CompiledStruct): unknown[] {
  const result: unknown[] = new Array(value.length);
  for (let index = 0; index < value.length; index++) {
    const entry = value[index];
    if (entry === null) {
      result[index] = zeroOf(element);
      continue;
    }
    walk.path.push(index);
    result[index] = readValue(walk, element, entry, owner);
    walk.path.pop();
  }
  return result;
}

function readMap(walk: Walk, element: CompiledType, value: JsonObject, owner: CompiledStruct): JsonObject {
  const result: JsonObject = {};
  for (const key in value) {
    const entry = value[key];
    walk.path.push(mapKeyMark + key);
    setOwn(result, key, entry === null ? zeroOf(element) : readValue(walk, element, entry, owner));
    walk.path.pop();
  }
  return result;
}

/**
 * JSONSchemaPropsOrBool, …OrArray and …OrStringArray: schemas inside are read as such. Their own UnmarshalJSON keeps
 * unknown fields from strict decoding, so they vanish silently.
 */
function readSchemaUnion(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readSchemaUnion);
  const struct = schemaTable.struct("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaProps");
  if (!isJsonObject(value) || struct === undefined) return value;
  return readStruct({ path: [], unknown: undefined }, compile(struct), value);
}

function misfit(walk: Walk, type: CompiledType, value: unknown, owner: CompiledStruct): UnmarshalError {
  const fields = walk.path.filter((step) => typeof step === "string" && !step.startsWith(mapKeyMark));
  const numeric = type.kind === "int32" || type.kind === "int64";
  const word = numeric && typeof value === "number" ? `number ${value}` : jsonWord(value);
  return new UnmarshalError(
    `json: cannot unmarshal ${word} into Go struct field ${owner.name}.${fields.join(".")} of type ${goTypeString(type.ref)}`,
    converterMisfit(type, value),
  );
}

/** Errors of runtime.DefaultUnstructuredConverter.FromUnstructured. */
function converterMisfit(type: CompiledType, value: unknown): string {
  const actual = goKindWord(value);
  switch (type.kind) {
    case "array":
    case "bytes":
      return `cannot restore slice from ${actual}`;
    case "map":
      return `cannot restore map from ${actual}`;
    case "struct":
      return `cannot restore struct from: ${actual}`;
    case "string":
      return actual === "int64" ? "cannot convert int64 to string" : "unrecognized type: string";
    case "int32":
    case "int64":
      return actual === "float64" ? `cannot convert float64 to ${type.kind}` : `unrecognized type: ${type.kind}`;
    default:
      return `unrecognized type: ${type.kind}`;
  }
}

function fullPath(path: readonly (string | number)[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else {
      const name = step.startsWith(mapKeyMark) ? step.slice(1) : step;
      text += text === "" ? name : `.${name}`;
    }
  }
  return text;
}

/** Throws when a free-form value is nested deeper than `left` levels. */
export function checkDepth(value: unknown, left: number): void {
  if (typeof value !== "object" || value === null) return;
  if (left <= 0) throw new UnmarshalError("exceeded max depth");
  if (Array.isArray(value)) for (const entry of value) checkDepth(entry, left - 1);
  else for (const key in value) checkDepth((value as JsonObject)[key], left - 1);
}
