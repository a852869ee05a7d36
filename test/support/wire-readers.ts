/**
 * Readers of the two binary encodings that share nothing with the product's: just enough to look into answers.
 */

/** A protobuf message by field number: numbers for varints, bytes for what has a length. */
export class Message {
  readonly #fields = new Map<number, (number | Buffer)[]>();

  constructor(bytes: Buffer) {
    for (let at = 0; at < bytes.length;) {
      const varint = (): number => {
        let value = 0;
        for (let scale = 1; ; scale *= 128) {
          const byte = bytes[at++]!;
          value += (byte & 0x7f) * scale;
          if (byte < 0x80) return value;
        }
      };
      const tag = varint();
      let value: number | Buffer;
      if ((tag & 7) === 0) value = varint();
      else if ((tag & 7) === 2) {
        const length = varint();
        value = bytes.subarray(at, (at += length));
        if (value.length !== length) throw new Error("a field ends after its message");
      } else throw new Error(`wire type ${tag & 7}`);
      const known = this.#fields.get(tag >> 3);
      if (known === undefined) this.#fields.set(tag >> 3, [value]);
      else known.push(value);
    }
  }

  number(field: number): number {
    return (this.#fields.get(field)?.at(-1) ?? 0) as number;
  }

  text(...path: number[]): string {
    const last = path.pop()!;
    const value = this.at(...path)
      .#fields.get(last)
      ?.at(-1) as Buffer | undefined;
    return value?.toString() ?? "";
  }

  bytes(field: number): Buffer {
    return (this.#fields.get(field)?.at(-1) ?? Buffer.alloc(0)) as Buffer;
  }

  /** Nested messages, one below the other; an absent one is empty. */
  at(...path: number[]): Message {
    return path.reduce<Message>((message, field) => new Message(message.bytes(field)), this);
  }

  all(field: number): Message[] {
    return (this.#fields.get(field) ?? []).map((value) => new Message(value as Buffer));
  }
}

/** What is in `k8s\0` and runtime.Unknown. */
export function readEnvelope(bytes: Buffer): { apiVersion: string; kind: string; object: Message } {
  if (bytes.subarray(0, 4).toString("latin1") !== "k8s\0")
    throw new Error(`no envelope: ${bytes.subarray(0, 60).toString()}`);
  const unknown = new Message(bytes.subarray(4));
  return { apiVersion: unknown.text(1, 1), kind: unknown.text(1, 2), object: unknown.at(2) };
}

/** The events of a protobuf watch, as far as they have come. */
export function readProtobufEvents(bytes: Buffer): { type: string; kind: string; object: Message }[] {
  const events = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    if (at + 4 + length > bytes.length) break;
    const event = new Message(bytes.subarray(at + 4, (at += 4 + length)));
    events.push({ type: event.text(1), ...readEnvelope(event.at(2).bytes(1)) });
  }
  return events;
}

const incomplete = new Error("incomplete");

/** The items of a CBOR sequence, as far as they have come. Bytes in a tag are `{ tag, bytes }`, other byte strings are text. */
export function readCborItems(bytes: Buffer): any[] {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw incomplete;
    return bytes.subarray(at, (at += length));
  };
  const item = (tag: number): unknown => {
    const head = take(1)[0]!;
    const major = head >> 5;
    const info = head & 31;
    if (major === 7) {
      if (info === 20 || info === 21) return info === 21;
      if (info === 22) return null;
      return info === 26 ? take(4).readFloatBE() : take(8).readDoubleBE();
    }
    const length =
      info < 24
        ? info
        : info === 24
          ? take(1)[0]!
          : info === 25
            ? take(2).readUInt16BE()
            : info === 26
              ? take(4).readUInt32BE()
              : Number(take(8).readBigUInt64BE());
    switch (major) {
      case 0:
        return length;
      case 1:
        return -1 - length;
      case 2:
        return tag === 22 ? { tag, bytes: take(length) } : take(length).toString();
      case 3:
        throw new Error("a text string, where upstream writes byte strings");
      case 4:
        return Array.from({ length }, () => item(0));
      case 5:
        return Object.fromEntries(Array.from({ length }, () => [item(0) as string, item(0)]));
      default:
        return item(length);
    }
  };
  const items = [];
  for (let start = 0; start < bytes.length; start = at) {
    if (bytes.readUIntBE(start, Math.min(3, bytes.length - start)) !== 0xd9d9f7 && bytes.length - start >= 3) {
      throw new Error(`not self-described: ${bytes.subarray(start, start + 60).toString()}`);
    }
    try {
      items.push(item(0));
    } catch (error) {
      if (error === incomplete) return items;
      throw error;
    }
  }
  return items;
}

/** CBOR of plain values, strings as text strings: what another implementation would send. */
export function writeCbor(value: unknown): Buffer {
  const head = (major: number, argument: number): Buffer => {
    if (argument < 24) return Buffer.of((major << 5) | argument);
    const bytes = Buffer.alloc(5, (major << 5) | 26);
    bytes.writeUInt32BE(argument, 1);
    return bytes;
  };
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "boolean") return Buffer.of(value ? 0xf5 : 0xf4);
  if (value === null || value === undefined) return Buffer.of(0xf6);
  if (value instanceof Uint8Array) return Buffer.concat([Buffer.of(0xd6), head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...(value as unknown[]).map(writeCbor)]);
  const members = Object.entries(value);
  return Buffer.concat([head(5, members.length), ...members.flat().map(writeCbor)]);
}
