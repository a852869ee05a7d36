import { duplicate, invalid, notSupported } from "../../apimachinery/field-error.ts";
import { isSet, listOf, supportedEnum } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { isDualStack, parseIp, validateIp } from "./ip.ts";

/**
 * Cluster IPs and IP families of a service. `clusterIP` alone stands for a list of one, which is what the registry makes
 * of it. Mirrors ValidateServiceClusterIPsRelatedFields of pkg/apis/core/validation (1.36).
 */
function clusterIpsOf(spec: any): string[] {
  const given = listOf(spec.clusterIPs);
  return given.length === 0 && spec.clusterIP ? [spec.clusterIP] : given;
}

export function isHeadless(spec: any): boolean {
  const ips = clusterIpsOf(spec);
  return ips.length === 1 && ips[0] === "None";
}

export function validateClusterIps(spec: any, causes: Causes): void {
  if (spec.type === "ExternalName") return;
  const path = "spec.clusterIPs";
  const ips = clusterIpsOf(spec);
  const families: string[] = listOf(spec.ipFamilies);
  if (spec.clusterIP) {
    if (ips[0] !== spec.clusterIP) causes.push(invalid(path, ips, "first value must match `clusterIP`"));
  } else if (ips.length > 0) causes.push(invalid(path, ips, "must be empty when `clusterIP` is not specified"));
  const seen = new Set<string>();
  for (const [index, family] of families.entries()) {
    if (family !== "IPv4" && family !== "IPv6")
      causes.push(notSupported(`spec.ipFamilies[${index}]`, family, ["IPv4", "IPv6"]));
    if (seen.has(family)) causes.push(duplicate(`spec.ipFamilies[${index}]`, family));
    seen.add(family);
  }
  if (isSet(spec.ipFamilyPolicy)) {
    supportedEnum(
      spec.ipFamilyPolicy,
      ["PreferDualStack", "RequireDualStack", "SingleStack"],
      "spec.ipFamilyPolicy",
      causes,
    );
  }
  let readable = true;
  for (const [index, ip] of ips.entries()) {
    if (index === 0 && ip === "None") {
      if (ips.length > 1) {
        readable = false;
        causes.push(invalid(path, ips, "'None' must be the first and only value"));
      }
    } else if (!validateIp(ip, `${path}[${index}]`, causes)) readable = false;
  }
  if (ips.length > 2) causes.push(invalid(path, ips, "may only hold up to 2 values"));
  if (!readable) return;
  if (ips.length > 1 && !isDualStack(ips.map((ip) => parseIp(ip)?.family))) {
    causes.push(invalid(path, ips, "may specify no more than one IP for each IP family"));
  }
  if (isHeadless(spec)) return;
  for (const [index, ip] of ips.slice(0, families.length).entries()) {
    const six = parseIp(ip)?.family === 6;
    const family = families[index];
    if ((family === "IPv4" && six) || (family === "IPv6" && !six)) {
      causes.push(
        invalid(`${path}[${index}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``),
      );
    }
  }
}

/** The first address stays, a second may come and go. Mirrors validateUpgradeDowngradeClusterIPs and …IPFamilies. */
export function validateClusterIpsUpdate(spec: any, before: any, causes: Causes): void {
  if (spec.type === "ExternalName" || before.type === "ExternalName") return;
  const headless = isHeadless(spec);
  if (headless && isHeadless(before)) return;
  const ips = clusterIpsOf(spec);
  const oldIps = clusterIpsOf(before);
  compare(
    { list: ips, old: oldIps, path: "spec.clusterIPs", changed: ips, unset: "primary clusterIP can not be unset" },
    "clusterIP",
    spec,
    causes,
  );
  if (headless !== isHeadless(before)) return;
  const families = listOf(spec.ipFamilies);
  const oldFamilies = listOf(before.ipFamilies);
  compare(
    { list: families, old: oldFamilies, path: "spec.ipFamilies", changed: families, unset: undefined },
    "ipFamily",
    spec,
    causes,
  );
}

interface Comparison {
  list: string[];
  old: string[];
  path: string;
  changed: string[];
  unset: string | undefined;
}

function compare({ list, old, path, changed, unset }: Comparison, what: string, spec: any, causes: Causes): void {
  if (old.length === list.length) {
    for (const [index, value] of old.entries()) {
      const at = what === "ipFamily" ? 0 : index;
      if (value !== list[index]) causes.push(invalid(`${path}[${at}]`, changed, "may not change once set"));
    }
    return;
  }
  if (list.length === 0 && unset !== undefined) causes.push(invalid(`${path}[0]`, list, unset));
  if (old.length > 0 && list.length > 0 && old[0] !== list[0]) {
    causes.push(invalid(`${path}[0]`, changed, "may not change once set"));
  }
  if (old.length > list.length && list.length === 1 && spec.ipFamilyPolicy !== "SingleStack") {
    causes.push(
      invalid(
        "spec.ipFamilyPolicy",
        spec.ipFamilyPolicy,
        `must be set to 'SingleStack' when releasing the secondary ${what}`,
      ),
    );
  }
}
