import { base64Decode } from "@bufbuild/protobuf/wire";
import type { JsonObject } from "../../apimachinery/patch/own-property.ts";
import { schemaTable } from "../schema-table.ts";
import type { StructInfo, TypeRef } from "../schema.ts";

/** Head of tag 55799, which encloses every object. */
const selfDescribed = new Uint8Array([0xd9, 0xd9, 0xf7]);
const utf8 = new TextEncoder();

/**
 * An object in its JSON form as one CBOR data item. With a struct, base64 text of a `bytes` field becomes the bytes
 * themselves, marked as wanting base64 (tag 22). Strings and keys are byte strings, keys keep their order.
 * Mirrors k8s.io/apimachinery pkg/runtime/serializer/cbor (1.36), nondeterministic mode.
 */
export function encodeCbor(object: unknown, struct?: StructInfo): Uint8Array {
  const writer = new CborWriter();
  writer.raw(selfDescribed);
  writer.value(object, struct === undefined ? undefined : { kind: "struct", name: struct.name });
  return writer.finish();
}

/** One item of a watch's sequence; `object` is an encoded object. */
export function encodeCborWatchEvent(type: string, object: Uint8Array): Uint8Array {
  const writer = new CborWriter();
  writer.raw(selfDescribed);
  writer.head(5, 2);
  writer.text("type");
  writer.text(type);
  writer.text("object");
  writer.raw(object);
  return writer.finish();
}

class CborWriter {
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  head(major: number, argument: number): void {
    this.#reserve(9);
    const first = major << 5;
    if (argument < 24) this.#bytes[this.#at++] = first | argument;
    else if (argument < 0x100) {
      this.#bytes[this.#at++] = first | 24;
      this.#bytes[this.#at++] = argument;
    } else if (argument < 0x1_0000) {
      this.#bytes[this.#at++] = first | 25;
      this.#view.setUint16(this.#at, argument);
      this.#at += 2;
    } else if (argument < 0x1_0000_0000) {
      this.#bytes[this.#at++] = first | 26;
      this.#view.setUint32(this.#at, argument);
      this.#at += 4;
    } else {
      this.#bytes[this.#at++] = first | 27;
      this.#view.setBigUint64(this.#at, BigInt(argument));
      this.#at += 8;
    }
  }

  /** A string, as a byte string. */
  text(text: string): void {
    if (text.length < 48 && this.#shortAscii(text)) return;
    const bytes = utf8.encode(text);
    this.head(2, bytes.length);
    this.raw(bytes);
  }

  value(value: unknown, type: TypeRef | undefined): void {
    if (typeof value === "string") {
      if (type?.kind !== "bytes") this.text(value);
      else this.#base64(value);
    } else if (typeof value === "number") this.#number(value, type?.kind === "float64");
    else if (typeof value === "boolean") this.#simple(value ? 0xf5 : 0xf4);
    else if (value === null || value === undefined) this.#simple(0xf6);
    else if (Array.isArray(value)) {
      const items = type?.kind === "array" ? type.items : undefined;
      this.head(4, value.length);
      for (const entry of value) this.value(entry, items);
    } else this.#object(value as JsonObject, type);
  }

  #object(object: JsonObject, type: TypeRef | undefined): void {
    const struct = type?.kind === "struct" ? schemaTable.struct(type.name) : undefined;
    const values = type?.kind === "map" ? type.values : undefined;
    const keys = Object.keys(object).filter((key) => object[key] !== undefined);
    this.head(5, keys.length);
    for (const key of keys) {
      this.text(key);
      this.value(object[key], struct === undefined ? values : struct.fields.get(key)?.type);
    }
  }

  #base64(text: string): void {
    const bytes = base64Decode(text);
    this.head(6, 22);
    this.head(2, bytes.length);
    this.raw(bytes);
  }

  #number(value: number, float: boolean): void {
    if (!float && Number.isInteger(value) && Math.abs(value) < 2 ** 63 && !Object.is(value, -0)) {
      if (value >= 0) this.head(0, value);
      else this.head(1, -1 - value);
      return;
    }
    this.#reserve(9);
    if (Math.fround(value) === value) {
      this.#bytes[this.#at++] = 0xfa;
      this.#view.setFloat32(this.#at, value);
      this.#at += 4;
    } else {
      this.#bytes[this.#at++] = 0xfb;
      this.#view.setFloat64(this.#at, value);
      this.#at += 8;
    }
  }

  #simple(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = byte;
  }

  /** True when the text was ASCII and is written. */
  #shortAscii(text: string): boolean {
    const before = this.#at;
    this.head(2, text.length);
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) {
        this.#at = before;
        return false;
      }
      this.#bytes[this.#at++] = code;
    }
    return true;
  }

  #reserve(length: number): void {
    const needed = this.#at + length;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
