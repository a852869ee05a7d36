import { parseApiVersion } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { schemaTable } from "../schema-table.ts";
import type { StructInfo } from "../schema.ts";
import { encodeCbor, encodeCborWatchEvent } from "./cbor-encode.ts";
import { encodeProtobufObject, encodeWatchEvent } from "./protobuf.ts";

/** Encodings that are no text. */
export type BinaryEncoding = "protobuf" | "cbor";

/** An object as the body of a response; undefined when its kind has no protobuf form (custom resources, tables). */
export function encodeBinary(object: KubeObject, encoding: BinaryEncoding): Uint8Array | undefined {
  const struct = structOf(object);
  if (encoding === "cbor") return encodeCbor(object, struct);
  return struct === undefined ? undefined : encodeProtobufObject(struct, object);
}

/**
 * An event of a watch, without a frame around it: metav1.WatchEvent in protobuf (no envelope of its own, as upstream's
 * raw serializer), or an item of a CBOR sequence.
 */
export function encodeBinaryEvent(type: string, object: KubeObject, encoding: BinaryEncoding): Uint8Array {
  const encoded = encodeBinary(object, encoding);
  if (encoded === undefined) throw new Error(`${object.apiVersion}, Kind=${object.kind} has no protobuf form`);
  return encoding === "cbor" ? encodeCborWatchEvent(type, encoded) : encodeWatchEvent(type, encoded);
}

/** The same as it stands in a stream: protobuf events follow their length as four bytes, CBOR items delimit themselves. */
export function encodeBinaryFrame(type: string, object: KubeObject, encoding: BinaryEncoding): Uint8Array {
  const event = encodeBinaryEvent(type, object, encoding);
  if (encoding === "cbor") return event;
  const frame = new Uint8Array(4 + event.length);
  new DataView(frame.buffer).setUint32(0, event.length);
  frame.set(event, 4);
  return frame;
}

function structOf({ apiVersion = "", kind = "" }: KubeObject): StructInfo | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  // Both versions of meta.k8s.io have the same types.
  return schemaTable.structOfKind(group, group === "meta.k8s.io" ? "v1" : version, kind);
}
