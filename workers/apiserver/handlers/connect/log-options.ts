import { forbidden, invalid } from "../../../apimachinery/field-error.ts";
import { newInvalid } from "../../../apimachinery/status-errors.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { isNegativeMessage, isNotPositiveMessage } from "../../../apis/validation/checks.ts";

/** Throws for options that contradict each other or mean nothing. Mirrors ValidatePodLogOptions of pkg/apis/core/validation (1.36). */
export function checkLogOptions(query: URLSearchParams, podName: string): void {
  const causes: InvalidCause[] = [];
  const number = (name: string) => (query.get(name) ? Number(query.get(name)) : undefined);
  const tailLines = number("tailLines");
  const limitBytes = number("limitBytes");
  const sinceSeconds = number("sinceSeconds");
  if (tailLines !== undefined && tailLines < 0) causes.push(invalid("tailLines", tailLines, isNegativeMessage));
  if (limitBytes !== undefined && limitBytes < 1) causes.push(invalid("limitBytes", limitBytes, isNotPositiveMessage));
  if (sinceSeconds !== undefined && query.get("sinceTime")) {
    causes.push(forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    causes.push(invalid("sinceSeconds", sinceSeconds, isNotPositiveMessage));
  }
  if (causes.length > 0) throw newInvalid({ group: "", kind: "PodLogOptions" }, podName, causes);
}
