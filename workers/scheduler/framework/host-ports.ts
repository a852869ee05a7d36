import type { KubeObject } from "../../apimachinery/meta.ts";

export interface HostPort {
  protocol: string;
  hostIP: string;
  port: number;
}

const anyAddress = "0.0.0.0";

/** Host ports of containers and sidecars. Mirrors pkg/scheduler/util/pod_resources.go and utils.go GetHostPorts (1.36). */
export function hostPortsOf(pod: KubeObject): readonly HostPort[] {
  const ports: HostPort[] = [];
  const collect = (container: any) => {
    for (const port of container.ports ?? []) {
      if (!(port.hostPort > 0)) continue;
      ports.push({ protocol: port.protocol || "TCP", hostIP: port.hostIP || anyAddress, port: port.hostPort });
    }
  };
  for (const container of pod.spec?.initContainers ?? []) if (container.restartPolicy === "Always") collect(container);
  for (const container of pod.spec?.containers ?? []) collect(container);
  return ports.length === 0 ? none : ports;
}

const none: readonly HostPort[] = [];

/** Ports in use on a node. 0.0.0.0 conflicts with every address. Counted, since a forced pod may share a port. */
export class HostPortInfo {
  readonly #uses = new Map<string, Map<string, number>>();

  get size(): number {
    return this.#uses.size;
  }

  add(port: HostPort): void {
    const key = `${port.protocol}/${port.port}`;
    const addresses = this.#uses.get(key) ?? new Map<string, number>();
    addresses.set(port.hostIP, (addresses.get(port.hostIP) ?? 0) + 1);
    this.#uses.set(key, addresses);
  }

  remove(port: HostPort): void {
    const key = `${port.protocol}/${port.port}`;
    const addresses = this.#uses.get(key);
    if (addresses === undefined) return;
    const left = (addresses.get(port.hostIP) ?? 0) - 1;
    if (left > 0) addresses.set(port.hostIP, left);
    else addresses.delete(port.hostIP);
    if (addresses.size === 0) this.#uses.delete(key);
  }

  conflicts(port: HostPort): boolean {
    const addresses = this.#uses.get(`${port.protocol}/${port.port}`);
    if (addresses === undefined) return false;
    return port.hostIP === anyAddress || addresses.has(anyAddress) || addresses.has(port.hostIP);
  }
}

export function portsConflict(a: HostPort, b: HostPort): boolean {
  if (a.protocol !== b.protocol || a.port !== b.port) return false;
  return a.hostIP === b.hostIP || a.hostIP === anyAddress || b.hostIP === anyAddress;
}
