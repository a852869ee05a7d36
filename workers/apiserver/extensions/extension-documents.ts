import { discoveryResponse } from "../discovery/discovery-response.ts";
import { openApiResponse } from "../openapi/openapi-response.ts";
import type { AppContext } from "../request/context.ts";
import { extensionsContext } from "./extensions-context.ts";
import { customResources, customResourcesWithSchemas } from "./snapshot.ts";

/** Discovery and OpenAPI with the custom resources of the request's cluster; undefined for other paths. */
export async function documentResponse(c: AppContext): Promise<Response | undefined> {
  const { path } = c.var.info;
  const request = c.req.raw;
  if (path === "/api" || path.startsWith("/api/") || path === "/apis" || path.startsWith("/apis/")) {
    return discoveryResponse(request, path, await customResources(extensionsContext(c)));
  }
  const document = /^\/openapi\/(?:v2\/?|v3(?:\/apis\/([^/]+\/[^/]+))?.*)$/.exec(path);
  if (document === null) return undefined;
  const [, groupVersion] = document;
  const index = path.startsWith("/openapi/v3") && groupVersion === undefined;
  const extra = index ? await customResources(extensionsContext(c)) : await customResourcesWithSchemas(extensionsContext(c), groupVersion);
  return openApiResponse(request, path, extra);
}
