import type { Filter } from "../request/context.ts";
import { formatMicroTime } from "../../apimachinery/clock.ts";

/**
 * Writes one audit.k8s.io/v1 Event at level Metadata per external request to the log, when EDGEPLANE_AUDIT is "Metadata".
 * Mirrors WithAudit for a log backend and a policy with one rule.
 */
export const audit: Filter = async (c, next) => {
  if (c.env.env.EDGEPLANE_AUDIT !== "Metadata" || c.env.loopbackUser !== undefined) return next();
  const received = c.env.clock.now();
  await next();
  const info = c.get("info");
  const user = c.get("user");
  console.log(
    JSON.stringify({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "Metadata",
      auditID: c.get("requestId"),
      stage: "ResponseComplete",
      requestURI: new URL(c.req.url).pathname + new URL(c.req.url).search,
      verb: info.verb,
      user,
      userAgent: c.req.header("User-Agent"),
      ...(info.isResourceRequest
        ? {
            objectRef: {
              resource: info.resource,
              namespace: info.namespace || undefined,
              name: info.name || undefined,
              apiGroup: info.apiGroup || undefined,
              apiVersion: info.apiVersion,
              subresource: info.subresource || undefined,
            },
          }
        : {}),
      responseStatus: { metadata: {}, code: c.res.status },
      requestReceivedTimestamp: formatMicroTime(received),
      stageTimestamp: formatMicroTime(c.env.clock.now()),
    }),
  );
};
