/** An address as a number with its width in bits; undefined when the text is none (Go's netip.ParseAddr without zones). */
export interface IpAddress {
  readonly bits: bigint;
  readonly width: 32 | 128;
}

export function parseIp(text: string): IpAddress | undefined {
  if (text.length > 64) return undefined;
  if (!text.includes(":")) return parseV4(text);
  return parseV6(text);
}

function parseV4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    bits = (bits << 8n) | BigInt(part);
  }
  return { bits, width: 32 };
}

function parseV6(text: string): IpAddress | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = groups(halves[0] as string, halves.length === 1);
  const tail = halves.length === 2 ? groups(halves[1] as string, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  let bits = 0n;
  for (const group of [...head, ...Array<bigint>(missing).fill(0n), ...tail]) bits = (bits << 16n) | group;
  return { bits, width: 128 };
}

/** Groups of 16 bits; the last may be written as an IPv4 address. */
function groups(text: string, isLast: boolean): bigint[] | undefined {
  if (text === "") return isLast ? [] : [];
  const found: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (isLast && index === parts.length - 1 && part.includes(".")) {
      const v4 = parseV4(part);
      if (v4 === undefined) return undefined;
      found.push(v4.bits >> 16n, v4.bits & 0xffffn);
      continue;
    }
    if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined;
    found.push(BigInt(`0x${part}`));
  }
  return found;
}

export function isMappedV4(address: IpAddress): boolean {
  return address.width === 128 && address.bits >> 32n === 0xffffn;
}

/** The canonical form: RFC 5952 for IPv6. */
export function formatIp(address: IpAddress): string {
  if (address.width === 32) return v4Text(address.bits);
  if (isMappedV4(address)) return `::ffff:${v4Text(address.bits & 0xffffffffn)}`;
  const parts = Array.from({ length: 8 }, (_, index) => (address.bits >> BigInt(112 - index * 16)) & 0xffffn);
  let bestStart = -1;
  let bestLength = 1;
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (parts[start + length] === 0n) length++;
    if (length > bestLength) [bestStart, bestLength] = [start, length];
  }
  const hex = parts.map((part) => part.toString(16));
  if (bestStart === -1) return hex.join(":");
  return `${hex.slice(0, bestStart).join(":")}::${hex.slice(bestStart + bestLength).join(":")}`;
}

function v4Text(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join(".");
}

/** Whether the first `length` bits agree. */
export function samePrefix(a: IpAddress, b: IpAddress, length: number): boolean {
  const shift = BigInt(a.width - length);
  return a.width === b.width && a.bits >> shift === b.bits >> shift;
}

export function mask(address: IpAddress, length: number): IpAddress {
  const shift = BigInt(address.width - length);
  return { width: address.width, bits: (address.bits >> shift) << shift };
}
