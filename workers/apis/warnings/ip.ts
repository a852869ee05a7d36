import { quote } from "../../apimachinery/quote.ts";
import { parseIp } from "../validation/ip.ts";

/**
 * Addresses that are read leniently, but not in the form that strict parsers want.
 * Mirrors GetWarningsForIP and GetWarningsForCIDR of k8s.io/apimachinery pkg/util/validation/ip.go (1.36).
 */
export function warningsForIp(path: string, text: string): string[] {
  const ip = parseIp(text);
  if (ip === undefined) return [];
  const preferred = canonical(ip);
  if (isNonStandard(text, ip)) {
    return [
      `${path}: non-standard IP address ${quote(text)} will be considered invalid in a future Kubernetes release: use ${quote(preferred)}`,
    ];
  }
  if (ip.family === 6 && preferred !== text) {
    return [`${path}: IPv6 address ${quote(text)} should be in RFC 5952 canonical format (${quote(preferred)})`];
  }
  return [];
}

export function warningsForCidr(path: string, text: string): string[] {
  const slash = text.indexOf("/");
  const prefix = text.slice(slash + 1);
  const ip = slash < 0 ? undefined : parseIp(text.slice(0, slash));
  if (ip === undefined || !/^\d+$/.test(prefix)) return [];
  const width = ip.family === 4 ? 32 : 128;
  const bits = Number(prefix);
  if (bits > width) return [];
  const address = canonical(ip);
  const network = `${canonical(masked(ip, bits))}/${isMapped(ip) ? Math.max(bits - 96, 0) : bits}`;
  const warnings: string[] = [];
  if (canonical(masked(ip, bits)) !== address) {
    const single = `${address}/${isMapped(ip) ? 32 : width}`;
    warnings.push(
      `${path}: CIDR value ${quote(text)} is ambiguous in this context (should be ${quote(network)} or ${quote(single)}?)`,
    );
  }
  if (isNonStandard(text.slice(0, slash), ip) || String(bits) !== prefix) {
    warnings.push(
      `${path}: non-standard CIDR value ${quote(text)} will be considered invalid in a future Kubernetes release: use ${quote(network)}`,
    );
  }
  if (warnings.length === 0 && ip.family === 6 && `${address}/${bits}` !== text) {
    warnings.push(
      `${path}: IPv6 CIDR value ${quote(text)} should be in RFC 5952 canonical format (${quote(`${address}/${bits}`)})`,
    );
  }
  return warnings;
}

type Ip = NonNullable<ReturnType<typeof parseIp>>;

/** Leading zeros, or an IPv4 address in IPv6 clothes. */
function isNonStandard(text: string, ip: Ip): boolean {
  return ip.family === 4 ? ip.groups.join(".") !== text : isMapped(ip);
}

function isMapped(ip: Ip): boolean {
  return ip.family === 6 && ip.groups[5] === 0xffff && ip.groups.slice(0, 5).every((group) => group === 0);
}

/** As net.IP prints it: dotted for IPv4 and what maps to it, RFC 5952 for IPv6. */
function canonical(ip: Ip): string {
  if (ip.family === 4) return ip.groups.join(".");
  if (isMapped(ip))
    return ip.groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join(".");
  // The URL standard writes addresses by the same rules.
  return new URL(`http://[${ip.groups.map((group) => group.toString(16)).join(":")}]/`).hostname.slice(1, -1);
}

function masked(ip: Ip, bits: number): Ip {
  const size = ip.family === 4 ? 8 : 16;
  const groups = ip.groups.map((group, index) => {
    const kept = Math.min(Math.max(bits - index * size, 0), size);
    return group & ~((1 << (size - kept)) - 1) & ((1 << size) - 1);
  });
  return { family: ip.family, groups };
}
