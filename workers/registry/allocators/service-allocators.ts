import { invalid } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newInternalError, newInvalid } from "../../apimachinery/status-errors.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import type { RequestScope, Transaction } from "../strategy.ts";
import { initIpFamilyFields, isMatchingPreferDualStack } from "./init-ip-families.ts";
import { AllocationError, IpAllocator } from "./ip-allocator.ts";
import type { IpFamily } from "./ip-range.ts";
import { NodePortOperation } from "./node-port-allocator.ts";
import type { Owner } from "./reservations.ts";

const configured: readonly IpFamily[] = ["IPv4", "IPv6"];

/**
 * What a service gets and gives back: cluster IPs, node ports, the health check's node port. Changes the service; what was
 * reserved is kept by `commit` and given back by `revert`. Mirrors pkg/registry/core/service/storage/alloc.go (1.36).
 */
export function allocateCreate(service: KubeObject, scope: RequestScope): Promise<Transaction> {
  return new Allocation(service, undefined, scope).run(async (allocation) => {
    await allocation.clusterIPs();
    await allocation.createNodePorts();
  });
}

export function allocateUpdate(service: KubeObject, previous: KubeObject, scope: RequestScope): Promise<Transaction> {
  return new Allocation(service, previous, scope).run(async (allocation) => {
    await allocation.updateClusterIPs(previous);
    await allocation.updateNodePorts(previous);
  });
}

/** All that a deleted service had. */
export async function releaseAllocated(service: KubeObject, scope: RequestScope): Promise<void> {
  const owner = ownerOf(service);
  const ports = new NodePortOperation(scope, owner);
  for (const port of nodePortsOf(service)) ports.releaseDeferred(port);
  if (needsHealthCheck(service) && service.spec.healthCheckNodePort)
    ports.releaseDeferred(service.spec.healthCheckNodePort);
  const ips = new IpAllocator(scope);
  await settled(ports.commit(), ...clusterIPsOf(service).map((ip) => ips.release(ip, owner)));
}

class Allocation {
  readonly #service: KubeObject;
  readonly #spec: any;
  readonly #owner: Owner;
  readonly #ips: IpAllocator;
  readonly #ports: NodePortOperation;
  readonly #previous: KubeObject | undefined;
  readonly #allocated: string[] = [];
  readonly #released: string[] = [];

  constructor(service: KubeObject, previous: KubeObject | undefined, scope: RequestScope) {
    this.#service = service;
    this.#spec = service.spec;
    this.#previous = previous;
    this.#owner = ownerOf(service);
    this.#ips = new IpAllocator(scope);
    this.#ports = new NodePortOperation(scope, this.#owner);
  }

  async run(steps: (allocation: Allocation) => Promise<void>): Promise<Transaction> {
    const release = (ips: string[]) => ips.map((ip) => this.#ips.release(ip, this.#owner));
    const revert = () => settled(this.#ports.rollback(), ...release(this.#allocated));
    try {
      const causes = initIpFamilyFields(this.#service, this.#previous, configured);
      if (causes.length > 0) throw this.#invalid(causes);
      await steps(this);
    } catch (error) {
      await revert();
      throw error;
    }
    return { revert, commit: () => settled(this.#ports.commit(), ...release(this.#released)) };
  }

  /** One for each family that has none. */
  async clusterIPs(): Promise<void> {
    const spec = this.#spec;
    if (spec.type === "ExternalName" || spec.clusterIPs?.[0] === "None") return;
    const ips: string[] = [...(spec.clusterIPs ?? [])];
    for (const [index, family] of (spec.ipFamilies as IpFamily[]).entries())
      ips[index] = await this.#clusterIP(family, ips[index]);
    spec.clusterIPs = ips;
    spec.clusterIP = ips[0];
  }

  async #clusterIP(family: IpFamily, wanted: string | undefined): Promise<string> {
    try {
      if (wanted) await this.#ips.allocate(wanted, this.#owner);
      const ip = wanted || (await this.#ips.allocateNext(family, this.#owner));
      this.#allocated.push(ip);
      return ip;
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      if (!wanted) throw newInternalError(`failed to allocate a serviceIP: ${error.message}`);
      throw this.#invalid([
        invalid("spec.clusterIPs", this.#spec.clusterIPs, `failed to allocate IP ${wanted}: ${error.message}`),
      ]);
    }
  }

  async updateClusterIPs(previous: KubeObject): Promise<void> {
    const spec = this.#spec;
    const before = previous.spec;
    if (isMatchingPreferDualStack(this.#service, previous)) return;
    if (before.type === "ExternalName") {
      if (spec.type !== "ExternalName") await this.clusterIPs();
      return;
    }
    if (before.clusterIPs?.[0] === "None") return;
    if (spec.type === "ExternalName") {
      this.#released.push(...clusterIPsOf(previous));
      return;
    }
    const count = spec.ipFamilies?.length ?? 0;
    const countBefore = before.ipFamilies?.length ?? 0;
    if (countBefore === 1 && count === 2) {
      const second = await this.#clusterIP(spec.ipFamilies[1], spec.clusterIPs?.[1]);
      spec.clusterIPs = [...(spec.clusterIPs ?? []).slice(0, 1), second];
    } else if (countBefore === 2 && count === 1 && before.clusterIPs?.[1]) {
      this.#released.push(before.clusterIPs[1]);
    }
  }

  async createNodePorts(): Promise<void> {
    if (hasNodePorts(this.#spec.type)) await this.#initNodePorts();
    if (needsHealthCheck(this.#service)) await this.#allocateHealthCheck();
  }

  /** Entries of one port number (TCP and UDP) share their node port. */
  async #initNodePorts(): Promise<void> {
    const ports: any[] = this.#spec.ports ?? [];
    const known = new Map<number, number>();
    for (const [index, entry] of ports.entries()) {
      if (!entry.nodePort && !this.#allocatesNodePorts()) continue;
      const allocated = known.get(entry.port);
      if (allocated === undefined) {
        const requested: number = ports.find((other) => other.port === entry.port && other.nodePort)?.nodePort ?? 0;
        if (requested !== 0) await this.#nodePort(requested, index);
        entry.nodePort = requested || (await this.#nextNodePort());
        known.set(entry.port, entry.nodePort);
      } else if (!entry.nodePort) entry.nodePort = allocated;
      else if (entry.nodePort !== allocated) await this.#nodePort(entry.nodePort, index);
    }
  }

  async updateNodePorts(previous: KubeObject): Promise<void> {
    const old = nodePortsOf(previous);
    if (hasNodePorts(previous.spec.type) && !hasNodePorts(this.#spec.type))
      for (const port of old) this.#ports.releaseDeferred(port);
    if (hasNodePorts(this.#spec.type)) await this.#replaceNodePorts(old);
    const needed = needsHealthCheck(previous);
    const needs = needsHealthCheck(this.#service);
    if (!needed && needs) await this.#allocateHealthCheck();
    else if (needed && !needs && previous.spec.healthCheckNodePort)
      this.#ports.releaseDeferred(previous.spec.healthCheckNodePort);
  }

  async #replaceNodePorts(old: readonly number[]): Promise<void> {
    const seen = new Set<string>();
    const allocated = new Set<number>();
    for (const [index, entry] of ((this.#spec.ports ?? []) as any[]).entries()) {
      if (!entry.nodePort && !this.#allocatesNodePorts()) continue;
      if (!entry.nodePort) entry.nodePort = await this.#nextNodePort();
      else if (!old.includes(entry.nodePort) && !allocated.has(entry.nodePort)) {
        await this.#nodePort(entry.nodePort, index);
        allocated.add(entry.nodePort);
      }
      const key = `{${entry.protocol} ${entry.nodePort}}`;
      if (seen.has(key)) throw newInternalError(`duplicate nodePort: ${key}`);
      seen.add(key);
    }
    const now = nodePortsOf(this.#service);
    for (const port of old) if (!now.includes(port)) this.#ports.releaseDeferred(port);
  }

  async #nodePort(port: number, index: number): Promise<void> {
    try {
      await this.#ports.allocate(port);
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      throw this.#invalid([invalid(`spec.ports[${index}].nodePort`, port, error.message)]);
    }
  }

  async #nextNodePort(): Promise<number> {
    try {
      return await this.#ports.allocateNext();
    } catch (error) {
      throw error instanceof AllocationError
        ? newInternalError(`failed to allocate a nodePort: ${error.message}`)
        : error;
    }
  }

  async #allocateHealthCheck(): Promise<void> {
    const requested: number = this.#spec.healthCheckNodePort ?? 0;
    try {
      if (requested !== 0) await this.#ports.allocate(requested);
      else this.#spec.healthCheckNodePort = await this.#ports.allocateNext();
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      const what = requested === 0 ? "a HealthCheck NodePort 0" : `requested HealthCheck NodePort ${requested}`;
      throw newInternalError(`failed to allocate ${what}: ${error.message}`);
    }
  }

  #allocatesNodePorts(): boolean {
    return this.#spec.type === "NodePort" || this.#spec.allocateLoadBalancerNodePorts !== false;
  }

  #invalid(causes: InvalidCause[]) {
    return newInvalid({ group: "", kind: "Service" }, this.#service.metadata.name ?? "", causes);
  }
}

/** What cannot be given back now is found when someone asks for it; the write itself has been decided. */
async function settled(...releases: Promise<void>[]): Promise<void> {
  await Promise.allSettled(releases);
}

export function hasNodePorts(type: unknown): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

/** Mirrors NeedsHealthCheck of pkg/api/service. */
export function needsHealthCheck(service: KubeObject): boolean {
  return service.spec.type === "LoadBalancer" && service.spec.externalTrafficPolicy === "Local";
}

function nodePortsOf(service: KubeObject): number[] {
  return ((service.spec.ports ?? []) as any[]).map((entry) => entry.nodePort as number).filter(Boolean);
}

/** Of a headless or external service there are none. */
function clusterIPsOf(service: KubeObject): string[] {
  const { type, clusterIP, clusterIPs } = service.spec ?? {};
  if (type === "ExternalName") return [];
  const ips: string[] = clusterIPs ?? (clusterIP ? [clusterIP] : []);
  return ips[0] === "None" ? [] : ips.filter((ip) => ip !== "");
}

function ownerOf(service: KubeObject): Owner {
  return { namespace: service.metadata.namespace ?? "", name: service.metadata.name ?? "" };
}
