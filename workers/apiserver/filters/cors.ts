import type { Filter } from "../request/context.ts";

/**
 * CORS for origins that match EDGEPLANE_CORS_ORIGINS (comma-separated, exact). Off when unset.
 * Mirrors k8s.io/apiserver pkg/server/filters/cors.go.
 */
export const cors: Filter = async (c, next) => {
  const allowed = c.env.env.EDGEPLANE_CORS_ORIGINS;
  const origin = c.req.header("Origin");
  if (!allowed || !origin || !allowed.split(",").includes(origin)) return next();
  const headers = {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS, PUT, DELETE, PATCH",
    "Access-Control-Allow-Headers":
      "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",
    "Access-Control-Expose-Headers": "Date",
    "Access-Control-Allow-Credentials": "true",
  };
  if (c.req.method === "OPTIONS") return new Response(null, { status: 204, headers });
  await next();
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  return undefined;
};
