import { newApplyConflict } from "../../apimachinery/status-errors.ts";
import type { StatusError } from "../../apimachinery/status-errors.ts";
import { printPath } from "../../apimachinery/structured-merge/path-element.ts";
import type { Conflict } from "../../apimachinery/structured-merge/updater.ts";
import { parseManagerIdentifier } from "./managed-fields.ts";

/** 409 with a cause for each field. Mirrors k8s.io/apimachinery pkg/util/managedfields/internal/conflict.go (1.36). */
export function newConflictError(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${printManager(manager)}`,
    field: printPath(path),
  }));
  return newApplyConflict(causes, conflictMessage(conflicts));
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [only] = conflicts;
  if (conflicts.length === 1 && only !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${printManager(only.manager)}: ${printPath(only.path)}`;
  }
  const byManager = new Map<string, string[]>();
  for (const { manager, path } of conflicts) {
    const paths = byManager.get(manager);
    if (paths === undefined) byManager.set(manager, [printPath(path)]);
    else paths.push(printPath(path));
  }
  const lines = [...byManager.keys()]
    .sort()
    .flatMap((manager) => [
      `conflicts with ${printManager(manager)}:`,
      ...byManager.get(manager)!.map((path) => `- ${path}`),
    ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function printManager(identifier: string): string {
  const { manager = "", operation, apiVersion = "", subresource } = parseManagerIdentifier(identifier);
  let text = JSON.stringify(manager);
  if (subresource) text += ` with subresource ${JSON.stringify(subresource)}`;
  return operation === "Update" ? `${text} using ${apiVersion}` : text;
}
