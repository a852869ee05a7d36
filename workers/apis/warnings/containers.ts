import { quote } from "../../apimachinery/quote.ts";
import { isSet, listOf, numberOf, quantityOf, textOf } from "../validation/checks.ts";

/** A container of any kind, with where it is. */
export interface PlacedContainer {
  path: string;
  container: any;
}

/** In the order of VisitContainersWithPath of pkg/apis/core/pods/helpers.go (1.36). */
export function placedContainers(spec: any, path: string): PlacedContainer[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((field) =>
    listOf(spec[field]).map((container, index) => ({ path: `${path}.${field}[${index}]`, container })),
  );
}

/** Bytes come in whole numbers. */
export function fractionalBytes(list: any, resources: readonly string[], path: string): string[] {
  return resources.flatMap((resource) => {
    if (!isSet(list?.[resource])) return [];
    const quantity = quantityOf(list[resource]);
    if (quantity.milliValue() % 1000n === 0n) return [];
    return [`${path}[${resource}]: fractional byte value ${quote(quantity.toString())} is invalid, must be an integer`];
  });
}

export function warningsForEnv(env: unknown, path: string): string[] {
  const warnings: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of listOf(env).entries()) {
    const name = textOf(item.name);
    const value = textOf(item.value);
    const reference = `$(${name})`;
    // A value that builds on the one before it is meant.
    const hides = isSet(item.valueFrom) || value === reference || !value.includes(reference);
    if (seen.has(name) && hides) {
      warnings.push(
        `${path}[${index}]: hides previous definition of ${quote(name)}, which may be dropped when using apply`,
      );
    }
    seen.add(name);
  }
  return warnings;
}

interface PlacedPort {
  path: string;
  hostIp: string;
  hostPort: number;
}

/** Ports of all containers of a pod, which share its network. */
export function warningsForPorts(containers: readonly PlacedContainer[]): string[] {
  const warnings: string[] = [];
  const byNumber = new Map<string, PlacedPort[]>();
  for (const { path: at, container } of containers) {
    for (const [index, port] of listOf(container.ports).entries()) {
      const placed = { path: `${at}.ports[${index}]`, hostIp: textOf(port.hostIP), hostPort: numberOf(port.hostPort) };
      if (placed.hostIp !== "" && placed.hostPort === 0) {
        warnings.push(`${placed.path}: hostIP set without hostPort: ${showPort(port)}`);
      }
      const key = `${numberOf(port.containerPort)}/${textOf(port.protocol)}`;
      const others = byNumber.get(key) ?? [];
      for (const other of others) {
        const relation = relationOf(placed, other);
        if (relation !== undefined) warnings.push(`${placed.path}: ${relation} port definition with ${other.path}`);
      }
      byNumber.set(key, [...others, placed]);
    }
  }
  return [...warnings, ...warningsForPortNames(containers)];
}

function relationOf(port: PlacedPort, other: PlacedPort): string | undefined {
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return "duplicate";
  if (port.hostPort === 0 || other.hostPort === 0) return "overlapping";
  const oneIsOpen = (port.hostIp === "") !== (other.hostIp === "");
  return port.hostPort === other.hostPort && oneIsOpen ? "dangerously ambiguous" : undefined;
}

function warningsForPortNames(containers: readonly PlacedContainer[]): string[] {
  const warnings: string[] = [];
  const byName = new Map<string, string>();
  for (const { path: at, container } of containers) {
    // Init containers that end are gone when ports are looked for.
    if (at.includes(".initContainers[") && container.restartPolicy !== "Always") continue;
    for (const [index, port] of listOf(container.ports).entries()) {
      const name = textOf(port.name);
      if (name === "") continue;
      const path = `${at}.ports[${index}]`;
      const other = byName.get(name);
      if (other === undefined) byName.set(name, path);
      else {
        warnings.push(
          `${path}: duplicate port name ${quote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        );
      }
    }
  }
  return warnings;
}

/** As Go prints the struct with %+v. */
function showPort(port: any): string {
  return `{Name:${textOf(port.name)} HostPort:${numberOf(port.hostPort)} ContainerPort:${numberOf(port.containerPort)} Protocol:${textOf(port.protocol)} HostIP:${textOf(port.hostIP)}}`;
}
