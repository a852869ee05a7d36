import type { Taint } from "../framework/node-info.ts";
import type { Toleration } from "../framework/pod-info.ts";

/** Mirrors k8s.io/component-helpers scheduling/corev1 helpers and v1.Toleration.ToleratesTaint (1.36). */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? "") {
    case "":
    case "Equal":
      return (toleration.value ?? "") === (taint.value ?? "");
    case "Exists":
      return true;
    default:
      return false;
  }
}

export function tolerationsTolerate(tolerations: readonly Toleration[], taint: Taint): boolean {
  for (const toleration of tolerations) if (tolerates(toleration, taint)) return true;
  return false;
}

/** The first NoSchedule or NoExecute taint that is not tolerated. */
export function findUntoleratedTaint(taints: readonly Taint[], tolerations: readonly Toleration[]): Taint | undefined {
  for (const taint of taints) {
    if (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") continue;
    if (!tolerationsTolerate(tolerations, taint)) return taint;
  }
  return undefined;
}
