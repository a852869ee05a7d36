import { deepEqual } from "../../apimachinery/deep-equal.ts";
import { hasNodePorts, needsHealthCheck } from "../allocators/service-allocators.ts";
import { isSame } from "../allocators/init-ip-families.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";

/**
 * How the fields that the registry allocates follow from what the client left out. Mirrors normalizeClusterIPs and
 * patchAllocatedValues of pkg/registry/core/service/storage/storage.go and dropTypeDependentFields of
 * pkg/registry/core/service/strategy.go (1.36).
 */
export function normalizeClusterIPs(service: KubeObject, previous: KubeObject | undefined): void {
  const spec = service.spec;
  if (previous === undefined) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const before = previous.spec;
  if ((spec.clusterIP ?? "") === (before.clusterIP ?? "") || !isSame(spec.clusterIPs, before.clusterIPs)) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

/** A client that leaves out what has been allocated keeps it. */
export function patchAllocatedValues(service: KubeObject, previous: KubeObject): void {
  const spec = service.spec;
  const before = previous.spec;
  if (hasClusterIP(spec.type) && hasClusterIP(before.type)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (!spec.clusterIPs?.length && spec.clusterIP === before.clusterIP && before.clusterIPs)
      spec.clusterIPs = before.clusterIPs;
  }
  if (hasNodePorts(spec.type) && hasNodePorts(before.type)) {
    const used = new Set<number>((spec.ports ?? []).map((port: any) => port.nodePort).filter(Boolean));
    const byName = new Map<string, number>((before.ports ?? []).map((port: any) => [port.name ?? "", port.nodePort]));
    for (const port of spec.ports ?? []) {
      const known = byName.get(port.name ?? "");
      if (port.nodePort || !known || used.has(known)) continue;
      port.nodePort = known;
      used.add(known);
    }
  }
  if (needsHealthCheck(service) && needsHealthCheck(previous) && before.healthCheckNodePort) {
    spec.healthCheckNodePort ||= before.healthCheckNodePort;
  }
}

/** What the type no longer has goes, unless the client changed it: then validation speaks. */
export function dropTypeDependentFields(service: KubeObject, previous: KubeObject): void {
  const spec = service.spec;
  const before = previous.spec;
  const drop = (needs: (service: KubeObject) => boolean, ...fields: string[]) => {
    if (!needs(previous) || needs(service)) return;
    for (const field of fields) if (deepEqual(spec[field], before[field])) delete spec[field];
  };
  if (hasClusterIP(before.type) && !hasClusterIP(spec.type) && isSame(spec.clusterIPs, before.clusterIPs))
    delete spec.clusterIP;
  drop((object) => hasClusterIP(object.spec.type), "clusterIPs", "ipFamilies", "ipFamilyPolicy");
  if (hasNodePorts(before.type) && !hasNodePorts(spec.type) && deepEqual(nodePorts(spec), nodePorts(before))) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  drop(needsHealthCheck, "healthCheckNodePort");
  drop((object) => object.spec.type === "LoadBalancer", "allocateLoadBalancerNodePorts", "loadBalancerClass");
  drop(needsExternalTrafficPolicy, "externalTrafficPolicy");
}

export function hasClusterIP(type: unknown): boolean {
  return type === undefined || type === "ClusterIP" || type === "NodePort" || type === "LoadBalancer";
}

function needsExternalTrafficPolicy({ spec }: KubeObject): boolean {
  return hasNodePorts(spec.type) || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);
}

/** As a set of the ports that have one. */
function nodePorts(spec: any): number[] {
  return [...new Set<number>((spec.ports ?? []).map((port: any) => port.nodePort ?? 0))].sort((a, b) => a - b);
}
