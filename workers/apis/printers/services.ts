import type { KubeObject } from "../../apimachinery/meta.ts";
import { count, formatLabels, list, text } from "./cells.ts";
import { age, column, name, tablePrinter, wide } from "./columns.ts";

/** Services and endpoints of the core group. Mirrors pkg/printers/internalversion/printers.go (1.36). */

/** Addresses of a load balancer's status, sorted and without duplicates. */
export function loadBalancerAddresses(object: KubeObject): string[] {
  const addresses = list(object.status?.loadBalancer?.ingress).map(
    (ingress) => text(ingress.ip) || text(ingress.hostname),
  );
  return [...new Set(addresses.filter((address) => address !== ""))].sort();
}

function externalIP(service: KubeObject): string {
  const externalIPs: string[] = list(service.spec?.externalIPs);
  switch (service.spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return externalIPs.join(",") || "<none>";
    case "LoadBalancer":
      return [...loadBalancerAddresses(service), ...externalIPs].join(",") || "<pending>";
    case "ExternalName":
      return text(service.spec.externalName);
    default:
      return "<unknown>";
  }
}

function servicePorts(service: KubeObject): string {
  const ports = list(service.spec?.ports).map(({ port, nodePort, protocol }) =>
    count(nodePort) > 0 ? `${port}:${nodePort}/${text(protocol)}` : `${port}/${text(protocol)}`,
  );
  return ports.join(",") || "<none>";
}

const services = tablePrinter(
  name,
  column("Type", "How the service is exposed.", (service) => text(service.spec?.type)),
  column(
    "Cluster-IP",
    "Address inside the cluster.",
    (service) => list(service.spec?.clusterIPs)[0] ?? (text(service.spec?.clusterIP) || "<none>"),
  ),
  column("External-IP", "Addresses outside the cluster.", externalIP),
  column("Port(s)", "Ports, with node ports.", servicePorts),
  age,
  wide(column("Selector", "Labels of the selected pods.", (service) => formatLabels(service.spec?.selector))),
);

const hostPort = (ip: string, port: number): string => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`);

/** The first three ready addresses, each with each port, and how many more there are. */
function endpointAddresses(endpoints: KubeObject): string {
  const subsets = list(endpoints.subsets);
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap((subset) => {
    const ips = list(subset.addresses).map((address) => text(address.ip));
    const ports = list(subset.ports);
    return ports.length === 0 ? ips : ports.flatMap(({ port }) => ips.map((ip) => hostPort(ip, count(port))));
  });
  const shown = all.slice(0, 3).join(",");
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

const endpoints = tablePrinter(name, column("Endpoints", "Ready addresses and ports.", endpointAddresses), age);

export const servicePrinters = { endpoints, services };
