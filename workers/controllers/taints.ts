import type { KubeObject } from "../apimachinery/meta.ts";

/** v1.Taint */
export interface Taint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

/** v1.Toleration */
export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export function taintsOf(node: KubeObject): Taint[] {
  return node.spec?.taints ?? [];
}

/** Taints are told apart by key and effect. */
export function sameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

/** Mirrors k8s.io/component-helpers scheduling/corev1 ToleratesTaint (1.36). */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  const isEqual = toleration.operator === undefined || toleration.operator === "" || toleration.operator === "Equal";
  return isEqual && Boolean(toleration.key) && (toleration.value ?? "") === (taint.value ?? "");
}
