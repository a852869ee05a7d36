/**
 * Equal parts of an IPv4 range, handed out in turn. Mirrors pkg/controller/nodeipam/ipam/cidrset (1.36).
 */
export class CIDRSet {
  readonly #base: number;
  readonly #partBits: number;
  readonly #maskSize: number;
  readonly #used = new Set<number>();
  readonly #count: number;
  #next = 0;

  /** Throws for a range that is no IPv4 CIDR or smaller than its parts. */
  constructor(clusterCIDR: string, nodeMaskSize: number) {
    const { address, maskSize } = parseCIDR(clusterCIDR);
    if (nodeMaskSize < maskSize || nodeMaskSize > 32) {
      throw new Error(`a /${nodeMaskSize} does not fit into cluster CIDR ${clusterCIDR}`);
    }
    this.#base = address;
    this.#maskSize = nodeMaskSize;
    this.#partBits = 32 - nodeMaskSize;
    this.#count = 2 ** (nodeMaskSize - maskSize);
  }

  /** The next free part; undefined when all are taken. */
  allocateNext(): string | undefined {
    if (this.#used.size >= this.#count) return undefined;
    while (this.#used.has(this.#next)) this.#next = (this.#next + 1) % this.#count;
    const index = this.#next;
    this.#used.add(index);
    this.#next = (index + 1) % this.#count;
    return formatCIDR(this.#base + index * 2 ** this.#partBits, this.#maskSize);
  }

  occupy(cidr: string): void {
    const index = this.#indexOf(cidr);
    if (index !== undefined) this.#used.add(index);
  }

  release(cidr: string): void {
    const index = this.#indexOf(cidr);
    if (index !== undefined) this.#used.delete(index);
  }

  /** Undefined for what is not a part of this range. */
  #indexOf(cidr: string): number | undefined {
    let parsed: { address: number; maskSize: number };
    try {
      parsed = parseCIDR(cidr);
    } catch {
      return undefined;
    }
    const index = (parsed.address - this.#base) / 2 ** this.#partBits;
    const isPart = parsed.maskSize === this.#maskSize && Number.isInteger(index) && index >= 0 && index < this.#count;
    return isPart ? index : undefined;
  }
}

function parseCIDR(text: string): { address: number; maskSize: number } {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  const numbers = match?.slice(1).map(Number) ?? [];
  if (match === null || numbers.slice(0, 4).some((part) => part > 255) || numbers[4]! > 32) {
    throw new Error(`invalid CIDR address: ${text}`);
  }
  const [a, b, c, d, maskSize] = numbers as [number, number, number, number, number];
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const size = 2 ** (32 - maskSize);
  return { address: Math.floor(address / size) * size, maskSize };
}

function formatCIDR(address: number, maskSize: number): string {
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256);
  return `${parts.join(".")}/${maskSize}`;
}
