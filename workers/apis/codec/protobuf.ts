import { base64Decode, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { isJsonObject, type JsonObject } from "../../apimachinery/patch/own-property.ts";
import type { StructInfo, TypeRef } from "../schema.ts";
import { parseGoDuration } from "./go-duration.ts";
import { parseTime } from "./go-time.ts";
import { jsonSchemaPropsName, messageOf, messageOfName, type Message } from "./protobuf-message.ts";
import { encodeUnknown } from "./protobuf-envelope.ts";

export { decodeProtobuf } from "./protobuf-decode.ts";
export { encodeUnknown } from "./protobuf-envelope.ts";

const utf8 = new TextEncoder();

/**
 * A built-in object in its JSON form as a protobuf message, without the envelope. What the object does not have is
 * not written: readers take it for zero. The object must fit its type (decodeObject and normalizeObject see to that).
 */
export function encodeProtobuf(struct: StructInfo, object: object): Uint8Array {
  const writer = new BinaryWriter();
  writeMessage(writer, messageOf(struct), object as JsonObject);
  return writer.finish();
}

/** metav1.WatchEvent in protobuf: the frame's payload; `object` is an encoded object, envelope included. */
export function encodeWatchEvent(type: string, object: Uint8Array): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).string(type);
  writer.tag(2, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).bytes(object);
  writer.join();
  return writer.finish();
}

/** An object with its envelope, as a response body. */
export function encodeProtobufObject(struct: StructInfo, object: { apiVersion?: string; kind?: string }): Uint8Array {
  return encodeUnknown(object.apiVersion ?? "", object.kind ?? "", encodeProtobuf(struct, object));
}

function writeMessage(writer: BinaryWriter, message: Message, object: JsonObject): void {
  for (const [number, field] of message) {
    if (field.embedded) {
      if (!hasAny(field.message, object)) continue;
      writer.tag(number, WireType.LengthDelimited).fork();
      writeMessage(writer, field.message, object);
      writer.join();
      continue;
    }
    const value = object[field.name];
    if (value !== null && value !== undefined) writeField(writer, number, field.type, value);
  }
}

function hasAny(message: Message, object: JsonObject): boolean {
  for (const field of message.values()) {
    if (field.embedded ? hasAny(field.message, object) : object[field.name] !== undefined) return true;
  }
  return false;
}

function writeField(writer: BinaryWriter, number: number, type: TypeRef, value: unknown): void {
  if (type.kind === "array" && type.wrapped !== true) {
    for (const entry of value as unknown[]) writeValue(writer, number, type.items, entry);
  } else if (type.kind === "map") {
    // Sorted, as generated marshallers do.
    for (const key of Object.keys(value as JsonObject).sort()) {
      writer.tag(number, WireType.LengthDelimited).fork();
      writer.tag(1, WireType.LengthDelimited).string(key);
      writeValue(writer, 2, type.values, (value as JsonObject)[key]);
      writer.join();
    }
  } else writeValue(writer, number, type, value);
}

function writeValue(writer: BinaryWriter, number: number, type: TypeRef, value: unknown): void {
  switch (type.kind) {
    case "string":
      writer.tag(number, WireType.LengthDelimited).string(value as string);
      break;
    case "bool":
      writer.tag(number, WireType.Varint).bool(value as boolean);
      break;
    case "int32":
      writer.tag(number, WireType.Varint).int32(value as number);
      break;
    case "int64":
      writer.tag(number, WireType.Varint).int64(BigInt(value as number));
      break;
    case "float64":
      writer.tag(number, WireType.Bit64).double(value as number);
      break;
    case "bytes":
      writer.tag(number, WireType.LengthDelimited).bytes(base64Decode(value as string));
      break;
    default:
      writer.tag(number, WireType.LengthDelimited).fork();
      writeNested(writer, type, value);
      writer.join();
  }
}

function writeNested(writer: BinaryWriter, type: TypeRef, value: unknown): void {
  switch (type.kind) {
    case "struct":
      if (isJsonObject(value)) writeMessage(writer, messageOfName(type.name), value);
      break;
    case "array":
      for (const entry of value as unknown[]) writeValue(writer, 1, type.items, entry);
      break;
    case "quantity":
      writer.tag(1, WireType.LengthDelimited).string(String(value));
      break;
    case "intOrString":
      writer.tag(1, WireType.Varint).int64(typeof value === "string" ? 1n : 0n);
      writer.tag(2, WireType.Varint).int32(typeof value === "string" ? 0 : (value as number));
      writer.tag(3, WireType.LengthDelimited).string(typeof value === "string" ? value : "");
      break;
    case "time":
    case "microTime": {
      if (typeof value !== "string") break;
      const { seconds, nanoseconds } = parseTime(value);
      writer.tag(1, WireType.Varint).int64(BigInt(seconds));
      writer.tag(2, WireType.Varint).int32(type.kind === "microTime" ? nanoseconds : 0);
      break;
    }
    case "duration":
      writer.tag(1, WireType.Varint).int64(parseGoDuration(value as string));
      break;
    case "json":
      if (type.union !== undefined) {
        writeUnion(writer, type.union, value);
        break;
      }
      writeJson(writer, value);
      break;
    default:
      writeJson(writer, value);
  }
}

function writeJson(writer: BinaryWriter, value: unknown): void {
  if (value !== null && value !== undefined) {
    writer.tag(1, WireType.LengthDelimited).bytes(utf8.encode(JSON.stringify(value)));
  }
}

function writeUnion(writer: BinaryWriter, union: string, value: unknown): void {
  const schema = (number: number, object: unknown): void => {
    writer.tag(number, WireType.LengthDelimited).fork();
    writeMessage(writer, messageOfName(jsonSchemaPropsName), object as JsonObject);
    writer.join();
  };
  if (union === "JSONSchemaPropsOrBool") {
    writer.tag(1, WireType.Varint).bool(value !== false);
    if (isJsonObject(value)) schema(2, value);
  } else if (Array.isArray(value)) {
    for (const entry of value) {
      if (union === "JSONSchemaPropsOrStringArray") writer.tag(2, WireType.LengthDelimited).string(entry as string);
      else schema(2, entry);
    }
  } else if (isJsonObject(value)) schema(1, value);
}
