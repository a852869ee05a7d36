import type { EncodedObject, StorageErrorShape } from "./interfaces.ts";
import { maxObjectBytes } from "./interfaces.ts";

const encoder = new TextEncoder();

/** ValueTooLarge if the object would have more than {@link maxObjectBytes} bytes of UTF-8 with `revision` in place. */
export function valueTooLarge(value: EncodedObject, revision: number): StorageErrorShape | undefined {
  const units = value.head.length + value.tail.length + 16;
  if (units * 3 <= maxObjectBytes) return undefined;
  const size = encoder.encode(value.head).byteLength + String(revision).length + encoder.encode(value.tail).byteLength;
  return size > maxObjectBytes ? { code: "ValueTooLarge", size, limit: maxObjectBytes } : undefined;
}
