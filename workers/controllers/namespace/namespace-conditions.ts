import { formatTime } from "../../apimachinery/clock.ts";
import { formatGroupVersionResource } from "./remaining.ts";
import type { Remaining } from "./remaining.ts";

/** Condition types of a namespace that is being deleted, in the order in which they are first written. */
const conditionTypes = [
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
] as const;

type ConditionType = (typeof conditionTypes)[number];

interface Finding {
  reason: string;
  message: string;
}

const fine: Record<ConditionType, Finding> = {
  NamespaceDeletionDiscoveryFailure: {
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered",
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed",
  },
  NamespaceDeletionContentFailure: {
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization",
  },
  NamespaceContentRemaining: { reason: "ContentRemoved", message: "All content successfully removed" },
  NamespaceFinalizersRemaining: {
    reason: "ContentHasNoFinalizers",
    message: "All content-preserving finalizers finished",
  },
};

/** What one deletion pass met. */
export interface DeletionFindings {
  discoveryFailures: ReadonlyMap<string, Error>;
  contentErrors: readonly Error[];
  remaining: Remaining;
}

/**
 * The conditions of a terminating namespace after a pass; the same array when nothing changed.
 * Mirrors pkg/controller/namespace/deletion/status_condition_utils.go (1.36).
 */
export function namespaceConditions(current: readonly any[], findings: DeletionFindings, now: number): readonly any[] {
  const problems = problemsOf(findings);
  let changed = false;
  const next = [...current];
  for (const type of conditionTypes) {
    const problem = problems.get(type);
    const { reason, message } = problem ?? fine[type];
    const status = problem === undefined ? "False" : "True";
    const index = next.findIndex((condition) => condition.type === type);
    const old = next[index];
    if (old?.status === status && old.reason === reason && old.message === message) continue;
    changed = true;
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : formatTime(now);
    const condition = { type, status, lastTransitionTime, reason, message };
    if (index < 0) next.push(condition);
    else next[index] = condition;
  }
  return changed ? next : current;
}

function problemsOf({ discoveryFailures, contentErrors, remaining }: DeletionFindings): Map<ConditionType, Finding> {
  const problems = new Map<ConditionType, Finding>();
  if (discoveryFailures.size > 0) {
    const list = [...discoveryFailures]
      .map(([version, error]) => `${version}: ${error.message}`)
      .sort()
      .join(", ");
    problems.set("NamespaceDeletionDiscoveryFailure", {
      reason: "DiscoveryFailed",
      message:
        `Discovery failed for some groups, ${discoveryFailures.size} failing: ` +
        `unable to retrieve the complete list of server APIs: ${list}`,
    });
  }
  if (contentErrors.length > 0) {
    const list = contentErrors
      .map((error) => error.message)
      .sort()
      .join(", ");
    problems.set("NamespaceDeletionContentFailure", {
      reason: "ContentDeletionFailed",
      message: `Failed to delete all resource types, ${contentErrors.length} remaining: ${list}`,
    });
  }
  if (remaining.resources.length > 0) {
    const list = remaining.resources
      .map(({ gvr, count }) => `${formatGroupVersionResource(gvr)} has ${count} resource instances`)
      .sort()
      .join(", ");
    problems.set("NamespaceContentRemaining", {
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${list}`,
    });
  }
  if (remaining.finalizers.size > 0) {
    const list = [...remaining.finalizers].map(([name, count]) => `${name} in ${count} resource instances`).sort();
    problems.set("NamespaceFinalizersRemaining", {
      reason: "SomeFinalizersRemain",
      message: `Some content in the namespace has finalizers remaining: ${list.join(", ")}`,
    });
  }
  return problems;
}
