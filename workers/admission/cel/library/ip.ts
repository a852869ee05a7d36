import { quote } from "../../../apimachinery/quote.ts";
import { CelError } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { func, method } from "../functions.ts";
import { boolType, intType, opaque, stringType } from "../types.ts";
import type { Value } from "../values.ts";
import { OpaqueValue } from "../values.ts";
import { traverseFirst, traverseFirstTwice } from "./costs.ts";
import type { IpAddress } from "./ip-address.ts";
import { formatIp, isMappedV4, mask, parseIp, samePrefix } from "./ip-address.ts";

export class IpValue extends OpaqueValue {
  readonly typeName = "net.IP";
  readonly address: IpAddress;
  override readonly size: number;

  constructor(address: IpAddress) {
    super();
    this.address = address;
    this.size = address.width / 8;
  }

  equals(other: OpaqueValue): boolean {
    return (
      other instanceof IpValue && this.address.width === other.address.width && this.address.bits === other.address.bits
    );
  }
}

export class CidrValue extends OpaqueValue {
  readonly typeName = "net.CIDR";
  readonly address: IpAddress;
  readonly prefix: number;
  override readonly size: number;

  constructor(address: IpAddress, prefix: number) {
    super();
    this.address = address;
    this.prefix = prefix;
    this.size = Math.ceil(prefix / 8);
  }

  equals(other: OpaqueValue): boolean {
    return (
      other instanceof CidrValue &&
      this.prefix === other.prefix &&
      this.address.width === other.address.width &&
      this.address.bits === other.address.bits
    );
  }
}

export const ipType = opaque("net.IP");
export const cidrType = opaque("net.CIDR");

function ip(text: string): IpValue {
  if (text.includes("%")) throw new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  const address = parseIp(text);
  if (address === undefined) {
    throw new CelError(
      `IP Address ${quote(text)} parse error during conversion from string: ParseAddr(${quote(text)}): unable to parse IP`,
    );
  }
  if (isMappedV4(address)) throw new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return new IpValue(address);
}

function cidr(text: string): CidrValue {
  const slash = text.lastIndexOf("/");
  const fail = (detail: string): CelError =>
    new CelError(
      `network address parse error during conversion from string: netip.ParsePrefix(${quote(text)}): ${detail}`,
    );
  if (slash === -1) throw fail("no '/'");
  const address = parseIp(text.slice(0, slash));
  if (address === undefined) throw fail(`ParseAddr(${quote(text.slice(0, slash))}): unable to parse IP`);
  if (isMappedV4(address)) throw new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  const length = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(length)) throw fail(`bad bits after slash: ${quote(length)}`);
  if (Number(length) > address.width) throw fail("prefix length out of range");
  return new CidrValue(address, Number(length));
}

function succeeds(parse: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      parse(text);
      return true;
    } catch (error) {
      if (error instanceof CelError) return false;
      throw error;
    }
  };
}

/** Whether the address begins with the bits of a prefix written as text. */
function within(prefix: string): (value: IpValue) => boolean {
  const range = cidr(prefix);
  return (value) => samePrefix(value.address, range.address, range.prefix);
}

const loopback4 = within("127.0.0.0/8");
const loopback6 = within("::1/128");
const multicast4 = within("224.0.0.0/4");
const multicast6 = within("ff00::/8");
const linkLocal4 = within("169.254.0.0/16");
const linkLocal6 = within("fe80::/10");
const linkLocalMulticast4 = within("224.0.0.0/24");
const linkLocalMulticast6 = within("ff02::/16");
const broadcast = within("255.255.255.255/32");

const isUnspecified = (value: IpValue): boolean => value.address.bits === 0n;
const isLoopback = (value: IpValue): boolean => loopback4(value) || loopback6(value);
const isLinkLocalUnicast = (value: IpValue): boolean => linkLocal4(value) || linkLocal6(value);
const isLinkLocalMulticast = (value: IpValue): boolean => linkLocalMulticast4(value) || linkLocalMulticast6(value);
const isGlobalUnicast = (value: IpValue): boolean =>
  !isUnspecified(value) &&
  !isLoopback(value) &&
  !multicast4(value) &&
  !multicast6(value) &&
  !isLinkLocalUnicast(value) &&
  !broadcast(value);

function containsIp(range: CidrValue, value: IpValue): boolean {
  return samePrefix(range.address, value.address, range.prefix);
}

function containsCidr(range: CidrValue, other: CidrValue): boolean {
  return range.prefix <= other.prefix && samePrefix(range.address, other.address, range.prefix);
}

const sizeOf = (value: Value | undefined): number =>
  value instanceof OpaqueValue ? (value.size ?? 1) : String(value).length;
const containsIpCost = (args: readonly Value[]): number => Math.ceil(sizeOf(args[0]) * 0.2);
const containsIpTextCost = (args: readonly Value[]): number => containsIpCost(args) + Math.ceil(sizeOf(args[1]) * 0.1);
const containsCidrCost = (args: readonly Value[]): number =>
  containsIpCost(args) + Math.ceil(sizeOf(args[0]) * 0.1) + 1;
const containsCidrTextCost = (args: readonly Value[]): number =>
  containsCidrCost(args) + Math.ceil(sizeOf(args[1]) * 0.1);
const formatCidr = (value: CidrValue): string => `${formatIp(value.address)}/${value.prefix}`;

/** k8s.io/apiserver pkg/cel/library/ip.go and cidr.go (1.36). */
export const ipLibrary: readonly NamedOverload[] = [
  func("string_to_ip", "ip", [stringType], ipType, ip, traverseFirst),
  func("is_ip", "isIP", [stringType], boolType, succeeds(ip), traverseFirst),
  func(
    "ip_is_canonical",
    "ip.isCanonical",
    [stringType],
    boolType,
    (text: string) => formatIp(ip(text).address) === text,
    traverseFirstTwice,
  ),
  func("ip_to_string", "string", [ipType], stringType, (value: IpValue) => formatIp(value.address)),
  method("ip_family", "family", [ipType], intType, (value: IpValue) => (value.address.width === 32 ? 4n : 6n)),
  method("ip_is_unspecified", "isUnspecified", [ipType], boolType, isUnspecified),
  method("ip_is_loopback", "isLoopback", [ipType], boolType, isLoopback),
  method("ip_is_link_local_multicast", "isLinkLocalMulticast", [ipType], boolType, isLinkLocalMulticast),
  method("ip_is_link_local_unicast", "isLinkLocalUnicast", [ipType], boolType, isLinkLocalUnicast),
  method("ip_is_global_unicast", "isGlobalUnicast", [ipType], boolType, isGlobalUnicast),
  func("string_to_cidr", "cidr", [stringType], cidrType, cidr, traverseFirst),
  func("is_cidr", "isCIDR", [stringType], boolType, succeeds(cidr), traverseFirst),
  func("cidr_to_string", "string", [cidrType], stringType, formatCidr),
  method(
    "cidr_contains_ip_string",
    "containsIP",
    [cidrType, stringType],
    boolType,
    (range: CidrValue, text: string) => containsIp(range, ip(text)),
    containsIpTextCost,
  ),
  method("cidr_contains_ip_ip", "containsIP", [cidrType, ipType], boolType, containsIp, containsIpCost),
  method(
    "cidr_contains_cidr_string",
    "containsCIDR",
    [cidrType, stringType],
    boolType,
    (range: CidrValue, text: string) => containsCidr(range, cidr(text)),
    containsCidrTextCost,
  ),
  method("cidr_contains_cidr", "containsCIDR", [cidrType, cidrType], boolType, containsCidr, containsCidrCost),
  method("cidr_ip", "ip", [cidrType], ipType, (range: CidrValue) => new IpValue(range.address)),
  method(
    "cidr_masked",
    "masked",
    [cidrType],
    cidrType,
    (range: CidrValue) => new CidrValue(mask(range.address, range.prefix), range.prefix),
  ),
  method("cidr_prefix_length", "prefixLength", [cidrType], intType, (range: CidrValue) => BigInt(range.prefix)),
];
