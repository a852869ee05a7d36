import { invalid } from "../../apimachinery/field-error.ts";
import { textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

/**
 * IP addresses and CIDRs. Mirrors IsValidIP and IsValidCIDR of k8s.io/apimachinery pkg/util/validation/ip.go (1.36) with
 * the lenient parser: leading zeros are let through.
 */
export function parseIp(text: string): { family: 4 | 6; groups: number[] } | undefined {
  if (text.includes(":")) {
    const groups = parseIpv6(text);
    return groups === undefined ? undefined : { family: 6, groups };
  }
  const bytes = parseIpv4(text);
  return bytes === undefined ? undefined : { family: 4, groups: bytes };
}

function parseIpv4(text: string): number[] | undefined {
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(text)) return undefined;
  const bytes = text.split(".").map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseIpv6(text: string): number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = readGroups(halves[0]!, halves.length === 1);
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  const tail = readGroups(halves[1]!, true);
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function readGroups(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (mayEndInIpv4 && index === parts.length - 1 && part.includes(".")) {
      const bytes = parseIpv4(part);
      if (bytes === undefined) return undefined;
      groups.push((bytes[0]! << 8) | bytes[1]!, (bytes[2]! << 8) | bytes[3]!);
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined;
      groups.push(Number.parseInt(part, 16));
    }
  }
  return groups.length > 8 ? undefined : groups;
}

export function validateIp(value: unknown, path: string, causes: Causes): boolean {
  const text = textOf(value);
  if (parseIp(text) !== undefined) return true;
  causes.push(invalid(path, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
  return false;
}

export function familyOfCidr(text: string): 4 | 6 | undefined {
  const slash = text.indexOf("/");
  if (slash < 0 || !/^\d{1,3}$/.test(text.slice(slash + 1))) return undefined;
  const ip = parseIp(text.slice(0, slash));
  if (ip === undefined || Number(text.slice(slash + 1)) > (ip.family === 4 ? 32 : 128)) return undefined;
  return ip.family;
}

export function validateCidr(value: unknown, path: string, causes: Causes): void {
  const text = textOf(value);
  if (familyOfCidr(text) === undefined) {
    causes.push(invalid(path, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
  }
}

/** At least one of each family. */
export function isDualStack(families: (4 | 6 | undefined)[]): boolean {
  return families.includes(4) && families.includes(6);
}

/** Mirrors ValidateNonSpecialIP of pkg/apis/core/validation (1.36). */
export function validateNonSpecialIp(value: unknown, path: string, causes: Causes): void {
  const text = textOf(value);
  const ip = parseIp(text);
  if (ip === undefined) {
    causes.push(invalid(path, text, "must be a valid IP address"));
    return;
  }
  const mapped = ip.family === 6 && ip.groups.slice(0, 5).every((group) => group === 0) && ip.groups[5] === 0xffff;
  const [a, b, c] = mapped
    ? [ip.groups[6]! >> 8, ip.groups[6]! & 255, ip.groups[7]! >> 8]
    : (ip.groups as [number, number, number]);
  const four = ip.family === 4 || mapped;
  const zeros = four ? [] : ip.groups.slice(0, 7);
  const bytes = mapped ? ip.groups.slice(6) : ip.groups;
  if (bytes.every((group) => group === 0)) causes.push(invalid(path, text, `may not be unspecified (${text})`));
  if (four ? a === 127 : zeros.every((group) => group === 0) && ip.groups[7] === 1) {
    causes.push(invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)"));
  }
  if (four ? a === 169 && b === 254 : (a & 0xffc0) === 0xfe80) {
    causes.push(invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"));
  }
  if (four ? a === 224 && b === 0 && c === 0 : (a & 0xff0f) === 0xff02) {
    causes.push(invalid(path, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"));
  }
}
