import { parseQuantity } from "../../apimachinery/quantity.ts";
import { containersOf, initContainersOf } from "../container-policy.ts";
import type { Pod } from "../types.ts";

/** The class that the API server has set, or the one that requests and limits amount to. */
export function qosClassOf(pod: Pod): string {
  const known = pod.status?.qosClass;
  if (typeof known === "string" && known !== "") return known;
  let any = false;
  let guaranteed = true;
  for (const container of [...initContainersOf(pod), ...containersOf(pod)]) {
    const { requests = {}, limits = {} } = container.resources ?? {};
    for (const resource of ["cpu", "memory"]) {
      const limit = limits[resource];
      const request = requests[resource] ?? limit;
      if (request !== undefined) any = true;
      if (limit === undefined || request === undefined || parseQuantity(request).cmp(parseQuantity(limit)) !== 0) {
        guaranteed = false;
      }
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}
