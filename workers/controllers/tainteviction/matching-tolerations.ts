import type { Taint, Toleration } from "../taints.ts";
import { tolerates } from "../taints.ts";

/**
 * How long a pod may stay on a node with these NoExecute taints, in milliseconds: 0 when one is not tolerated, Infinity
 * when all are for good. Mirrors pkg/controller/tainteviction getMinTolerationTime (1.36).
 */
export function tolerationTime(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  let shortest = Infinity;
  for (const taint of taints) {
    const toleration = tolerations.find((each) => tolerates(each, taint));
    if (toleration === undefined) return 0;
    const seconds = toleration.tolerationSeconds;
    if (seconds === undefined || seconds === null) continue;
    shortest = Math.min(shortest, Math.max(0, seconds) * 1000);
  }
  return shortest;
}
