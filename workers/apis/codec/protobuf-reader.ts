import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { UnmarshalError } from "./unmarshal-error.ts";

/** Runs a reader; whatever it throws on hostile input becomes an UnmarshalError. */
export function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnmarshalError) throw error;
    if (error instanceof RangeError) throw new UnmarshalError("unexpected EOF");
    throw new UnmarshalError(`proto: ${(error as Error).message}`);
  }
}

/** A reader that knows where the current message ends. */
export class Input extends BinaryReader {
  readonly bytesOfInput: Uint8Array;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.bytesOfInput = bytes;
  }

  /** End of a length-delimited value that starts here. */
  endOf(limit: number): number {
    const length = this.uint32();
    const end = this.pos + length;
    if (end > limit) throw new UnmarshalError("unexpected EOF");
    return end;
  }

  expectEnd(end: number): void {
    if (this.pos !== end) throw new UnmarshalError("unexpected EOF");
  }
}

/** Calls `field` for each field up to `end`; what it does not read (returning false) is skipped. */
export function eachField(input: Input, end: number, field: (number: number, wire: WireType) => boolean): void {
  while (input.pos < end) {
    const [number, wire] = input.tag();
    if (wire === WireType.StartGroup || wire === WireType.EndGroup) {
      throw new UnmarshalError(`proto: illegal wireType ${wire}`);
    }
    if (!field(number, wire)) input.skip(wire, number);
  }
  input.expectEnd(end);
}
