import { invalid } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { familyOf } from "./ip-range.ts";
import type { IpFamily } from "./ip-range.ts";

const singleStack = "SingleStack";

/**
 * Settles ipFamilyPolicy and ipFamilies of a service from what was asked for, what it was before and what the cluster has
 * (`configured`, the default family first). Changes `service`. Mirrors initIPFamilyFields of
 * pkg/registry/core/service/storage/alloc.go (1.36).
 */
export function initIpFamilyFields(
  service: KubeObject,
  previous: KubeObject | undefined,
  configured: readonly IpFamily[],
): InvalidCause[] {
  const spec = service.spec;
  if (spec.type === "ExternalName" || isMatchingPreferDualStack(service, previous)) return [];
  const isHeadlessWithoutSelector = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??=
    previous?.spec.ipFamilyPolicy ?? (isHeadlessWithoutSelector ? "RequireDualStack" : singleStack);
  const causes: InvalidCause[] = [];
  const policyMust = (text: string) =>
    causes.push(invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, `must be ${text}`));
  if (previous !== undefined) reduce(spec, previous.spec, policyMust);
  if (spec.ipFamilyPolicy === singleStack) {
    const dual = "'RequireDualStack' or 'PreferDualStack' when multiple";
    if (spec.clusterIPs?.length === 2) policyMust(`${dual} cluster IPs are specified`);
    if (spec.ipFamilies?.length === 2) policyMust(`${dual} IP families are specified`);
  }
  const families: IpFamily[] = [...(spec.ipFamilies ?? [])];
  for (const [index, ip] of ((spec.clusterIPs ?? []) as string[]).entries()) {
    if (ip === "None") break;
    if (index < families.length) continue;
    const family = familyOf(ip);
    if (configured.includes(family)) families.push(family);
    else
      causes.push(invalid(`spec.clusterIPs[${index}]`, spec.clusterIPs, `${family} is not configured on this cluster`));
  }
  if (causes.length > 0) return causes;
  if (!isHeadlessWithoutSelector) {
    if (spec.ipFamilyPolicy === "RequireDualStack" && configured.length < 2) {
      causes.push(
        invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, "this cluster is not configured for dual-stack services"),
      );
    }
    for (const [index, family] of families.entries()) {
      if (!configured.includes(family))
        causes.push(invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
    }
    if (causes.length > 0) return causes;
  }
  if (families.length === 0) families.push(configured[0]!);
  const wantsBoth = spec.ipFamilyPolicy !== singleStack && (isHeadlessWithoutSelector || configured.length === 2);
  if (families.length === 1 && wantsBoth) families.push(families[0] === "IPv4" ? "IPv6" : "IPv4");
  spec.ipFamilies = families;
  return [];
}

/** SingleStack says that the second of each goes; any other policy forbids to leave one out. */
function reduce(spec: any, before: any, policyMust: (text: string) => void): void {
  for (const [field, what] of [
    ["clusterIPs", "cluster IP"],
    ["ipFamilies", "IP family"],
  ] as const) {
    const now: string[] = spec[field] ?? [];
    const then: string[] = before[field] ?? [];
    if (spec.ipFamilyPolicy === singleStack) {
      if (isSame(now, then) && now.length > 1) spec[field] = now.slice(0, 1);
    } else if (now.length > 0 && now.length < then.length) {
      policyMust(`'SingleStack' to release the secondary ${what}`);
    }
  }
}

/** A PreferDualStack service that stays as it is is not upgraded when the cluster becomes dual-stack. */
export function isMatchingPreferDualStack(service: KubeObject, previous: KubeObject | undefined): boolean {
  const policy = "PreferDualStack";
  return (
    previous !== undefined &&
    service.spec.ipFamilyPolicy === policy &&
    service.spec.type === previous.spec.type &&
    service.spec.type !== "ExternalName" &&
    (previous.spec.ipFamilyPolicy ?? policy) === policy &&
    isSame(service.spec.clusterIPs, previous.spec.clusterIPs) &&
    isSame(service.spec.ipFamilies, previous.spec.ipFamilies)
  );
}

export function isSame(left: readonly string[] = [], right: readonly string[] = []): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
