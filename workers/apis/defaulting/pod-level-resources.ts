import { parseQuantity } from "../../apimachinery/quantity.ts";
import { hasOwn, setOwn } from "../../apimachinery/patch/own-property.ts";
import { each, type Json } from "./set-default.ts";

/**
 * Requests of the pod as a whole, where it has limits: what its containers request, else the limits.
 * Mirrors defaultPodRequests of pkg/apis/core/v1/defaults.go (1.36).
 */
export function defaultPodLevelRequests(spec: Json): void {
  const limits: Json | undefined = spec["resources"]?.limits;
  if (limits === undefined || Object.keys(limits).length === 0) return;
  const requests: Json = spec["resources"].requests ?? {};
  const containers = aggregateRequests(spec);
  for (const name in containers) if (isOvercommittable(name)) requests[name] ??= containers[name];
  for (const name in limits) if (isSupported(name)) requests[name] ??= limits[name];
  if (Object.keys(requests).length > 0) spec["resources"].requests = requests;
}

function isOvercommittable(name: string): boolean {
  return name === "cpu" || name === "memory";
}

function isSupported(name: string): boolean {
  return isOvercommittable(name) || name.startsWith("hugepages-");
}

/** Sum of the containers, sidecars among them, or the largest init container with the sidecars started before it. */
function aggregateRequests(spec: Json): Json {
  const total: Json = {};
  each(spec["containers"], (container) => combine(total, container["resources"]?.requests, add));
  const sidecars: Json = {};
  const starting: Json = {};
  each(spec["initContainers"], (container) => {
    const requests: Json = { ...container["resources"]?.requests };
    if (container["restartPolicy"] === "Always") {
      combine(total, requests, add);
      combine(sidecars, requests, add);
      combine(starting, sidecars, max);
    } else {
      combine(requests, sidecars, add);
      combine(starting, requests, max);
    }
  });
  combine(total, starting, max);
  return total;
}

function combine(target: Json, source: Json | undefined, operation: (a: string, b: string) => string): void {
  for (const name in source) {
    setOwn(target, name, hasOwn(target, name) ? operation(target[name], source[name]) : source[name]);
  }
}

const add = (a: string, b: string): string => parseQuantity(a).add(parseQuantity(b)).toString();
const max = (a: string, b: string): string => (parseQuantity(a).cmp(parseQuantity(b)) >= 0 ? a : b);
