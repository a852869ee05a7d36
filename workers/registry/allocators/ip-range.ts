import { parseIp } from "../../apis/validation/ip.ts";

export type IpFamily = "IPv4" | "IPv6";

/** Addresses as numbers, so that a range is an interval. */
export interface IpRange {
  readonly cidr: string;
  readonly family: IpFamily;
  /** First and last address that may be given out, both included. */
  readonly first: bigint;
  readonly last: bigint;
  /** Where the dynamic band begins; what is below is left for static requests while there is room above. */
  readonly dynamicFirst: bigint;
}

const bandMinimum = 16n;
const bandMaximum = 256n;
const bandStep = 16n;

/**
 * The addresses of a ServiceCIDR: neither the network's own address nor, for IPv4, the broadcast address. undefined for text
 * that is no CIDR. Mirrors NewIPAllocator and calculateRangeOffset of pkg/registry/core/service/ipallocator (1.36).
 */
export function parseIpRange(cidr: string): IpRange | undefined {
  const slash = cidr.indexOf("/");
  const ip = slash < 0 ? undefined : parseIp(cidr.slice(0, slash));
  if (ip === undefined) return undefined;
  const family = ip.family === 4 ? "IPv4" : "IPv6";
  const width = family === "IPv4" ? 32n : 128n;
  const bits = BigInt(Number.parseInt(cidr.slice(slash + 1), 10) || 0);
  if (bits > width) return undefined;
  const size = 1n << (width - bits);
  const network = (numberOf(ip) / size) * size;
  const first = network + 1n;
  const last = network + size - (family === "IPv4" ? 2n : 1n);
  return { cidr, family, first, last, dynamicFirst: first + bandOf(size) };
}

function bandOf(size: bigint): bigint {
  if (size <= bandMinimum) return 0n;
  const band = size / bandStep;
  return band < bandMinimum ? bandMinimum : band > bandMaximum ? bandMaximum : band;
}

export function contains(range: IpRange, ip: { family: IpFamily; address: bigint }): boolean {
  return range.family === ip.family && ip.address >= range.first && ip.address <= range.last;
}

export function readIp(text: string): { family: IpFamily; address: bigint } | undefined {
  const ip = parseIp(text);
  return ip === undefined ? undefined : { family: ip.family === 4 ? "IPv4" : "IPv6", address: numberOf(ip) };
}

export function familyOf(text: string): IpFamily {
  return text.includes(":") ? "IPv6" : "IPv4";
}

function numberOf(ip: { family: 4 | 6; groups: number[] }): bigint {
  const bits = ip.family === 4 ? 8n : 16n;
  return ip.groups.reduce((sum, group) => (sum << bits) | BigInt(group), 0n);
}

/** The canonical text (RFC 5952 for IPv6): the name of the IPAddress object. */
export function formatIp(family: IpFamily, address: bigint): string {
  if (family === "IPv4") return [24n, 16n, 8n, 0n].map((shift) => String((address >> shift) & 255n)).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => Number((address >> BigInt(112 - 16 * index)) & 0xffffn));
  const [start, length] = longestZeros(groups);
  const text = groups.map((group) => group.toString(16));
  if (length < 2) return text.join(":");
  return `${text.slice(0, start).join(":")}::${text.slice(start + length).join(":")}`;
}

function longestZeros(groups: number[]): [start: number, length: number] {
  let best: [number, number] = [0, 0];
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (start + length < groups.length && groups[start + length] === 0) length++;
    if (length > best[1]) best = [start, length];
  }
  return best;
}
