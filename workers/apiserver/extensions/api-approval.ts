import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { invalid, required } from "../../apimachinery/field-error.ts";
import { quote } from "../../apimachinery/quote.ts";
import type { CustomResourceDefinition, DefinitionCondition } from "./definition.ts";

const annotation = "api-approved.kubernetes.io";

/** Groups of the community need an approval. Mirrors pkg/apihelpers of k8s.io/apiextensions-apiserver (1.36). */
function isProtected(group: string): boolean {
  return (
    group === "k8s.io" || group.endsWith(".k8s.io") || group === "kubernetes.io" || group.endsWith(".kubernetes.io")
  );
}

type Approval = { kind: "bypassed" | "approved"; value: string } | { kind: "missing" | "invalid"; reason: string };

function approvalOf({ metadata }: CustomResourceDefinition): Approval {
  const value = metadata.annotations?.[annotation] ?? "";
  if (value === "") {
    return {
      kind: "missing",
      reason: `protected groups must have approval annotation ${quote(annotation)}, see https://github.com/kubernetes/enhancements/pull/1111`,
    };
  }
  if (value.startsWith("unapproved")) return { kind: "bypassed", value };
  if (URL.canParse(value) && new URL(value).host !== "") return { kind: "approved", value };
  return {
    kind: "invalid",
    reason: `protected groups must have approval annotation ${quote(annotation)} with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`,
  };
}

export function validateApproval(
  definition: CustomResourceDefinition,
  previous: CustomResourceDefinition | undefined,
): InvalidCause[] {
  if (!isProtected(definition.spec.group ?? "")) return [];
  const approval = approvalOf(definition);
  if (previous !== undefined && "reason" in approvalOf(previous)) return [];
  const field = `metadata.annotations[${annotation}]`;
  if (approval.kind === "missing") return [required(field, approval.reason)];
  if (approval.kind === "invalid")
    return [invalid(field, definition.metadata.annotations?.[annotation], approval.reason)];
  return [];
}

/** The condition about the approval; undefined for groups that need none. */
export function approvalCondition(definition: CustomResourceDefinition): DefinitionCondition | undefined {
  if (!isProtected(definition.spec.group ?? "")) return undefined;
  const type = "KubernetesAPIApprovalPolicyConformant";
  const approval = approvalOf(definition);
  switch (approval.kind) {
    case "approved":
      return { type, status: "True", reason: "ApprovedAnnotation", message: `approved in ${approval.value}` };
    case "bypassed":
      return {
        type,
        status: "False",
        reason: "UnapprovedAnnotation",
        message: `not approved: ${quote(approval.value)}`,
      };
    case "missing":
      return { type, status: "False", reason: "MissingAnnotation", message: approval.reason };
    case "invalid":
      return { type, status: "False", reason: "InvalidAnnotation", message: approval.reason };
  }
}
