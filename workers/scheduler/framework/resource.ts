import { parseQuantity } from "../../apimachinery/quantity.ts";

/** Amounts that the scheduler computes with: CPU in millicores, the rest in units (bytes, devices). */
export class Resource {
  milliCPU = 0;
  memory = 0;
  ephemeralStorage = 0;
  /** Allocatable only: how many pods the node may hold. */
  allowedPodNumber = 0;
  /** Extended resources, hugepages, attachable volumes. Undefined while there are none. */
  scalars: Map<string, number> | undefined;

  static from(list: ResourceList | undefined): Resource {
    const resource = new Resource();
    if (list !== undefined) resource.addList(list);
    return resource;
  }

  addList(list: ResourceList): void {
    for (const name in list) this.addNamed(name, amountOf(name, list[name]!));
  }

  addNamed(name: string, amount: number): void {
    switch (name) {
      case "cpu":
        this.milliCPU += amount;
        break;
      case "memory":
        this.memory += amount;
        break;
      case "ephemeral-storage":
        this.ephemeralStorage += amount;
        break;
      case "pods":
        this.allowedPodNumber += amount;
        break;
      default:
        if (!isScalarResourceName(name)) return;
        this.scalars ??= new Map();
        this.scalars.set(name, (this.scalars.get(name) ?? 0) + amount);
    }
  }

  /** Adds (sign 1) or takes away (sign -1) another amount; pod numbers are not touched. */
  accumulate(other: Resource, sign: 1 | -1): void {
    this.milliCPU += sign * other.milliCPU;
    this.memory += sign * other.memory;
    this.ephemeralStorage += sign * other.ephemeralStorage;
    if (other.scalars === undefined) return;
    this.scalars ??= new Map();
    for (const [name, amount] of other.scalars) this.scalars.set(name, (this.scalars.get(name) ?? 0) + sign * amount);
  }

  clone(): Resource {
    const copy = new Resource();
    copy.accumulate(this, 1);
    copy.allowedPodNumber = this.allowedPodNumber;
    return copy;
  }
}

/** v1.ResourceList in JSON. */
export type ResourceList = Record<string, string | number>;

/** Amounts by resource name, in the units of {@link Resource}. */
export type Amounts = Map<string, number>;

/** Names that NodeInfo tracks besides cpu, memory, storage and pods. Mirrors v1helper.IsScalarResourceName. */
export function isScalarResourceName(name: string): boolean {
  return (
    name.startsWith("hugepages-") ||
    name.startsWith("attachable-volumes-") ||
    name.startsWith("kubernetes.io/") ||
    isExtendedResourceName(name)
  );
}

/** A domain-qualified name outside kubernetes.io. */
export function isExtendedResourceName(name: string): boolean {
  const slash = name.indexOf("/");
  if (slash < 0 || name.startsWith("requests.")) return false;
  const domain = name.slice(0, slash);
  return domain !== "kubernetes.io" && !domain.endsWith(".kubernetes.io");
}

const memoSize = 4096;
const memo = new Map<string, number>();

/** The amount of a quantity: millicores for cpu, units otherwise, rounded up. The memo of this pure function is bounded. */
export function amountOf(name: string, quantity: string | number): number {
  const milli = name === "cpu";
  const key = `${milli ? "m" : "u"}${quantity}`;
  const known = memo.get(key);
  if (known !== undefined) return known;
  const parsed = parseQuantity(quantity);
  const amount = Number(milli ? parsed.milliValue() : parsed.value());
  if (memo.size >= memoSize) memo.clear();
  memo.set(key, amount);
  return amount;
}
