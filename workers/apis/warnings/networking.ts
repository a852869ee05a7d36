import type { KubeObject } from "../../apimachinery/meta.ts";
import { quote } from "../../apimachinery/quote.ts";
import { isSet, listOf, textOf } from "../validation/checks.ts";
import { warningsForCidr, warningsForIp } from "./ip.ts";

const topologyHints = "service.kubernetes.io/topology-aware-hints";
const ingressClass = "kubernetes.io/ingress.class";

/** Mirrors pkg/api/service/warnings.go (1.36). */
export function warningsForService({ metadata, spec = {} }: KubeObject): string[] {
  const warnings: string[] = [];
  if (isSet(metadata.annotations?.[topologyHints])) {
    warnings.push(`annotation ${topologyHints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  }
  const externalIps = listOf(spec.externalIPs);
  const isExternalName = spec.type === "ExternalName";
  const isHeadless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  if (textOf(spec.clusterIP) !== "" && spec.clusterIP !== "None") {
    for (const [index, ip] of listOf(spec.clusterIPs).entries()) {
      warnings.push(...warningsForIp(`spec.clusterIPs[${index}]`, textOf(ip)));
    }
  }
  if (isHeadless) {
    if (textOf(spec.loadBalancerIP) !== "") warnings.push("spec.loadBalancerIP is ignored for headless services");
    if (externalIps.length > 0) warnings.push("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity !== "None") warnings.push("spec.SessionAffinity is ignored for headless services");
  }
  for (const [index, ip] of externalIps.entries()) {
    warnings.push(...warningsForIp(`spec.externalIPs[${index}]`, textOf(ip)));
  }
  if (externalIps.length > 0 && !isHeadless && !isExternalName) {
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (textOf(spec.loadBalancerIP) !== "") warnings.push(...warningsForIp("spec.loadBalancerIP", spec.loadBalancerIP));
  for (const [index, cidr] of listOf(spec.loadBalancerSourceRanges).entries()) {
    warnings.push(...warningsForCidr(`spec.loadBalancerSourceRanges[${index}]`, textOf(cidr)));
  }
  if (isExternalName && externalIps.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (!isExternalName && textOf(spec.externalName) !== "") {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === "PreferClose") {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}

/** Mirrors WarningsOnCreate of pkg/registry/networking/ingress/strategy.go (1.36). */
export function warningsForNewIngress({ metadata, spec }: KubeObject): string[] {
  if (!isSet(metadata.annotations?.[ingressClass]) || isSet(spec?.ingressClassName)) return [];
  return [`annotation ${quote(ingressClass)} is deprecated, please use 'spec.ingressClassName' instead`];
}

/** Mirrors networkPolicyWarnings of pkg/registry/networking/networkpolicy/strategy.go (1.36). */
export function warningsForNetworkPolicy({ spec }: KubeObject): string[] {
  const ofPeers = (peers: unknown, path: string) =>
    listOf(peers).flatMap(({ ipBlock }, index) =>
      isSet(ipBlock)
        ? [
            ...warningsForCidr(`${path}[${index}].ipBlock.cidr`, textOf(ipBlock.cidr)),
            ...listOf(ipBlock.except).flatMap((cidr, position) =>
              warningsForCidr(`${path}[${index}].ipBlock.except[${position}]`, textOf(cidr)),
            ),
          ]
        : [],
    );
  return [
    ...listOf(spec?.ingress).flatMap((rule, index) => ofPeers(rule.from, `spec.ingress[${index}].from`)),
    ...listOf(spec?.egress).flatMap((rule, index) => ofPeers(rule.to, `spec.egress[${index}].to`)),
  ];
}

/** Mirrors pkg/registry/discovery/endpointslice/strategy.go (1.36). */
export function warningsForEndpointSlice(slice: KubeObject): string[] {
  if (slice["addressType"] === "FQDN") return ["spec.addressType: FQDN endpoints are deprecated"];
  // What the control plane's own controller writes is in the right form.
  if (slice.metadata.labels?.["endpointslice.kubernetes.io/managed-by"] === "endpointslice-controller.k8s.io")
    return [];
  return listOf(slice["endpoints"]).flatMap((endpoint, index) =>
    listOf(endpoint.addresses).flatMap((ip, position) =>
      warningsForIp(`endpoints[${index}].addresses[${position}]`, textOf(ip)),
    ),
  );
}

/** Mirrors endpointsWarnings of pkg/registry/core/endpoint/strategy.go (1.36). */
export function warningsForEndpoints(endpoints: KubeObject): string[] {
  if (endpoints.metadata.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller") return [];
  return listOf(endpoints["subsets"]).flatMap((subset, index) =>
    ["addresses", "notReadyAddresses"].flatMap((list) =>
      listOf(subset[list]).flatMap(({ ip }, position) =>
        warningsForIp(`subsets[${index}].${list}[${position}].ip`, textOf(ip)),
      ),
    ),
  );
}
