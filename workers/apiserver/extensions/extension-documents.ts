import { catalog } from "../../apis/catalog.ts";
import { remoteResponse } from "../aggregator/aggregator.ts";
import { aggregatorContext } from "../aggregator/aggregator-context.ts";
import { withRemoteResources } from "../aggregator/remote-documents.ts";
import { findRemoteApiService } from "../aggregator/snapshot.ts";
import { discoveryResponse } from "../discovery/discovery-response.ts";
import { openApiResponse } from "../openapi/openapi-response.ts";
import type { AppContext } from "../request/context.ts";
import { extensionsContext } from "./extensions-context.ts";
import { customResources, customResourcesWithSchemas } from "./snapshot.ts";

/** Discovery and OpenAPI with the custom resources and aggregated servers of the request's cluster; undefined for other paths. */
export async function documentResponse(c: AppContext): Promise<Response | undefined> {
  const { path } = c.get("info");
  const request = c.req.raw;
  if (path === "/api" || path.startsWith("/api/") || path === "/apis" || path.startsWith("/apis/")) {
    if (isBuiltIn(path)) return discoveryResponse(request, path);
    return discoveryResponse(
      request,
      path,
      await withRemoteResources(aggregatorContext(c), customResources(extensionsContext(c)), "resources"),
    );
  }
  const document = /^\/openapi\/(?:v2\/?|v3(?:\/apis\/([^/]+\/[^/]+))?.*)$/.exec(path);
  if (document === null) return undefined;
  const [, groupVersion] = document;
  const context = aggregatorContext(c);
  if (groupVersion !== undefined) {
    const [group = "", version = ""] = groupVersion.split("/");
    if (catalog.resources(group, version).length === 0) {
      const remote = await findRemoteApiService(context, group, version);
      if (remote !== undefined) return remoteResponse(c, context, remote);
    }
    return openApiResponse(request, path, await customResourcesWithSchemas(extensionsContext(c), groupVersion));
  }
  if (path.startsWith("/openapi/v3")) {
    return openApiResponse(
      request,
      path,
      await withRemoteResources(context, customResources(extensionsContext(c)), "openapi index"),
    );
  }
  return openApiResponse(
    request,
    path,
    await withRemoteResources(context, customResourcesWithSchemas(extensionsContext(c), undefined), "openapi v2"),
  );
}

/** Documents that nothing can be added to: those of the core group and of one built-in version. */
function isBuiltIn(path: string): boolean {
  const [, root, group = "", version = ""] = path.split("/");
  return root === "api" || catalog.resources(group, version).length > 0;
}
