import type { Filter } from "../request/context.ts";

/** Answers are private to the requester. Mirrors WithCacheControl. */
export const cacheControl: Filter = async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-cache, private");
};
