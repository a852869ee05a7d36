import { isConflict } from "../apimachinery/status-errors.ts";
import { StatusError } from "../apimachinery/status-errors.ts";

/**
 * The end of the road for an error that a retry will follow (k8s.io/apimachinery pkg/util/runtime HandleError).
 * Lost races are the normal way of optimistic writes and stay silent.
 */
export function handleError(controller: string, what: string, error: unknown): void {
  if (isConflict(error)) return;
  const message = error instanceof Error ? error.message : String(error);
  console.error(`${controller}: ${what}: ${message}`);
}

/** Whether a creation failed because its namespace is being deleted: neither an event nor a retry helps. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    (error.status.details?.causes ?? []).some((cause) => cause.reason === "NamespaceTerminating")
  );
}
