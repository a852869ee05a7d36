import { duplicate, invalid, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newInternalError } from "../../apimachinery/status-errors.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { isValidPortNum } from "../../apimachinery/validation-names.ts";
import { encodeObject } from "../../storage/encode-object.ts";
import { isStorageError } from "../../storage/errors.ts";
import { objectKey } from "../../storage/keys.ts";
import { formatTime } from "../../apimachinery/clock.ts";
import type { RequestScope, Strategy } from "../strategy.ts";

const ipAddresses = { group: "networking.k8s.io", resource: "ipaddresses" };
const nodePorts = { first: 30_000, last: 32_767 };

/**
 * Services get their cluster IP from 10.96.0.0/16 by creating the IPAddress object of that name: the store's own
 * uniqueness is the allocator, so that no address is given twice under concurrency. Mirrors
 * pkg/registry/core/service/ipallocator (1.36) for one IPv4 range.
 */
export const serviceStrategy: Strategy = {
  generation: false,
  allowCreateOnUpdate: true,
  returnDeletedObject: true,
  prepareForCreate(service) {
    service.status = { loadBalancer: {} };
  },
  validate: validateService,
  async beginCreate(service, scope) {
    const spec = service.spec;
    if (spec.type === "ExternalName") return async () => {};
    spec.ipFamilies ??= ["IPv4"];
    spec.ipFamilyPolicy ??= "SingleStack";
    assignNodePorts(service, scope);
    if (spec.clusterIP === "None") {
      spec.clusterIPs = ["None"];
      return async () => {};
    }
    const address = await reserve(service, scope);
    spec.clusterIP = address;
    spec.clusterIPs = [address];
    return () => release(address, scope);
  },
  prepareForUpdate(service, previous, scope) {
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]) {
      service.spec[field] ??= previous.spec[field];
      if (service.spec[field] === undefined) delete service.spec[field];
    }
    for (const port of service.spec.ports ?? []) {
      port.nodePort ??= (previous.spec.ports ?? []).find(
        (before: any) => before.port === port.port && before.protocol === port.protocol,
      )?.nodePort;
      if (port.nodePort === undefined) delete port.nodePort;
    }
    assignNodePorts(service, scope);
  },
  validateUpdate(service, previous, scope) {
    const causes = validateService(service, scope);
    const before = previous.spec.clusterIP;
    if (before && before !== "None" && service.spec.clusterIP !== before && service.spec.type !== "ExternalName") {
      causes.push(invalid("spec.clusterIPs[0]", service.spec.clusterIPs?.[0] ?? service.spec.clusterIP, "may not change once set"));
    }
    return causes;
  },
  async afterDelete(service, scope) {
    const address = service.spec?.clusterIP;
    if (address && address !== "None") await release(address, scope);
  },
};

function validateService(service: KubeObject, _scope: RequestScope): InvalidCause[] {
  const spec = service.spec ?? {};
  const causes: InvalidCause[] = [];
  const ports: any[] = spec.ports ?? [];
  if (ports.length === 0 && spec.clusterIP !== "None" && spec.type !== "ExternalName") causes.push(required("spec.ports"));
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const field = `spec.ports[${index}]`;
    if (ports.length > 1 && !port.name) causes.push(required(`${field}.name`));
    if (port.name && seen.has(port.name)) causes.push(duplicate(`${field}.name`, port.name));
    seen.add(port.name);
    for (const text of isValidPortNum(port.port ?? 0)) causes.push(invalid(`${field}.port`, port.port ?? 0, text));
  }
  if (spec.type === "ExternalName" && !spec.externalName) causes.push(required("spec.externalName"));
  return causes;
}

function assignNodePorts(service: KubeObject, scope: RequestScope): void {
  const { type, ports = [] } = service.spec;
  if (type !== "NodePort" && type !== "LoadBalancer") return;
  if (type === "LoadBalancer" && service.spec.allocateLoadBalancerNodePorts === false) return;
  const used = new Set(ports.map((port: any) => port.nodePort));
  for (const port of ports) {
    while (!port.nodePort) {
      const candidate = nodePorts.first + Math.floor(scope.random() * (nodePorts.last - nodePorts.first + 1));
      if (!used.has(candidate)) port.nodePort = candidate;
      used.add(candidate);
    }
  }
}

const attempts = 32;

async function reserve(service: KubeObject, scope: RequestScope): Promise<string> {
  const storage = scope.storage.for(ipAddresses);
  const wanted: string | undefined = service.spec.clusterIP || undefined;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const host = 1 + Math.floor(scope.random() * 65_534);
    const address = wanted ?? `10.96.${host >> 8}.${host & 255}`;
    if (address === "10.96.0.1" && wanted === undefined) continue;
    const object: KubeObject = {
      metadata: {
        name: address,
        uid: crypto.randomUUID(),
        creationTimestamp: formatTime(scope.clock.now()),
        labels: { "ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" },
      },
      spec: { parentRef: { resource: "services", namespace: scope.namespace, name: service.metadata.name } },
    };
    if (scope.dryRun) return address;
    try {
      await storage.create(objectKey(ipAddresses, undefined, address), encodeObject(object));
      return address;
    } catch (error) {
      if (!isStorageError(error, "KeyExists")) throw error;
      if (wanted !== undefined) {
        throw newInternalError(`failed to allocate IP ${wanted}: provided IP is already allocated`);
      }
    }
  }
  throw newInternalError("failed to allocate a serviceIP: range is full");
}

async function release(address: string, scope: RequestScope): Promise<void> {
  if (scope.dryRun) return;
  const storage = scope.storage.for(ipAddresses);
  const key = objectKey(ipAddresses, undefined, address);
  const stored = await storage.get(key);
  if (stored === undefined) return;
  try {
    await storage.delete(key, encodeObject(JSON.parse(stored.value) as KubeObject), stored.revision);
  } catch (error) {
    if (!isStorageError(error, "KeyNotFound") && !isStorageError(error, "RevisionConflict")) throw error;
  }
}
