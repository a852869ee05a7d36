import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { eachField, guarded, Input } from "./protobuf-reader.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

const magic = new Uint8Array([0x6b, 0x38, 0x73, 0x00]);
const utf8 = new TextDecoder();

/** runtime.Unknown: any object with its type next to it. */
export interface UnknownObject {
  apiVersion: string;
  kind: string;
  raw: Uint8Array;
  /** Empty for protobuf, or a media type. */
  contentType: string;
}

export function isEnvelope(bytes: Uint8Array): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/** Takes `k8s\0` and runtime.Unknown apart. Throws UnmarshalError. */
export function decodeUnknown(bytes: Uint8Array): UnknownObject {
  if (bytes.length === 0) throw new UnmarshalError("empty data");
  if (!isEnvelope(bytes)) {
    throw new UnmarshalError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  const body = bytes.subarray(magic.length);
  const unknown: UnknownObject = { apiVersion: "", kind: "", raw: new Uint8Array(0), contentType: "" };
  let encoding = "";
  guarded(() => {
    const input = new Input(body);
    eachField(input, body.length, (number, wire) => {
      if (number > 4) return false;
      if (wire !== WireType.LengthDelimited)
        throw new UnmarshalError(`proto: wrong wireType = ${wire} for field Unknown`);
      const end = input.endOf(body.length);
      const value = body.subarray(input.pos, end);
      if (number === 1) Object.assign(unknown, decodeTypeMeta(value));
      else if (number === 2) unknown.raw = value;
      else if (number === 3) encoding = utf8.decode(value);
      else unknown.contentType = utf8.decode(value);
      input.pos = end;
      return true;
    });
  });
  if (encoding !== "") throw new UnmarshalError(`unsupported content encoding ${JSON.stringify(encoding)}`);
  return unknown;
}

function decodeTypeMeta(bytes: Uint8Array): { apiVersion: string; kind: string } {
  const input = new Input(bytes);
  const typeMeta = { apiVersion: "", kind: "" };
  eachField(input, bytes.length, (number, wire) => {
    if (number > 2 || wire !== WireType.LengthDelimited) return false;
    const end = input.endOf(bytes.length);
    typeMeta[number === 1 ? "apiVersion" : "kind"] = utf8.decode(bytes.subarray(input.pos, end));
    input.pos = end;
    return true;
  });
  return typeMeta;
}

/** `k8s\0` and runtime.Unknown around an encoded object. */
export function encodeUnknown(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(apiVersion);
  writer.tag(2, WireType.LengthDelimited).string(kind);
  writer.join();
  writer.tag(2, WireType.LengthDelimited).bytes(raw);
  writer.tag(3, WireType.LengthDelimited).string("");
  writer.tag(4, WireType.LengthDelimited).string("");
  const body = writer.finish();
  const result = new Uint8Array(magic.length + body.length);
  result.set(magic);
  result.set(body, magic.length);
  return result;
}
