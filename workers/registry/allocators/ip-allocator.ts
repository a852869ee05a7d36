import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { listPrefix } from "../../storage/keys.ts";
import type { RequestScope } from "../strategy.ts";
import { contains, familyOf, formatIp, parseIpRange, readIp } from "./ip-range.ts";
import type { IpFamily, IpRange } from "./ip-range.ts";
import { Reservations } from "./reservations.ts";
import type { Owner } from "./reservations.ts";

/** The cluster's own service ranges, the primary family first: spec.cidrs of the ServiceCIDR `kubernetes`. */
export const serviceCidrs = ["10.96.0.0/16", "fd00:10:96::/112"] as const;
const managedBy = "ipallocator.k8s.io";

const ownRanges: readonly IpRange[] = serviceCidrs.map((cidr) => parseIpRange(cidr)!);
const serviceCidrResource: GroupResource = { group: "networking.k8s.io", resource: "servicecidrs" };

export const ipAddresses: GroupResource = { group: "networking.k8s.io", resource: "ipaddresses" };

export function ipAddressLabels(name: string): Record<string, string> {
  return { "ipaddress.kubernetes.io/ip-family": familyOf(name), "ipaddress.kubernetes.io/managed-by": managedBy };
}

/** Why an address or a port cannot be had; the message is the client's. */
export class AllocationError extends Error {}

/** Random candidates that are tried before the taken ones are read. */
const probes = 8;

/**
 * Cluster IPs. Each address that is in use is an IPAddress object, named after it. Further ServiceCIDRs count when the
 * cluster's own ranges are full, or for an address that was asked for.
 * Mirrors pkg/registry/core/service/ipallocator ipallocator.go and cidrallocator.go (1.36).
 */
export class IpAllocator {
  readonly #scope: RequestScope;
  readonly #reservations: Reservations;

  constructor(scope: RequestScope) {
    this.#scope = scope;
    this.#reservations = new Reservations(scope, {
      resource: ipAddresses,
      labels: ipAddressLabels,
      isHeldBy: (service, name) => ((service.spec?.clusterIPs ?? []) as string[]).some((ip) => canonical(ip) === name),
    });
  }

  /** An address that was asked for. Throws AllocationError. */
  async allocate(text: string, owner: Owner): Promise<void> {
    const ip = readIp(text);
    const isInside = ip !== undefined && ((r: readonly IpRange[]) => r.some((range) => contains(range, ip)));
    if (!isInside || (!isInside(ownRanges) && !isInside(await this.#furtherRanges()))) {
      throw new AllocationError("the provided network does not match the current range");
    }
    const name = canonical(text);
    const free = this.#scope.dryRun
      ? !(await this.#reservations.has(name))
      : await this.#reservations.takeOver(name, owner);
    if (!free) throw new AllocationError("provided IP is already allocated");
  }

  /** Any address of a family. Throws AllocationError. */
  async allocateNext(family: IpFamily, owner: Owner): Promise<string> {
    const own = ownRanges.filter((range) => range.family === family);
    // A dry run reserves nothing and cannot know what the real one would get.
    if (this.#scope.dryRun) return formatIp(family, own[0]!.first - 1n);
    const found = await this.#fromRanges(own, owner);
    if (found !== undefined) return found;
    const further = (await this.#furtherRanges()).filter((range) => range.family === family);
    const last = await this.#fromRanges(further, owner);
    if (last === undefined) throw new AllocationError("range is full");
    return last;
  }

  async release(text: string, owner: Owner): Promise<void> {
    if (!this.#scope.dryRun) await this.#reservations.release(canonical(text), owner);
  }

  async #fromRanges(ranges: readonly IpRange[], owner: Owner): Promise<string | undefined> {
    for (const range of ranges) {
      for (let probe = 0; probe < probes && range.dynamicFirst <= range.last; probe++) {
        const name = formatIp(range.family, this.#pick(range.dynamicFirst, range.last));
        if (await this.#reservations.take(name, owner)) return name;
      }
    }
    if (ranges.length === 0) return undefined;
    const taken = await this.#reservations.taken();
    for (const range of ranges) {
      for (const [first, last] of [
        [range.dynamicFirst, range.last],
        [range.first, range.dynamicFirst - 1n],
      ] as const) {
        if (first > last) continue;
        const start = this.#pick(first, last);
        for (let step = 0n; step <= last - first; step++) {
          const name = formatIp(range.family, first + ((start - first + step) % (last - first + 1n)));
          if (!taken.has(name) && (await this.#reservations.take(name, owner))) return name;
        }
      }
    }
    return undefined;
  }

  /** Between the two, both included. */
  #pick(first: bigint, last: bigint): bigint {
    const size = last - first + 1n;
    const largest = 1n << 32n;
    return first + BigInt(Math.floor(this.#scope.random() * Number(size < largest ? size : largest)));
  }

  /** Of the ServiceCIDRs that are ready and not being deleted. */
  async #furtherRanges(): Promise<IpRange[]> {
    const list = await this.#scope.storage.for(serviceCidrResource).list({ prefix: listPrefix(serviceCidrResource) });
    const objects = JSON.parse(`[${await list.text()}]`) as KubeObject[];
    return objects
      .filter((object) => object.metadata.deletionTimestamp === undefined && isReady(object))
      .flatMap((object) => (object.spec?.cidrs ?? []) as string[])
      .filter((cidr) => !(serviceCidrs as readonly string[]).includes(cidr))
      .map(parseIpRange)
      .filter((range) => range !== undefined);
  }
}

/** Without the condition it counts as ready, as upstream where no controller runs. */
function isReady(serviceCidr: KubeObject): boolean {
  const condition = (serviceCidr.status?.conditions ?? []).find(({ type }: { type: string }) => type === "Ready");
  return condition === undefined || condition.status === "True";
}

function canonical(text: string): string {
  const ip = readIp(text);
  return ip === undefined ? text : formatIp(ip.family, ip.address);
}
