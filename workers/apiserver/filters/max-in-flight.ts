import type { Filter } from "../request/context.ts";
import { newTooManyRequests } from "../../apimachinery/status-errors.ts";

/** Per isolate; upstream's defaults for a whole server. */
const maximum = { mutating: 200, readOnly: 400 };
const current = { mutating: 0, readOnly: 0 };
const readOnlyVerbs = new Set(["get", "list", "watch"]);

/** Requests in progress now, for /metrics. */
export function inFlight(): Readonly<typeof current> {
  return current;
}

/**
 * Refuses what exceeds the number of requests in progress, with 429 and Retry-After; in-process callers and long-running
 * requests are not counted. Mirrors k8s.io/apiserver pkg/server/filters/maxinflight.go.
 */
export const maxInFlight: Filter = async (c, next) => {
  if (c.env.loopbackUser !== undefined || c.get("info").verb === "watch") return next();
  const kind = readOnlyVerbs.has(c.get("info").verb) ? "readOnly" : "mutating";
  if (current[kind] >= maximum[kind]) {
    throw newTooManyRequests("The server has received too many requests and has asked us to try again later", 1);
  }
  current[kind]++;
  try {
    await next();
  } finally {
    current[kind]--;
  }
  return undefined;
};
