import type { Status } from "../apimachinery/status-errors.ts";
import type { AppContext } from "./request/context.ts";

export const jsonType = "application/json";

export function jsonResponse(body: BodyInit | null, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { "Content-Type": jsonType, ...headers } });
}

/** A metav1.Status as the answer, with Retry-After where it says so. */
export function statusResponse(_c: AppContext, status: Status): Response {
  const headers: Record<string, string> = {};
  if (status.details?.retryAfterSeconds !== undefined) headers["Retry-After"] = String(status.details.retryAfterSeconds);
  if (status.code === 401) headers["WWW-Authenticate"] = 'Bearer realm="kubernetes"';
  return jsonResponse(`${JSON.stringify(status)}\n`, status.code, headers);
}

/** What upstream answers to a deletion or binding that has nothing else to say. */
export function successStatus(code: number, details?: Status["details"]): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/** What net/http answers to a path that nothing serves; a plain text, not a Status. */
export function pageNotFound(): Response {
  return new Response("404 page not found\n", {
    status: 404,
    headers: { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" },
  });
}
