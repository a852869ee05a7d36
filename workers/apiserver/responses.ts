import type { Status } from "../apimachinery/status-errors.ts";
import { negotiateStatus } from "./negotiation/negotiate.ts";
import { writeObject } from "./negotiation/write-object.ts";
import type { AppContext } from "./request/context.ts";

export const jsonType = "application/json";

export function jsonResponse(body: BodyInit | null, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { "Content-Type": jsonType, ...headers } });
}

/** Sets a header of the answer in place where the platform lets it; an answer that came from elsewhere is copied. */
export function setHeader(c: AppContext, name: string, value: string): void {
  try {
    c.res.headers.set(name, value);
  } catch {
    c.header(name, value);
  }
}

/**
 * A metav1.Status as the answer, in the encoding that the client accepts, with Retry-After where it says so.
 * A client that accepts none gets JSON. Mirrors ErrorNegotiated of k8s.io/apiserver pkg/endpoints/handlers/responsewriters (1.36).
 */
export function statusResponse(c: AppContext, status: Status): Response {
  const form = negotiateStatus(c.req.header("Accept"));
  const response =
    form === undefined
      ? jsonResponse(JSON.stringify(status, null, 2), status.code)
      : writeObject(status, form, status.code);
  if (status.details?.retryAfterSeconds !== undefined)
    response.headers.set("Retry-After", String(status.details.retryAfterSeconds));
  if (status.code === 401) response.headers.set("WWW-Authenticate", 'Bearer realm="kubernetes"');
  return response;
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
