export interface PemBlock {
  type: string;
  hasHeaders: boolean;
  /** undefined when the base64 cannot be read. */
  bytes: Uint8Array | undefined;
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----[ \t]*\r?\n([\s\S]*?)-----END \1-----/g;

/** All blocks of a PEM text. As Go's encoding/pem, text between blocks is passed over. */
export function readPem(text: string): PemBlock[] {
  return [...text.matchAll(block)].map(([, type, body]) => {
    const lines = body!.split(/\r?\n/);
    const hasHeaders = lines.some((line) => line.includes(": "));
    const base64 = lines.filter((line) => !line.includes(":")).join("");
    return { type: type!, hasHeaders, bytes: decodeBase64(base64) };
  });
}

/** undefined for text that is no base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text.replace(/\s/g, "")), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Whether the bytes are one DER SEQUENCE, the outermost form of certificates and certificate requests. */
export function isDerSequence(bytes: Uint8Array | undefined): boolean {
  if (bytes === undefined || bytes.length < 2 || bytes[0] !== 0x30) return false;
  const first = bytes[1]!;
  if (first < 0x80) return bytes.length === 2 + first;
  const count = first & 0x7f;
  if (count === 0 || count > 4 || bytes.length < 2 + count) return false;
  let length = 0;
  for (let index = 0; index < count; index++) length = length * 256 + bytes[2 + index]!;
  return bytes.length === 2 + count + length;
}
