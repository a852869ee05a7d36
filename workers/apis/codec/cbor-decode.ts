import { base64Encode } from "@bufbuild/protobuf/wire";
import { setOwn, type JsonObject } from "../../apimachinery/patch/own-property.ts";
import { maxDepth } from "./normalize.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

const utf8 = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const typeNames = [
  "positive integer",
  "negative integer",
  "byte string",
  "UTF-8 text string",
  "array",
  "map",
  "tag",
  "primitives",
];
const breakByte = 0xff;

/**
 * One CBOR data item in JSON's data model. Byte strings are strings; those in a tag that expects a later encoding
 * (21 base64url, 22 base64, 23 hex) become that text. Times of tag 1 become RFC 3339 text, other tags are dropped.
 * Throws {@link UnmarshalError}: malformed, truncated or trailing bytes, a key given twice, NaN and infinities, integers
 * beyond 64 bits, invalid UTF-8 in text, deep nesting.
 * Mirrors k8s.io/apimachinery pkg/runtime/serializer/cbor/internal/modes/decode.go (1.36).
 */
export function parseCbor(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new UnmarshalError("EOF");
  const reader = new CborReader(bytes);
  const value = reader.value(0, 0);
  const rest = bytes.length - reader.at;
  if (rest > 0) throw new UnmarshalError(`cbor: ${rest} bytes of extraneous data starting at index ${reader.at}`);
  return value;
}

class CborReader {
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** `tag` is the number of the tag around the item, 0 for none of meaning. */
  value(depth: number, tag: number): unknown {
    if (depth > maxDepth) throw new UnmarshalError(`cbor: exceeded max nested level ${maxDepth}`);
    const first = this.#byte();
    const major = first >> 5;
    const info = first & 0x1f;
    if (info > 27 && (info < 31 || major === 0 || major === 1 || major === 6)) {
      throw new UnmarshalError(`cbor: invalid additional information ${info} for type ${typeNames[major]}`);
    }
    switch (major) {
      case 0:
      case 1:
        return timeOf(this.#integer(major, info), tag);
      case 2:
        return textOf(this.#string(info, 2), tag);
      case 3:
        return this.#text(info);
      case 4:
        return this.#array(info, depth);
      case 5:
        return this.#map(info, depth);
      case 6:
        return this.#tagged(this.#argument(info), depth);
      default:
        return timeOf(this.#primitive(info), tag);
    }
  }

  #tagged(tag: number, depth: number): unknown {
    if (tag === 2 || tag === 3) {
      throw new UnmarshalError("cbor: data item of cbor type tag is not accepted by protocol: bignum");
    }
    return this.value(depth + 1, tag);
  }

  #integer(major: number, info: number): number {
    if (info === 27 && this.at + 8 <= this.#bytes.length) {
      const large = this.#view.getBigUint64(this.at);
      if (large > 0x7fff_ffff_ffff_ffffn) {
        const shown = major === 0 ? large : -1n - large;
        throw new UnmarshalError(
          `cbor: cannot unmarshal ${typeNames[major]} into Go value of type int64 (${shown} overflows Go's int64)`,
        );
      }
    }
    const argument = this.#argument(info);
    return major === 0 ? argument : -1 - argument;
  }

  #array(info: number, depth: number): unknown[] {
    const list: unknown[] = [];
    if (info === 31) {
      while (!this.#ended()) list.push(this.value(depth + 1, 0));
      return list;
    }
    const count = this.#count(info, 1);
    for (let index = 0; index < count; index++) list.push(this.value(depth + 1, 0));
    return list;
  }

  #map(info: number, depth: number): JsonObject {
    const map: JsonObject = {};
    const count = info === 31 ? Number.POSITIVE_INFINITY : this.#count(info, 2);
    for (let index = 0; index < count; index++) {
      if (info === 31 && this.#ended()) break;
      const key = this.#key();
      if (Object.hasOwn(map, key)) {
        throw new UnmarshalError(`cbor: found duplicate map key ${JSON.stringify(key)} at map element index ${index}`);
      }
      setOwn(map, key, this.value(depth + 1, 0));
    }
    return map;
  }

  #key(): string {
    const first = this.#byte();
    const major = first >> 5;
    if (major === 3) return this.#text(first & 0x1f);
    if (major === 2) return utf8.decode(this.#string(first & 0x1f, 2));
    throw new UnmarshalError(`cbor: cannot unmarshal ${typeNames[major]} into Go value of type string`);
  }

  #text(info: number): string {
    const bytes = this.#string(info, 3);
    try {
      return strictUtf8.decode(bytes);
    } catch {
      throw new UnmarshalError("cbor: invalid UTF-8 string");
    }
  }

  /** The content of a byte or text string, whole or in chunks. */
  #string(info: number, major: number): Uint8Array {
    if (info !== 31) {
      const length = this.#count(info, 1);
      const bytes = this.#bytes.subarray(this.at, this.at + length);
      this.at += length;
      return bytes;
    }
    const chunks: Uint8Array[] = [];
    let length = 0;
    while (!this.#ended()) {
      const first = this.#byte();
      if (first >> 5 !== major || (first & 0x1f) === 31) {
        throw new UnmarshalError(
          `cbor: wrong element type ${typeNames[first >> 5]} for indefinite-length ${typeNames[major]}`,
        );
      }
      const chunk = this.#string(first & 0x1f, major);
      chunks.push(chunk);
      length += chunk.length;
    }
    const whole = new Uint8Array(length);
    let offset = 0;
    for (const chunk of chunks) {
      whole.set(chunk, offset);
      offset += chunk.length;
    }
    return whole;
  }

  #primitive(info: number): unknown {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
      case 23:
        return null;
      case 25:
        return finite(halfFloat(this.#argument(25)));
      case 26:
        this.#need(4);
        this.at += 4;
        return finite(this.#view.getFloat32(this.at - 4));
      case 27:
        this.#need(8);
        this.at += 8;
        return finite(this.#view.getFloat64(this.at - 8));
      case 31:
        throw new UnmarshalError('cbor: unexpected "break" code');
      default: {
        const number = info === 24 ? this.#byte() : info;
        throw new UnmarshalError(
          `cbor: data item of cbor type primitives is not accepted by protocol: simple value ${number} is not recognized`,
        );
      }
    }
  }

  /** A count of items or bytes of at least `size` bytes each: no more than there can be. */
  #count(info: number, size: number): number {
    const count = this.#argument(info);
    if (count * size > this.#bytes.length - this.at) throw new UnmarshalError("unexpected EOF");
    return count;
  }

  #argument(info: number): number {
    if (info < 24) return info;
    const length = 1 << (info - 24);
    this.#need(length);
    const { at } = this;
    this.at += length;
    switch (length) {
      case 1:
        return this.#view.getUint8(at);
      case 2:
        return this.#view.getUint16(at);
      case 4:
        return this.#view.getUint32(at);
      default:
        return Number(this.#view.getBigUint64(at));
    }
  }

  #ended(): boolean {
    this.#need(1);
    if (this.#bytes[this.at] !== breakByte) return false;
    this.at++;
    return true;
  }

  #byte(): number {
    this.#need(1);
    return this.#bytes[this.at++]!;
  }

  #need(length: number): void {
    if (this.at + length > this.#bytes.length) throw new UnmarshalError("unexpected EOF");
  }
}

function textOf(bytes: Uint8Array, tag: number): string {
  switch (tag) {
    case 21:
      return base64Encode(bytes, "url");
    case 22:
      return base64Encode(bytes);
    case 23:
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    default:
      return utf8.decode(bytes);
  }
}

/** Seconds since 1970 in tag 1 as RFC 3339 text. */
function timeOf(value: unknown, tag: number): unknown {
  if (tag !== 1 || typeof value !== "number") return value;
  const time = new Date(value * 1000);
  if (Number.isNaN(time.getTime())) throw new UnmarshalError("cbor: cannot set time for tag 1");
  return time.toISOString().replace(/\.?0*Z$/, "Z");
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new UnmarshalError(
    `cbor: data item of cbor type primitives is not accepted by protocol: floating-point ${Number.isNaN(value) ? "NaN" : "infinity"}`,
  );
}

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
