import type { Filter } from "../request/context.ts";
import { setHeader } from "../responses.ts";

/** Answers are private to the requester. Mirrors WithCacheControl. */
export const cacheControl: Filter = async (c, next) => {
  await next();
  if (c.env.loopbackUser === undefined && !c.res.headers.has("Cache-Control"))
    setHeader(c, "Cache-Control", "no-cache, private");
};
