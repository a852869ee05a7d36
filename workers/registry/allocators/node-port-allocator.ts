import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { RequestScope } from "../strategy.ts";
import { AllocationError } from "./ip-allocator.ts";
import { Reservations } from "./reservations.ts";
import type { Owner } from "./reservations.ts";

/** --service-node-port-range, both ends included. */
export const nodePortRange = { first: 30_000, last: 32_767 };

/** Not in the catalog: no client can see it. */
export const nodePorts: GroupResource = { group: "", resource: "servicenodeports" };

const size = nodePortRange.last - nodePortRange.first + 1;
/** Below it are the ports that are left for static requests while there is room above: 30000–30085. */
const dynamicFirst = nodePortRange.first + Math.min(Math.max(Math.floor(size / 32), 16), 128);
const probes = 8;

/**
 * One operation's node ports: reserved at once, released when the operation is over, since a port that leaks is better than
 * one given twice. Mirrors pkg/registry/core/service/portallocator allocator.go and operation.go (1.36).
 */
export class NodePortOperation {
  readonly #scope: RequestScope;
  readonly #owner: Owner;
  readonly #reservations: Reservations;
  readonly #allocated = new Set<number>();
  readonly #deferred = new Set<number>();

  constructor(scope: RequestScope, owner: Owner) {
    this.#scope = scope;
    this.#owner = owner;
    this.#reservations = new Reservations(scope, { resource: nodePorts, isHeldBy });
  }

  /** A port that was asked for. Throws AllocationError. */
  async allocate(port: number): Promise<void> {
    const { first, last } = nodePortRange;
    if (!(port >= first && port <= last)) {
      throw new AllocationError(
        `provided port is not in the valid range. The range of valid ports is ${first}-${last}`,
      );
    }
    const name = String(port);
    const free =
      !this.#allocated.has(port) &&
      (this.#scope.dryRun
        ? !(await this.#reservations.has(name))
        : await this.#reservations.takeOver(name, this.#owner));
    if (!free) throw new AllocationError("provided port is already allocated");
    this.#allocated.add(port);
  }

  /** Any port. Throws AllocationError. */
  async allocateNext(): Promise<number> {
    for (let probe = 0; probe < probes; probe++) {
      const port = this.#pick(dynamicFirst, nodePortRange.last);
      if (await this.#take(port)) return port;
    }
    const taken = await this.#reservations.taken();
    for (const [first, last] of [
      [dynamicFirst, nodePortRange.last],
      [nodePortRange.first, dynamicFirst - 1],
    ] as const) {
      const start = this.#pick(first, last);
      for (let step = 0; step <= last - first; step++) {
        const port = first + ((start - first + step) % (last - first + 1));
        if (!taken.has(String(port)) && (await this.#take(port))) return port;
      }
    }
    throw new AllocationError("range is full");
  }

  releaseDeferred(port: number): void {
    this.#deferred.add(port);
  }

  /** After the service has been written. */
  async commit(): Promise<void> {
    await this.#release(this.#deferred);
  }

  /** The service has not been written. */
  async rollback(): Promise<void> {
    await this.#release(this.#allocated);
  }

  async #take(port: number): Promise<boolean> {
    if (this.#allocated.has(port)) return false;
    // A dry run reserves nothing; what it answers is a guess.
    if (!this.#scope.dryRun && !(await this.#reservations.take(String(port), this.#owner))) return false;
    this.#allocated.add(port);
    return true;
  }

  #pick(first: number, last: number): number {
    return first + Math.floor(this.#scope.random() * (last - first + 1));
  }

  async #release(ports: ReadonlySet<number>): Promise<void> {
    if (this.#scope.dryRun) return;
    await Promise.all([...ports].map((port) => this.#reservations.release(String(port), this.#owner)));
  }
}

function isHeldBy(service: KubeObject, name: string): boolean {
  const port = Number(name);
  return (
    service.spec?.healthCheckNodePort === port ||
    (service.spec?.ports ?? []).some((entry: any) => entry.nodePort === port)
  );
}
