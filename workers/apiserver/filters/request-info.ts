import type { Filter } from "../request/context.ts";
import { newPathNotFound } from "../../apimachinery/status-errors.ts";
import { newStorageFactory } from "../../registry/storage-factory.ts";
import { parseRequestInfo } from "../request/request-info.ts";

/** Reads cluster, verb and resource from the path. Mirrors WithRequestInfo. */
export const requestInfo: Filter = async (c, next) => {
  const info = parseRequestInfo(c.req.method, new URL(c.req.url));
  if (info === undefined) throw newPathNotFound();
  c.set("info", info);
  c.set("storage", c.env.storage ?? newStorageFactory(c.env.env, info.cluster));
  c.set("warnings", []);
  await next();
};
