import { duplicate, forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import {
  dnsLabel,
  dnsSubdomain,
  isSet,
  listOf,
  numberOf,
  qualifiedName,
  requiredEnum,
  supportedEnum,
  textOf,
} from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateCidr, validateIp, validateNonSpecialIp, parseIp } from "./ip.ts";
import { validateLabels } from "./label-selector.ts";
import { protocols, validatePortNum, validatePortNumOrName } from "./ports.ts";
import { isHeadless, validateClusterIps, validateClusterIpsUpdate } from "./service-ips.ts";

/** Mirrors ValidateService of pkg/apis/core/validation (1.36). Addresses may be allocated afterwards. */
const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const maxClientIpSeconds = 86_400;
const sourceRangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";
const topologyMode = "service.kubernetes.io/topology-mode";
const topologyHints = "service.kubernetes.io/topology-aware-hints";

export function validateService(service: KubeObject, causes: Causes): void {
  const spec = service.spec ?? {};
  const annotations = service.metadata.annotations ?? {};
  const mode = annotations[topologyMode];
  if (mode !== undefined && annotations[topologyHints] !== undefined && mode !== annotations[topologyHints]) {
    const field = `metadata.annotations[${topologyMode}]`;
    causes.push(invalid(field, mode, `must match annotations[${topologyHints}] when both are specified`));
  }
  const ports = listOf(spec.ports);
  const headless = isHeadless(spec);
  if (ports.length === 0 && !headless && spec.type !== "ExternalName") causes.push(required("spec.ports"));
  if (headless && (spec.type === "LoadBalancer" || spec.type === "NodePort")) {
    causes.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${spec.type} services`));
  }
  if (spec.type === "ExternalName") validateExternalName(spec, causes);
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    validateServicePort(port, ports.length > 1, names, `spec.ports[${index}]`, causes);
  }
  validateLabels(spec.selector, "spec.selector", causes);
  validateSessionAffinity(spec, causes);
  validateClusterIps(spec, causes);
  for (const [index, ip] of listOf(spec.externalIPs).entries()) {
    if (validateIp(ip, `spec.externalIPs[${index}]`, causes))
      validateNonSpecialIp(ip, `spec.externalIPs[${index}]`, causes);
  }
  requiredEnum(spec.type, types, "spec.type", causes);
  validatePortConflicts(spec, ports, causes);
  validateLoadBalancerFields(spec, annotations, causes);
  validateTrafficPolicies(spec, causes);
}

function validateExternalName(spec: any, causes: Causes): void {
  const detail = "may not be set for ExternalName services";
  if (listOf(spec.clusterIPs).length > 0) causes.push(forbidden("spec.clusterIPs", detail));
  if (listOf(spec.ipFamilies).length > 0) causes.push(forbidden("spec.ipFamilies", detail));
  if (isSet(spec.ipFamilyPolicy)) causes.push(forbidden("spec.ipFamilyPolicy", detail));
  const name = textOf(spec.externalName).replace(/\.$/, "");
  if (name) dnsSubdomain(name, "spec.externalName", causes);
  else causes.push(required("spec.externalName"));
}

function validateServicePort(port: any, requireName: boolean, names: Set<string>, path: string, causes: Causes): void {
  if (port.name) {
    dnsLabel(port.name, `${path}.name`, causes);
    if (names.has(port.name)) causes.push(duplicate(`${path}.name`, port.name));
    names.add(port.name);
  } else if (requireName) causes.push(required(`${path}.name`));
  validatePortNum(port.port, `${path}.port`, causes);
  requiredEnum(port.protocol, protocols, `${path}.protocol`, causes);
  validatePortNumOrName(port.targetPort, `${path}.targetPort`, causes);
  if (isSet(port.appProtocol)) qualifiedName(port.appProtocol, `${path}.appProtocol`, causes);
}

function validateSessionAffinity(spec: any, causes: Causes): void {
  const { sessionAffinity, sessionAffinityConfig: config } = spec;
  const path = "spec.sessionAffinityConfig";
  requiredEnum(sessionAffinity, ["ClientIP", "None"], "spec.sessionAffinity", causes);
  if (sessionAffinity === "None" && config) {
    causes.push(forbidden(path, "must not be set when session affinity is None"));
  }
  if (sessionAffinity !== "ClientIP") return;
  const detail = "when session affinity type is ClientIP";
  if (!config) return void causes.push(required(path, detail));
  if (!config.clientIP) return void causes.push(required(`${path}.clientIP`, detail));
  const seconds = config.clientIP.timeoutSeconds;
  if (!isSet(seconds)) return void causes.push(required(`${path}.clientIP.timeoutSeconds`, detail));
  if (seconds <= 0 || seconds > maxClientIpSeconds) {
    causes.push(
      invalid(`${path}.clientIP.timeoutSeconds`, seconds, `must be greater than 0 and less than ${maxClientIpSeconds}`),
    );
  }
}

function validatePortConflicts(spec: any, ports: any[], causes: Causes): void {
  const nodePorts = new Set<string>();
  const taken = new Set<string>();
  if (spec.type === "ClusterIP") {
    for (const [index, port] of ports.entries()) {
      if (port.nodePort)
        causes.push(forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    }
  }
  for (const [index, { protocol, nodePort }] of ports.entries()) {
    if (!nodePort) continue;
    if (nodePorts.has(`${protocol}/${nodePort}`)) causes.push(duplicate(`spec.ports[${index}].nodePort`, nodePort));
    nodePorts.add(`${protocol}/${nodePort}`);
  }
  for (const [index, { protocol, port }] of ports.entries()) {
    if (taken.has(`${protocol}/${port}`)) {
      const shown = {
        Name: "",
        Protocol: textOf(protocol),
        AppProtocol: null,
        Port: numberOf(port),
        TargetPort: 0,
        NodePort: 0,
      };
      causes.push(duplicate(`spec.ports[${index}]`, shown));
    }
    taken.add(`${protocol}/${port}`);
  }
}

function validateLoadBalancerFields(spec: any, annotations: Record<string, string>, causes: Causes): void {
  const balanced = spec.type === "LoadBalancer";
  const detail = "may only be used when `type` is 'LoadBalancer'";
  const ranges = listOf(spec.loadBalancerSourceRanges);
  const annotated = annotations[sourceRangesAnnotation];
  if (ranges.length > 0) {
    if (!balanced) causes.push(forbidden("spec.LoadBalancerSourceRanges", detail));
    for (const [index, range] of ranges.entries()) {
      validateCidr(textOf(range).trim(), `spec.LoadBalancerSourceRanges[${index}]`, causes);
    }
  } else if (annotated !== undefined) {
    const field = `metadata.annotations[${sourceRangesAnnotation}]`;
    if (!balanced) causes.push(forbidden(field, detail));
    if (annotated.trim() !== "") for (const range of annotated.split(",")) validateCidr(range.trim(), field, causes);
  }
  if (isSet(spec.allocateLoadBalancerNodePorts) && !balanced) {
    causes.push(forbidden("spec.allocateLoadBalancerNodePorts", detail));
  }
  if (balanced && !isSet(spec.allocateLoadBalancerNodePorts)) causes.push(required("allocateLoadBalancerNodePorts"));
  if (!isSet(spec.loadBalancerClass)) return;
  if (balanced) qualifiedName(spec.loadBalancerClass, "spec.loadBalancerClass", causes);
  else causes.push(forbidden("spec.loadBalancerClass", detail));
}

function isExternallyAccessible(spec: any): boolean {
  const { type } = spec;
  return (
    type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && listOf(spec.externalIPs).length > 0)
  );
}

function needsHealthCheck(spec: any): boolean {
  return spec?.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}

function validateTrafficPolicies(spec: any, causes: Causes): void {
  const external = textOf(spec.externalTrafficPolicy);
  if (isExternallyAccessible(spec)) {
    requiredEnum(external, ["Cluster", "Local"], "spec.externalTrafficPolicy", causes);
  } else if (external) {
    causes.push(invalid("spec.externalTrafficPolicy", external, "may only be set for externally-accessible services"));
  }
  if (spec.healthCheckNodePort) {
    if (needsHealthCheck(spec)) validatePortNum(spec.healthCheckNodePort, "spec.healthCheckNodePort", causes);
    else {
      causes.push(
        invalid(
          "spec.healthCheckNodePort",
          spec.healthCheckNodePort,
          "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        ),
      );
    }
  }
  if (isSet(spec.internalTrafficPolicy)) {
    supportedEnum(spec.internalTrafficPolicy, ["Cluster", "Local"], "spec.internalTrafficPolicy", causes);
  } else if (spec.type === "NodePort" || spec.type === "LoadBalancer" || spec.type === "ClusterIP") {
    causes.push(required("spec.internalTrafficPolicy"));
  }
  if (isSet(spec.trafficDistribution)) {
    const supported = ["PreferClose", "PreferSameNode", "PreferSameZone"];
    supportedEnum(spec.trafficDistribution, supported, "spec.trafficDistribution", causes);
  }
}

/** What an update may not change besides addresses. Mirrors the rest of ValidateServiceUpdate. */
function validateServiceFieldsUpdate(spec: any, before: any, causes: Causes): void {
  if (spec.type === "LoadBalancer" && before.type === "LoadBalancer") {
    if ((spec.loadBalancerClass ?? undefined) !== (before.loadBalancerClass ?? undefined)) {
      causes.push(invalid("spec.loadBalancerClass", spec.loadBalancerClass, "may not change once set"));
    }
  }
  if (needsHealthCheck(before) && needsHealthCheck(spec) && spec.healthCheckNodePort !== before.healthCheckNodePort) {
    causes.push(forbidden("spec.healthCheckNodePort", "field is immutable"));
  }
}

/** Mirrors ValidateServiceStatusUpdate. */
export function validateServiceStatusUpdate(service: KubeObject, _previous: KubeObject, causes: Causes): void {
  const path = "status.loadBalancer.ingress";
  const entries = listOf(service.status?.loadBalancer?.ingress);
  if (entries.length > 0 && service.spec?.type !== "LoadBalancer") {
    return void causes.push(forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'"));
  }
  for (const [index, entry] of entries.entries()) {
    const field = `${path}[${index}]`;
    if (entry.ip) validateIp(entry.ip, `${field}.ip`, causes);
    if (isSet(entry.ipMode)) {
      if (!entry.ip) causes.push(forbidden(`${field}.ipMode`, "may not be specified when `ip` is not set"));
      else if (entry.ipMode !== "VIP" && entry.ipMode !== "Proxy") {
        causes.push(notSupported(`${field}.ipMode`, entry.ipMode, ["Proxy", "VIP"]));
      }
    } else if (entry.ip) causes.push(required(`${field}.ipMode`, "must be specified when `ip` is set"));
    if (entry.hostname) {
      dnsSubdomain(entry.hostname, `${field}.hostname`, causes);
      if (parseIp(entry.hostname) !== undefined) {
        causes.push(invalid(`${field}.hostname`, entry.hostname, "must be a DNS name, not an IP address"));
      }
    }
  }
}

/** Mirrors ValidateServiceUpdate. */
export function validateServiceUpdate(service: KubeObject, previous: KubeObject, causes: Causes): void {
  const spec = service.spec ?? {};
  const before = previous.spec ?? {};
  validateClusterIpsUpdate(spec, before, causes);
  validateServiceFieldsUpdate(spec, before, causes);
  validateService(service, causes);
}
