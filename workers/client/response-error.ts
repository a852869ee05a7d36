import { StatusError } from "../apimachinery/status-errors.ts";
import type { Status, StatusReason } from "../apimachinery/status-errors.ts";

/**
 * The error of a response that is not a success: the Status that the server sent, or one made from the code when
 * something else answered (a proxy). Mirrors NewGenericServerResponse of apimachinery pkg/api/errors/errors.go (1.36).
 */
export async function errorOfResponse(response: Response): Promise<StatusError> {
  const text = await response.text().catch(() => "");
  return new StatusError(statusOf(text) ?? genericStatus(response, text));
}

function statusOf(text: string): Status | undefined {
  try {
    const body = JSON.parse(text);
    return body?.kind === "Status" && typeof body.code === "number" ? body : undefined;
  } catch {
    return undefined;
  }
}

const reasons: Record<number, [StatusReason, string]> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  409: ["Conflict", "the server reported a conflict"],
  410: ["Gone", "the server has received a request for a resource that is gone"],
  413: ["RequestEntityTooLarge", "the request is too large"],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  500: ["InternalError", "an error on the server has prevented the request from succeeding"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: [
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
};

function genericStatus(response: Response, text: string): Status {
  const [reason, message] = reasons[response.status] ?? [
    "",
    `the server responded with the status code ${response.status} but did not return more information`,
  ];
  const retryAfter = Number(response.headers.get("retry-after") ?? "");
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: response.status === 403 && text !== "" ? text : message,
    reason: response.status === 403 ? "Forbidden" : reason,
    details: {
      ...(text === "" ? {} : { causes: [{ reason: "UnexpectedServerResponse", message: text.slice(0, 2048) }] }),
      ...(retryAfter > 0 ? { retryAfterSeconds: retryAfter } : {}),
    },
    code: response.status,
  };
}
