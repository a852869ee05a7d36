import { base64Encode, WireType } from "@bufbuild/protobuf/wire";
import { setOwn, type JsonObject } from "../../apimachinery/patch/own-property.ts";
import { schemaTable } from "../schema-table.ts";
import type { StructInfo, TypeRef } from "../schema.ts";
import { formatGoDuration } from "./go-duration.ts";
import { formatMicros, formatSeconds } from "./go-time.ts";
import { normalizeObject } from "./normalize.ts";
import { parseJson } from "./parse-json.ts";
import { jsonSchemaPropsName, messageOf, messageOfName, type Message, type MessageField } from "./protobuf-message.ts";
import { decodeUnknown, isEnvelope } from "./protobuf-envelope.ts";
import { eachField, guarded, Input } from "./protobuf-reader.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

/** Deepest nesting of messages. */
const maxDepth = 100;
const utf8 = new TextDecoder();

/**
 * A protobuf message of a built-in type as its JSON form, normalized like a JSON body. Unknown field numbers are
 * skipped. Throws {@link UnmarshalError} for truncated or malformed bytes.
 * Mirrors the generated.pb.go unmarshallers of k8s.io/api (1.36).
 */
export function decodeProtobuf(struct: StructInfo, bytes: Uint8Array): JsonObject {
  return normalizeObject(
    guarded(() => readMessage(new Input(bytes), messageOf(struct), bytes.length, 0)),
    struct,
  ).object;
}

function readMessage(input: Input, message: Message, end: number, depth: number): JsonObject {
  const result: JsonObject = {};
  readInto(result, input, message, end, depth);
  return result;
}

function readInto(result: JsonObject, input: Input, message: Message, end: number, depth: number): void {
  if (depth > maxDepth) throw new UnmarshalError("exceeded max depth");
  eachField(input, end, (number, wire) => {
    const field = message.get(number);
    if (field === undefined) return false;
    readField(result, field, input, wire, end, depth);
    return true;
  });
}

function readField(
  result: JsonObject,
  field: MessageField,
  input: Input,
  wire: WireType,
  limit: number,
  depth: number,
): void {
  if (field.embedded) {
    expectWire(wire, WireType.LengthDelimited, field.name);
    readInto(result, input, field.message, input.endOf(limit), depth + 1);
    return;
  }
  const { name, type } = field;
  if (type.kind === "array" && type.wrapped !== true) {
    const list = (result[name] ??= []) as unknown[];
    if (wire === WireType.LengthDelimited && isPackable(type.items)) {
      const end = input.endOf(limit);
      while (input.pos < end) list.push(readValue(input, type.items, wireOf(type.items), end, name, depth));
      input.expectEnd(end);
    } else list.push(readValue(input, type.items, wire, limit, name, depth));
  } else if (type.kind === "map") {
    expectWire(wire, WireType.LengthDelimited, name);
    const map = (result[name] ??= {}) as JsonObject;
    readEntry(map, input, type.values, input.endOf(limit), name, depth + 1);
  } else {
    result[name] = readValue(input, type, wire, limit, name, depth);
  }
}

function readEntry(map: JsonObject, input: Input, type: TypeRef, end: number, name: string, depth: number): void {
  let key = "";
  let value: unknown = null;
  eachField(input, end, (number, wire) => {
    if (number === 1) {
      expectWire(wire, WireType.LengthDelimited, name);
      key = readString(input, end);
    } else if (number === 2) value = readValue(input, type, wire, end, name, depth);
    else return false;
    return true;
  });
  setOwn(map, key, value);
}

function readValue(input: Input, type: TypeRef, wire: WireType, limit: number, name: string, depth: number): unknown {
  expectWire(wire, wireOf(type), name);
  switch (type.kind) {
    case "bool":
      return input.bool();
    case "int32":
      return input.int32();
    case "int64":
      return Number(input.int64());
    case "float64":
      return input.double();
    case "string":
      return readString(input, limit);
    case "bytes":
      return base64Encode(readBytes(input, limit));
    default: {
      const end = input.endOf(limit);
      return readNested(input, type, end, name, depth + 1);
    }
  }
}

function readNested(input: Input, type: TypeRef, end: number, name: string, depth: number): unknown {
  switch (type.kind) {
    case "struct":
      return readMessage(input, messageOfName(type.name), end, depth);
    case "array": {
      const list: unknown[] = [];
      eachField(input, end, (number, wire) => {
        if (number !== 1) return false;
        list.push(readValue(input, type.items, wire, end, name, depth));
        return true;
      });
      return list;
    }
    case "quantity": {
      const text = readRaw(input, end);
      return text === undefined ? null : utf8.decode(text);
    }
    case "intOrString":
      return readIntOrString(input, end);
    case "time":
    case "microTime":
      return readTime(input, end, type.kind === "microTime");
    case "duration": {
      let nanoseconds = 0n;
      eachField(input, end, (number, wire) => {
        if (number !== 1 || wire !== WireType.Varint) return false;
        nanoseconds = BigInt(input.int64());
        return true;
      });
      return formatGoDuration(nanoseconds);
    }
    case "rawExtension":
    case "fieldsV1":
      return readFreeForm(input, end);
    case "json":
      return type.union === undefined ? readFreeForm(input, end) : readUnion(input, type.union, end, depth);
    default:
      throw new UnmarshalError(`proto: field ${name} is no message`);
  }
}

function readTime(input: Input, end: number, micro: boolean): string | null {
  let seconds = 0;
  let nanoseconds = 0;
  eachField(input, end, (number, wire) => {
    if (wire !== WireType.Varint || number > 2) return false;
    if (number === 1) seconds = Number(input.int64());
    else nanoseconds = input.int32();
    return true;
  });
  if (seconds === 0 && nanoseconds === 0) return null;
  if (Math.abs(seconds) > 8_640_000_000_000)
    throw new UnmarshalError("Time.MarshalJSON: year outside of range [0,9999]");
  return micro ? formatMicros(seconds, nanoseconds) : formatSeconds(seconds);
}

function readIntOrString(input: Input, end: number): string | number {
  let kind = 0;
  let integer = 0;
  let text = "";
  eachField(input, end, (number, wire) => {
    if (number === 1 && wire === WireType.Varint) kind = Number(input.int64());
    else if (number === 2 && wire === WireType.Varint) integer = input.int32();
    else if (number === 3 && wire === WireType.LengthDelimited) text = readString(input, end);
    else return false;
    return true;
  });
  return kind === 1 ? text : integer;
}

/** Raw bytes of a message that has them as field 1; undefined when absent. */
function readRaw(input: Input, end: number): Uint8Array | undefined {
  let raw: Uint8Array | undefined;
  eachField(input, end, (number, wire) => {
    if (number !== 1 || wire !== WireType.LengthDelimited) return false;
    raw = readBytes(input, end);
    return true;
  });
  return raw;
}

/** JSON in raw bytes, or an object in an envelope of its own (the objects of watch events). */
function readFreeForm(input: Input, end: number): unknown {
  const raw = readRaw(input, end);
  if (raw === undefined || raw.length === 0) return null;
  if (!isEnvelope(raw)) return parseJson(utf8.decode(raw), { findDuplicates: false }).value;
  const { apiVersion, kind, raw: inner } = decodeUnknown(raw);
  const slash = apiVersion.indexOf("/");
  const struct = schemaTable.structOfKind(apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1), kind);
  if (struct === undefined) throw new UnmarshalError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return { kind, apiVersion, ...decodeProtobuf(struct, inner) };
}

function readUnion(input: Input, union: string, end: number, depth: number): unknown {
  let value: unknown;
  const list: unknown[] = [];
  eachField(input, end, (number, wire) => {
    if (union === "JSONSchemaPropsOrBool" && number === 1 && wire === WireType.Varint) {
      const allows = input.bool();
      value ??= allows;
    } else if (union === "JSONSchemaPropsOrStringArray" && number === 2) {
      expectWire(wire, WireType.LengthDelimited, "property");
      list.push(readString(input, end));
    } else if (number <= 2 && wire === WireType.LengthDelimited) {
      const schema = readMessage(input, messageOfName(jsonSchemaPropsName), input.endOf(end), depth + 1);
      if (union === "JSONSchemaPropsOrArray" && number === 2) list.push(schema);
      else value = schema;
    } else return false;
    return true;
  });
  return value ?? (union === "JSONSchemaPropsOrBool" ? false : list);
}

function readString(input: Input, limit: number): string {
  return utf8.decode(readBytes(input, limit));
}

function readBytes(input: Input, limit: number): Uint8Array {
  const end = input.endOf(limit);
  const bytes = input.bytesOfInput.subarray(input.pos, end);
  input.pos = end;
  return bytes;
}

function isPackable(type: TypeRef): boolean {
  return wireOf(type) !== WireType.LengthDelimited;
}

function wireOf(type: TypeRef): WireType {
  switch (type.kind) {
    case "bool":
    case "int32":
    case "int64":
      return WireType.Varint;
    case "float64":
      return WireType.Bit64;
    default:
      return WireType.LengthDelimited;
  }
}

function expectWire(actual: WireType, expected: WireType, name: string): void {
  if (actual !== expected) throw new UnmarshalError(`proto: wrong wireType = ${actual} for field ${name}`);
}
