const utf8 = new TextEncoder();

/** Wire types that Kubernetes' messages have. */
const varintWire = 0;
const fixed64Wire = 1;
const lengthWire = 2;

/**
 * Writes a message from its end to its beginning, as the generated marshallers of gogo/protobuf do: a nested message is
 * complete when its length is written, so nothing is measured beforehand or moved afterwards. Callers write fields, list
 * entries and the parts of an entry in the reverse of their order.
 */
export class ReverseWriter {
  #bytes = new Uint8Array(4096);
  /** Where the first byte written so far is. */
  #at = this.#bytes.length;

  /** Bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  finish(): Uint8Array {
    return this.#bytes.slice(this.#at);
  }

  stringField(number: number, text: string): void {
    const before = this.length;
    this.#text(text);
    this.endField(number, before);
  }

  bytesField(number: number, bytes: Uint8Array): void {
    const before = this.length;
    this.raw(bytes);
    this.endField(number, before);
  }

  boolField(number: number, value: boolean): void {
    this.#varint(value ? 1 : 0);
    this.#varint((number << 3) | varintWire);
  }

  /** int32 and int64: the value is a safe integer, or a bigint of 64 bits. */
  intField(number: number, value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && Number.isSafeInteger(value)) this.#varint(value);
    else this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
    this.#varint((number << 3) | varintWire);
  }

  doubleField(number: number, value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    new DataView(this.#bytes.buffer).setFloat64(this.#at, value, true);
    this.#varint((number << 3) | fixed64Wire);
  }

  /** Length and tag in front of what has been written since the writer's length was `before`. */
  endField(number: number, before: number): void {
    this.#varint(this.length - before);
    this.#varint((number << 3) | lengthWire);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  #text(text: string): void {
    const { length } = text;
    if (length > 256) {
      this.raw(utf8.encode(text));
      return;
    }
    this.#reserve(length);
    const start = this.#at - length;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) {
        this.raw(utf8.encode(text));
        return;
      }
      this.#bytes[start + index] = code;
    }
    this.#at = start;
  }

  #varint(value: number): void {
    this.#reserve(10);
    if (value < 0x80) {
      this.#bytes[--this.#at] = value;
      return;
    }
    let size = 2;
    for (let rest = Math.floor(value / 0x4000); rest > 0; rest = Math.floor(rest / 0x80)) size++;
    this.#at -= size;
    let rest = value;
    for (let index = 0; index < size - 1; index++) {
      this.#bytes[this.#at + index] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#at + size - 1] = rest;
  }

  #bigVarint(value: bigint): void {
    const parts: number[] = [];
    for (let rest = value; ; rest >>= 7n) {
      if (rest < 0x80n) {
        parts.push(Number(rest));
        break;
      }
      parts.push(Number(rest & 0x7fn) | 0x80);
    }
    this.raw(Uint8Array.from(parts));
  }

  #reserve(length: number): void {
    if (this.#at >= length) return;
    const written = this.length;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, written + length));
    grown.set(this.#bytes.subarray(this.#at), grown.length - written);
    this.#bytes = grown;
    this.#at = grown.length - written;
  }
}
