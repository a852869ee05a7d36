import { formatTime } from "../../../apimachinery/clock.ts";
import { labelSelectorAsSelector } from "../../../apimachinery/labels.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import { newForbidden, newTooManyRequests } from "../../../apimachinery/status-errors.ts";
import type { StatusError } from "../../../apimachinery/status-errors.ts";

/** What disruption budgets say to an eviction. Mirrors pkg/registry/core/pod/storage/eviction.go (1.36). */
const maxDisruptedPods = 2_000;
const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Budgets whose selector matches the pod; an empty or unreadable selector matches nothing. */
export function budgetsOf(pod: KubeObject, budgets: readonly KubeObject[]): KubeObject[] {
  return budgets.filter((budget) => {
    try {
      const selector = labelSelectorAsSelector(budget.spec?.selector);
      return !selector.empty && selector.matches(pod.metadata.labels);
    } catch {
      return false;
    }
  });
}

/** A pod that has caused its disruption, or none yet, goes without asking. */
export function canIgnoreBudgets(pod: KubeObject): boolean {
  return isTerminal(pod) || pod.status?.phase === "Pending";
}

export function isTerminal(pod: KubeObject): boolean {
  const phase = pod.status?.phase;
  return phase === "Succeeded" || phase === "Failed" || pod.metadata.deletionTimestamp !== undefined;
}

/** An unhealthy pod does not count, so its going needs no decrement. */
export function canEvictUnhealthy(pod: KubeObject, budget: KubeObject): boolean {
  const conditions: { type: string; status: string }[] = pod.status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === "Ready" && status === "True")) return false;
  if (budget.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** The budget after the pod's disruption. Throws 429 when there is no room, 403 when the status makes no sense. */
export function decrement(budget: KubeObject, podName: string, now: number): KubeObject {
  const status = budget.status ?? {};
  const name = budget.metadata.name ?? "";
  const allowed: number = status.disruptionsAllowed ?? 0;
  const forbidden = (text: string) => newForbidden({ group: "policy", resource: "poddisruptionbudget" }, name, text);
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) throw newStillProcessing(name);
  if (allowed < 0) throw forbidden("pdb disruptions allowed is negative");
  if (Object.keys(status.disruptedPods ?? {}).length > maxDisruptedPods) {
    throw forbidden("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (allowed === 0) throw newRefusal(0, whyNone(name, status));
  const left = allowed - 1;
  return {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed: left,
      ...(left === 0 ? { conditions: insufficient(status.conditions ?? [], budget.metadata.generation, now) } : {}),
      disruptedPods: { ...status.disruptedPods, [podName]: formatTime(now) },
    },
  };
}

export function newStillProcessing(name: string): StatusError {
  return newRefusal(10, `The disruption budget ${name} is still being processed by the server.`);
}

function newRefusal(retryAfterSeconds: number, message: string): StatusError {
  const error = newTooManyRequests(refusal, retryAfterSeconds);
  const { retryAfterSeconds: seconds, ...details } = error.status.details!;
  error.status.details = {
    ...details,
    causes: [{ reason: "DisruptionBudget", message }],
    ...(seconds ? { retryAfterSeconds: seconds } : {}),
  };
  return error;
}

function whyNone(name: string, status: any): string {
  const condition = (status.conditions ?? []).find(({ type }: { type: string }) => type === "DisruptionAllowed");
  const says = condition?.status === "False" && condition.message;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  const start = `The disruption budget ${name}`;
  if (says && condition.reason === "SyncFailed") {
    return `${start} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  }
  if (currentHealthy <= desiredHealthy)
    return `${start} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  if (says) return `${start} does not allow evicting pods currently (${condition.reason}): ${condition.message}`;
  return `${start} does not allow evicting pods currently`;
}

/** Mirrors UpdateDisruptionAllowedCondition of k8s.io/component-helpers for no more disruptions. */
function insufficient(conditions: any[], observedGeneration: number | undefined, now: number): any[] {
  const before = conditions.find(({ type }) => type === "DisruptionAllowed");
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : formatTime(now),
    reason: "InsufficientPods",
    message: "",
  };
  return before === undefined
    ? [...conditions, condition]
    : conditions.map((other) => (other === before ? condition : other));
}
