import { base64Decode } from "@bufbuild/protobuf/wire";
import { isJsonObject, type JsonObject } from "../../apimachinery/patch/own-property.ts";
import type { StructInfo, TypeRef } from "../schema.ts";
import { parseGoDuration } from "./go-duration.ts";
import { parseTime } from "./go-time.ts";
import { jsonSchemaPropsName, messageOf, messageOfName, type Message, type MessageField } from "./protobuf-message.ts";
import { encodeUnknown } from "./protobuf-envelope.ts";
import { ReverseWriter } from "./protobuf-writer.ts";

export { decodeProtobuf } from "./protobuf-decode.ts";

const utf8 = new TextEncoder();

/**
 * A built-in object in its JSON form as a protobuf message, without the envelope. What the object does not have is
 * not written: readers take it for zero. The object must fit its type (decodeObject and normalizeObject see to that).
 */
export function encodeProtobuf(struct: StructInfo, object: object): Uint8Array {
  const writer = new ReverseWriter();
  writeMessage(writer, messageOf(struct), object as JsonObject);
  return writer.finish();
}

/** metav1.WatchEvent in protobuf: the frame's payload; `object` is an encoded object, envelope included. */
export function encodeWatchEvent(type: string, object: Uint8Array): Uint8Array {
  const writer = new ReverseWriter();
  writer.bytesField(1, object);
  writer.endField(2, 0);
  writer.stringField(1, type);
  return writer.finish();
}

/** An object with its envelope, as a response body. */
export function encodeProtobufObject(struct: StructInfo, object: { apiVersion?: string; kind?: string }): Uint8Array {
  return encodeUnknown(object.apiVersion ?? "", object.kind ?? "", encodeProtobuf(struct, object));
}

const reversed = new WeakMap<Message, [number, MessageField][]>();

function lastFirst(message: Message): [number, MessageField][] {
  let fields = reversed.get(message);
  if (fields === undefined) reversed.set(message, (fields = [...message].reverse()));
  return fields;
}

function writeMessage(writer: ReverseWriter, message: Message, object: JsonObject): void {
  for (const [number, field] of lastFirst(message)) {
    if (field.embedded) {
      if (!hasAny(field.message, object)) continue;
      const before = writer.length;
      writeMessage(writer, field.message, object);
      writer.endField(number, before);
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

function writeField(writer: ReverseWriter, number: number, type: TypeRef, value: unknown): void {
  if (type.kind === "array" && type.wrapped !== true) {
    const list = value as unknown[];
    for (let index = list.length - 1; index >= 0; index--) writeValue(writer, number, type.items, list[index]);
  } else if (type.kind === "map") {
    // Sorted, as generated marshallers do.
    for (const key of Object.keys(value as JsonObject)
      .sort()
      .reverse()) {
      const before = writer.length;
      writeValue(writer, 2, type.values, (value as JsonObject)[key]);
      writer.stringField(1, key);
      writer.endField(number, before);
    }
  } else writeValue(writer, number, type, value);
}

function writeValue(writer: ReverseWriter, number: number, type: TypeRef, value: unknown): void {
  switch (type.kind) {
    case "string":
      writer.stringField(number, value as string);
      break;
    case "bool":
      writer.boolField(number, value as boolean);
      break;
    case "int32":
    case "int64":
      writer.intField(number, value as number);
      break;
    case "float64":
      writer.doubleField(number, value as number);
      break;
    case "bytes":
      writer.bytesField(number, base64Decode(value as string));
      break;
    default: {
      const before = writer.length;
      writeNested(writer, type, value);
      writer.endField(number, before);
    }
  }
}

function writeNested(writer: ReverseWriter, type: TypeRef, value: unknown): void {
  switch (type.kind) {
    case "struct":
      if (isJsonObject(value)) writeMessage(writer, messageOfName(type.name), value);
      break;
    case "array": {
      const list = value as unknown[];
      for (let index = list.length - 1; index >= 0; index--) writeValue(writer, 1, type.items, list[index]);
      break;
    }
    case "quantity":
      writer.stringField(1, String(value));
      break;
    case "intOrString":
      writer.stringField(3, typeof value === "string" ? value : "");
      writer.intField(2, typeof value === "string" ? 0 : (value as number));
      writer.intField(1, typeof value === "string" ? 1 : 0);
      break;
    case "time":
    case "microTime": {
      if (typeof value !== "string") break;
      const { seconds, nanoseconds } = timeOf(value);
      writer.intField(2, type.kind === "microTime" ? nanoseconds : 0);
      writer.intField(1, seconds);
      break;
    }
    case "duration":
      writer.intField(1, parseGoDuration(value as string));
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

/** Seconds in UTC without a fraction, as nearly all times are, need no reading of each part. */
function timeOf(text: string): { seconds: number; nanoseconds: number } {
  const milliseconds = text.length === 20 && text.endsWith("Z") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) ? parseTime(text) : { seconds: milliseconds / 1000, nanoseconds: 0 };
}

function writeJson(writer: ReverseWriter, value: unknown): void {
  if (value !== null && value !== undefined) writer.bytesField(1, utf8.encode(JSON.stringify(value)));
}

function writeUnion(writer: ReverseWriter, union: string, value: unknown): void {
  const schema = (number: number, object: unknown): void => {
    const before = writer.length;
    writeMessage(writer, messageOfName(jsonSchemaPropsName), object as JsonObject);
    writer.endField(number, before);
  };
  if (union === "JSONSchemaPropsOrBool") {
    if (isJsonObject(value)) schema(2, value);
    writer.boolField(1, value !== false);
  } else if (Array.isArray(value)) {
    for (const entry of value.toReversed()) {
      if (union === "JSONSchemaPropsOrStringArray") writer.stringField(2, entry as string);
      else schema(2, entry);
    }
  } else if (isJsonObject(value)) schema(1, value);
}
