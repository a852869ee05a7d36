import type { Filter } from "../request/context.ts";

/** Gives the request its audit ID, taking the client's own if it sent one. Mirrors WithAuditInit. */
export const requestId: Filter = async (c, next) => {
  const id = c.req.header("Audit-ID")?.slice(0, 64) || crypto.randomUUID();
  c.set("requestId", id);
  await next();
  c.header("Audit-ID", id);
};
