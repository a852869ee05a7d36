import { parseQuantity } from "../../apimachinery/quantity.ts";

const computeResources = ["cpu", "memory"];

/** Mirrors pkg/apis/core/v1/helper/qos (1.36): Guaranteed, Burstable or BestEffort from requests and limits. */
export function podQosClass(spec: any): "Guaranteed" | "Burstable" | "BestEffort" {
  let any = false;
  let guaranteed = true;
  const levels =
    spec.resources && (hasCompute(spec.resources.requests) || hasCompute(spec.resources.limits))
      ? [spec.resources]
      : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((container: any) => container.resources ?? {});
  for (const { requests = {}, limits = {} } of levels) {
    if (hasCompute(requests) || hasCompute(limits)) any = true;
    for (const name of computeResources) {
      const request = requests[name] ?? limits[name];
      if (limits[name] === undefined || parseQuantity(limits[name]).isZero()) guaranteed = false;
      else if (parseQuantity(request).cmp(parseQuantity(limits[name])) !== 0) guaranteed = false;
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

function hasCompute(resources: Record<string, string> | undefined): boolean {
  return computeResources.some((name) => resources?.[name] !== undefined && !parseQuantity(resources[name]).isZero());
}
