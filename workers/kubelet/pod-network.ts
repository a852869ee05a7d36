import type { PodNetwork } from "./cri/simulated-runtime.ts";

/**
 * Addresses of one node's pods out of its pod CIDR, round robin like the host-local IPAM plugin: an address that was
 * given back is the last to be used again. The network address, the gateway (.1) and the broadcast address are never
 * given. IPv4 only.
 */
export class PodAddresses implements PodNetwork {
  readonly #cidr: () => string;
  readonly #bySandbox = new Map<string, string[]>();
  readonly #held = new Set<string>();
  #last: number | undefined;

  /** The CIDR may be assigned late; it is asked for at each allocation. */
  constructor(cidr: () => string) {
    this.#cidr = cidr;
  }

  allocate(sandboxId: string): string[] {
    const { first, count } = parseCidr(this.#cidr());
    const usable = count - 3;
    let offset =
      this.#last === undefined || this.#last - first < 2 || this.#last - first >= count ? 1 : this.#last - first;
    for (let tried = 0; tried < usable; tried++) {
      offset = offset + 1 > count - 2 ? 2 : offset + 1;
      const ip = formatAddress(first + offset);
      if (this.#held.has(ip)) continue;
      this.#last = first + offset;
      this.hold(sandboxId, [ip]);
      return [ip];
    }
    throw new Error(`failed to allocate for range 0: no IP addresses available in range set: ${this.#cidr()}`);
  }

  release(sandboxId: string): void {
    for (const ip of this.#bySandbox.get(sandboxId) ?? []) this.#held.delete(ip);
    this.#bySandbox.delete(sandboxId);
  }

  hold(sandboxId: string, ips: string[]): void {
    if (ips.length === 0) return;
    this.#bySandbox.set(sandboxId, ips);
    for (const ip of ips) {
      this.#held.add(ip);
      const address = parseAddress(ip);
      if (address !== undefined && (this.#last === undefined || address > this.#last)) this.#last = address;
    }
  }
}

/** The pod CIDR of the node with this index while the node has none in its spec. */
export function defaultPodCidr(index: number): string {
  return `10.${244 + ((index >> 8) % 12)}.${index & 255}.0/24`;
}

/** The internal address of the node with this index. */
export function nodeAddress(index: number): string {
  const host = index + 2;
  return `172.${18 + ((host >> 16) % 14)}.${(host >> 8) & 255}.${host & 255}`;
}

function parseCidr(cidr: string): { first: number; count: number } {
  const [address, length] = cidr.split("/");
  const bits = Number(length);
  const first = parseAddress(address ?? "");
  if (first === undefined || !(bits >= 8 && bits <= 30)) throw new Error(`invalid CIDR address: ${cidr}`);
  const count = 2 ** (32 - bits);
  return { first: first - (first % count), count };
}

function parseAddress(text: string): number | undefined {
  const parts = text.split(".").map(Number);
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255))) return undefined;
  return parts.reduce((value, part) => value * 256 + part, 0);
}

function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}
