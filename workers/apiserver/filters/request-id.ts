import type { Filter } from "../request/context.ts";
import { setHeader } from "../responses.ts";

/** Gives the request its audit ID, taking the client's own if it sent one. Mirrors WithAuditInit. */
export const requestId: Filter = async (c, next) => {
  // In-process callers ask for none.
  if (c.env.loopbackUser !== undefined) return next();
  const id = c.req.header("Audit-ID")?.slice(0, 64) || crypto.randomUUID();
  c.set("requestId", id);
  await next();
  setHeader(c, "Audit-ID", id);
  return undefined;
};
