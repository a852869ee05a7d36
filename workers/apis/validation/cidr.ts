import { invalid } from "../../apimachinery/field-error.ts";
import { textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { familyOfCidr, parseIp, validateCidr } from "./ip.ts";

/** Address bits, most significant first, and the prefix length. The text must be a CIDR. */
function read(cidr: string): { family: 4 | 6; bits: string; length: number } {
  const slash = cidr.indexOf("/");
  const { family, groups } = parseIp(cidr.slice(0, slash))!;
  const bits = groups.map((group) => group.toString(2).padStart(family === 4 ? 8 : 16, "0")).join("");
  return { family, bits, length: Number(cidr.slice(slash + 1)) };
}

/** Whether `inner` is a strict subset. Both must be CIDRs. */
export function cidrContains(outer: string, inner: string): boolean {
  const a = read(outer);
  const b = read(inner);
  return a.family === b.family && a.length < b.length && a.bits.slice(0, a.length) === b.bits.slice(0, a.length);
}

/** The strict form: canonical, and no bits beyond the prefix. Mirrors IsValidCIDR of k8s.io/apimachinery pkg/util/validation/ip.go (1.36). */
export function validateStrictCidr(value: unknown, path: string, causes: Causes): void {
  const text = textOf(value);
  validateCidr(text, path, causes);
  if (familyOfCidr(text) === undefined) return;
  const { bits, length } = read(text);
  if (bits.slice(length).includes("1")) {
    causes.push(invalid(path, text, "must not have bits set beyond the prefix length"));
  } else if (/(^|[.:/])0[0-9]/.test(text.slice(0, text.indexOf("/"))) || /\/0[0-9]/.test(text)) {
    causes.push(invalid(path, text, "must not have leading 0s in IP or prefix length"));
  }
}
