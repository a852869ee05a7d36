import { Hono } from "hono";
import { newMethodNotAllowed, newPathNotFound } from "../apimachinery/status-errors.ts";
import { catalog } from "../apis/catalog.ts";
import { aggregatedResponse } from "./aggregator/aggregator.ts";
import { documentResponse } from "./extensions/extension-documents.ts";
import { extensionsContext } from "./extensions/extensions-context.ts";
import { servesGroup } from "./extensions/snapshot.ts";
import { audit } from "./filters/audit.ts";
import { authentication } from "./filters/authentication.ts";
import { authorization } from "./filters/authorization.ts";
import { cacheControl } from "./filters/cache-control.ts";
import { cors } from "./filters/cors.ts";
import { impersonation } from "./filters/impersonation.ts";
import { maxInFlight } from "./filters/max-in-flight.ts";
import { panicRecovery } from "./filters/panic-recovery.ts";
import { prettyPrint } from "./filters/pretty-print.ts";
import { requestDeadline } from "./filters/request-deadline.ts";
import { requestId } from "./filters/request-id.ts";
import { requestInfo } from "./filters/request-info.ts";
import { warnings } from "./filters/warnings.ts";
import { batchHandler, batchPath } from "./handlers/batch.ts";
import { healthPaths, healthResponse } from "./health.ts";
import { metricsResponse, requestMetrics } from "./metrics.ts";
import { openIdResponse } from "./openid-metadata.ts";
import type { AppContext, AppEnv, ChainBindings } from "./request/context.ts";
import { resourceDirector } from "./resource-director.ts";
import { jsonResponse, pageNotFound } from "./responses.ts";
import { version } from "./version.ts";

export type HandlerChain = (request: Request, bindings: ChainBindings) => Response | Promise<Response>;

/**
 * The way of a request, from top to bottom. Mirrors DefaultBuildHandlerChain of k8s.io/apiserver pkg/server/config.go (1.36).
 */
export function buildHandlerChain(bootstrap: (c: AppContext) => Promise<void>): HandlerChain {
  const app = new Hono<AppEnv>();
  app.onError(panicRecovery as never);
  app.use(requestId);
  app.use(requestInfo);
  app.use(requestMetrics);
  app.use(cacheControl);
  app.use(warnings);
  app.use(prettyPrint);
  app.use(requestDeadline);
  app.use(cors);
  app.use(authentication);
  app.use(audit);
  app.use(impersonation);
  app.use(maxInFlight);
  app.use(authorization);
  const chain: HandlerChain = (request, bindings) => app.fetch(request, bindings);
  app.all("*", (c) => director(c, chain, bootstrap));
  return chain;
}

const writingVerbs = new Set(["create", "update", "patch", "delete", "deletecollection"]);

async function director(
  c: AppContext,
  chain: HandlerChain,
  bootstrap: (c: AppContext) => Promise<void>,
): Promise<Response> {
  const info = c.get("info");
  if (info.path !== batchPath) {
    const aggregated = await aggregatedResponse(c);
    if (aggregated !== undefined) return aggregated;
  }
  if (info.isResourceRequest && info.path !== batchPath) {
    // The first authorised write brings a cluster into being.
    if (writingVerbs.has(info.verb) && c.env.loopbackUser === undefined) await bootstrap(c);
    return resourceDirector(c);
  }
  if (info.path === batchPath) {
    if (c.req.method !== "POST") throw newMethodNotAllowed();
    if (c.env.loopbackUser === undefined) await bootstrap(c);
    return batchHandler(c, chain);
  }
  if (c.req.method !== "GET" && c.req.method !== "HEAD") {
    if (isWebServicePath(info.path)) throw newMethodNotAllowed();
    return pageNotFound();
  }
  const health = await healthResponse(c);
  if (health !== undefined) return health;
  if (info.path === "/version" || info.path === "/version/")
    return jsonResponse(`${JSON.stringify(version, null, 2)}\n`);
  if (info.path === "/metrics") return metricsResponse();
  if (info.path === "/") return jsonResponse(JSON.stringify({ paths: rootPaths() }, null, 2));
  const answer = (await openIdResponse(c)) ?? (await documentResponse(c));
  if (answer !== undefined) return answer;
  // Below a served group the router knows the path's beginning, and answers as an API does.
  if (isWebServicePath(info.path) || servesGroup(extensionsContext(c), info.path.split("/")[2] ?? ""))
    throw newPathNotFound();
  return pageNotFound();
}

/** What is served, as upstream's index lists it: web services, then handlers by path. */
function rootPaths(): string[] {
  const services = ["/.well-known/openid-configuration", "/api", "/api/v1", "/apis", "/apis/"];
  for (const { group, versions } of catalog.groups()) {
    if (group !== "") services.push(`/apis/${group}`, ...versions.map((each) => `/apis/${group}/${each}`));
  }
  const handlers = [
    ...healthPaths(),
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/openid/v1/jwks",
    "/version",
  ];
  return [...services.sort(), ...handlers.sort()];
}

/** Paths below what upstream's router has web services for: /api, and the groups that are served. */
export function isWebServicePath(path: string): boolean {
  const [, first = "", group = "", ...rest] = path.split("/");
  if (first === "api" || first === "version" || (first === "openapi" && group === "v2")) return true;
  if (first !== "apis") return false;
  return group === "" ? rest.length === 0 : catalog.groups().some((known) => known.group === group);
}
