import type { GroupResource, GroupVersionKind } from "./gvk.ts";
import { formatGroupResource } from "./gvk.ts";

/** metav1.StatusCause */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** metav1.StatusDetails */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** metav1.StatusReason */
export type StatusReason =
  | ""
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "StoreReadError"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable";

/** metav1.Status */
export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  status: "Success" | "Failure";
  message?: string;
  reason?: StatusReason;
  details?: StatusDetails;
  code: number;
}

/**
 * An error that carries the Status to answer with. Made only by the constructors below, tested by `isX`,
 * turned into a response at one boundary. Mirrors k8s.io/apimachinery pkg/api/errors (1.36).
 */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message);
    this.name = "StatusError";
    this.status = status;
  }
}

function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

function detailsOf(gr: GroupResource, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(gr.group === "" ? {} : { group: gr.group }),
    ...(gr.resource === "" ? {} : { kind: gr.resource }),
  };
}

export function newNotFound(gr: GroupResource, name: string): StatusError {
  return failure(404, "NotFound", `${formatGroupResource(gr)} "${name}" not found`, detailsOf(gr, name));
}

export function newAlreadyExists(gr: GroupResource, name: string): StatusError {
  return failure(409, "AlreadyExists", `${formatGroupResource(gr)} "${name}" already exists`, detailsOf(gr, name));
}

/** A generateName collision: a retry by the client will help. */
export function newGenerateNameConflict(gr: GroupResource, name: string, retryAfterSeconds: number): StatusError {
  return failure(
    409,
    "AlreadyExists",
    `${formatGroupResource(gr)} "${name}" already exists, the server was not able to generate a unique name for the object`,
    { ...detailsOf(gr, name), retryAfterSeconds },
  );
}

export function newUnauthorized(message = "Unauthorized"): StatusError {
  return failure(401, "Unauthorized", message);
}

export function newForbidden(gr: GroupResource, name: string, message: string): StatusError {
  const text =
    gr.resource === ""
      ? `forbidden: ${message}`
      : name === ""
        ? `${formatGroupResource(gr)} is forbidden: ${message}`
        : `${formatGroupResource(gr)} "${name}" is forbidden: ${message}`;
  return failure(403, "Forbidden", text, detailsOf(gr, name));
}

export function newConflict(gr: GroupResource, name: string, message: string): StatusError {
  return failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${formatGroupResource(gr)} "${name}": ${message}`,
    detailsOf(gr, name),
  );
}

/** Server-side apply conflicts. */
export function newApplyConflict(causes: StatusCause[], message: string): StatusError {
  return failure(409, "Conflict", message, { causes });
}

export function newGone(message: string): StatusError {
  return failure(410, "Gone", message);
}

/** 410 Expired: a watch start or a continue token that is older than the retained history. */
export function newResourceExpired(message: string): StatusError {
  return failure(410, "Expired", message);
}

/** One validation error, see k8s.io/apimachinery pkg/util/validation/field/errors.go. `message` is "body" without the field. */
export interface InvalidCause {
  reason: string;
  message: string;
  field: string;
}

/** 422. The message lists the causes as upstream's aggregate does: one bare, several in brackets. */
export function newInvalid(kind: { group: string; kind: string }, name: string, causes: InvalidCause[]): StatusError {
  const seen = new Set<string>();
  const texts: string[] = [];
  for (const cause of causes) {
    const text = `${cause.field}: ${cause.message}`;
    if (!seen.has(text)) texts.push(text);
    seen.add(text);
  }
  const aggregate = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const qualified = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  return failure(422, "Invalid", `${qualified} "${name}" is invalid: ${aggregate}`, {
    ...(name === "" ? {} : { name }),
    ...(kind.group === "" ? {} : { group: kind.group }),
    kind: kind.kind,
    causes,
  });
}

export function newBadRequest(message: string): StatusError {
  return failure(400, "BadRequest", message);
}

export function newMethodNotSupported(gr: GroupResource, action: string): StatusError {
  return failure(
    405,
    "MethodNotAllowed",
    `${action} is not supported on resources of kind "${formatGroupResource(gr)}"`,
    detailsOf(gr, ""),
  );
}

/** 405 for a method that the path does not serve at all. */
export function newMethodNotAllowed(): StatusError {
  return failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

export function newNotAcceptable(accepted: readonly string[]): StatusError {
  return failure(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);
}

export function newUnsupportedMediaType(accepted: readonly string[]): StatusError {
  return failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}

export function newRequestEntityTooLarge(message: string): StatusError {
  return failure(413, "RequestEntityTooLarge", `Request entity is too large: ${message}`);
}

export function newServerTimeout(gr: GroupResource, operation: string, retryAfterSeconds: number): StatusError {
  return failure(
    500,
    "ServerTimeout",
    `The ${operation} operation against ${formatGroupResource(gr)} could not be completed at this time, please try again.`,
    { ...detailsOf(gr, operation), retryAfterSeconds },
  );
}

export function newTimeout(message: string, retryAfterSeconds: number): StatusError {
  return failure(504, "Timeout", `Timeout: ${message}`, retryAfterSeconds > 0 ? { retryAfterSeconds } : {});
}

/** "Too large resource version": the client asks for a revision that this server has not seen. */
export function newTooLargeResourceVersion(requested: number, current: number, retryAfterSeconds: number): StatusError {
  return failure(504, "Timeout", `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds,
  });
}

export function newTooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, "TooManyRequests", message, { retryAfterSeconds });
}

export function newServiceUnavailable(message: string): StatusError {
  return failure(503, "ServiceUnavailable", message);
}

export function newInternalError(message: string): StatusError {
  return failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** 404 of a path that nothing serves. */
export function newPathNotFound(): StatusError {
  return failure(404, "NotFound", "the server could not find the requested resource", {});
}

/** No such kind in the group and version of a decoded body. */
export function newNoKindMatch(gvk: GroupVersionKind, scheme: string): StatusError {
  const apiVersion = gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`;
  return newBadRequest(`no kind "${gvk.kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`);
}

function hasReason(error: unknown, reason: StatusReason): boolean {
  return error instanceof StatusError && error.status.reason === reason;
}

export const isNotFound = (error: unknown): error is StatusError => hasReason(error, "NotFound");
export const isAlreadyExists = (error: unknown): error is StatusError => hasReason(error, "AlreadyExists");
export const isConflict = (error: unknown): error is StatusError => hasReason(error, "Conflict");
export const isForbidden = (error: unknown): error is StatusError => hasReason(error, "Forbidden");
export const isInvalid = (error: unknown): error is StatusError => hasReason(error, "Invalid");
/** 410, under either of its two reasons: relist. */
export const isResourceExpired = (error: unknown): error is StatusError =>
  hasReason(error, "Expired") || hasReason(error, "Gone");
