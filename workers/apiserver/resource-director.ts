import { newMethodNotAllowed, newPathNotFound, StatusError } from "../apimachinery/status-errors.ts";
import { catalog } from "../apis/catalog.ts";
import type { ResourceInfo, SubresourceInfo } from "../apis/resource-info.ts";
import { noticeWrite } from "./aggregator/notice-write.ts";
import { componentStatusHandler } from "./handlers/component-status.ts";
import { connectHandler } from "./handlers/connect/connect.ts";
import { createHandler } from "./handlers/create.ts";
import { deleteCollectionHandler, deleteHandler } from "./handlers/delete.ts";
import { getHandler } from "./handlers/get.ts";
import { listHandler } from "./handlers/list.ts";
import { patchHandler } from "./handlers/patch.ts";
import { reviewHandler } from "./handlers/reviews/review.ts";
import { bindingHandler } from "./handlers/subresources/binding.ts";
import { evictionHandler } from "./handlers/subresources/eviction.ts";
import { finalizeHandler } from "./handlers/subresources/finalize.ts";
import { scaleHandler } from "./handlers/subresources/scale.ts";
import { tokenHandler } from "./handlers/subresources/token.ts";
import { updateHandler } from "./handlers/update.ts";
import { watchHandler } from "./handlers/watch.ts";
import { definitions } from "./extensions/definition.ts";
import { extensionsContext } from "./extensions/extensions-context.ts";
import { definitionsChanged, findCustomResource, refreshDefinitions, servesGroup } from "./extensions/snapshot.ts";
import type { AppContext } from "./request/context.ts";
import type { RequestInfo } from "./request/request-info.ts";
import { pageNotFound } from "./responses.ts";

type Handler = (c: AppContext, resource: ResourceInfo) => Promise<Response>;

const handlers: Record<string, Handler> = {
  get: getHandler,
  list: listHandler,
  watch: watchHandler,
  create: createHandler,
  update: updateHandler,
  patch: patchHandler,
  delete: deleteHandler,
  deletecollection: deleteCollectionHandler,
};

/** Subresources that are not the object itself, by name. */
const subresourceHandlers: Record<string, Handler> = {
  scale: scaleHandler,
  binding: bindingHandler,
  eviction: evictionHandler,
  finalize: finalizeHandler,
  token: tokenHandler,
  log: connectHandler,
  exec: connectHandler,
  attach: connectHandler,
  portforward: connectHandler,
  proxy: connectHandler,
};

/** API versions that go on being served, with a warning. */
const deprecated: Record<string, string> = {
  endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};

/** Subresources whose body is the object itself; what they may change is the strategy's. */
const wholeObject = new Set(["status", "approval", "ephemeralcontainers", "resize"]);

/** Only these have path segments after the subresource. */
const withRest = new Set(["proxy"]);

/**
 * Answers a request for a built-in resource; 404 for what the catalog does not have (a plain page where not even the group
 * is served, as upstream's last delegate), 405 for verbs that the path does not serve.
 */
export async function resourceDirector(c: AppContext): Promise<Response> {
  const info = c.get("info");
  const resource = catalog.find(info.apiGroup, info.apiVersion, info.resource) ?? (await customResource(c));
  if (resource === undefined) {
    const served = info.apiGroup === "" || catalog.groups().some(({ group }) => group === info.apiGroup);
    if (!served && !servesGroup(extensionsContext(c), info.apiGroup)) return pageNotFound();
    throw newPathNotFound();
  }
  // Names are settled against those of all other definitions.
  if (resource.resource === definitions.resource && resource.group === definitions.group && writes.has(info.verb)) {
    await refreshDefinitions(extensionsContext(c));
    try {
      return await noticed(c, resource);
    } finally {
      definitionsChanged(info.cluster);
    }
  }
  return noticed(c, resource);
}

async function noticed(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const response = await resourceHandler(c, resource);
  await noticeWrite(c, resource);
  return response;
}

function resourceHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const info = c.get("info");
  // HEAD has the verb "get" for authorization, but no route.
  if (info.verb === "" || c.req.raw.method === "HEAD") throw newMethodNotAllowed();
  if (!isServedPath(info, resource)) throw newPathNotFound();
  if (info.subresource !== "") {
    const subresource = resource.subresources.find(({ name }) => name === info.subresource);
    if (subresource === undefined) throw newPathNotFound();
    return subresourceDirector(c, resource, subresource);
  }
  if (!isServedMethod(info, resource)) throw newMethodNotAllowed();
  const warning = resource.group === "" ? deprecated[resource.resource] : undefined;
  if (warning !== undefined) c.get("warnings").push(warning);
  if (resource.group === "" && resource.resource === "bindings")
    return bindingHandler(c, catalog.find("", "v1", "pods")!);
  if (resource.group === "" && resource.resource === "componentstatuses") return componentStatusHandler(c, resource);
  if (!resource.persisted) return reviewHandler(c, resource);
  return handlers[info.verb]!(c, resource);
}

const writes = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** The custom resource of the request's path. Groups without a dot and the core group have none. */
async function customResource(c: AppContext): Promise<ResourceInfo | undefined> {
  const { apiGroup, apiVersion, resource, verb } = c.get("info");
  if (!apiGroup.includes(".")) return undefined;
  const found = await findCustomResource(extensionsContext(c), apiGroup, apiVersion, resource);
  if (found?.custom === undefined) return found;
  const { warning, terminating } = found.custom;
  if (warning !== undefined) c.get("warnings").push(warning);
  if (terminating && verb === "create") {
    throw newMethodNotAllowedBecause("create not allowed while custom resource definition is terminating", found);
  }
  return found;
}

function newMethodNotAllowedBecause(message: string, { group, resource }: ResourceInfo): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "MethodNotAllowed",
    details: { group, kind: resource },
    code: 405,
  });
}

/** Whether the path has the form of one of the resource's routes. */
function isServedPath(info: RequestInfo, resource: ResourceInfo): boolean {
  if (info.rest.length > 0 && !withRest.has(info.subresource)) return false;
  if (resource.namespaced) return info.namespace !== "" || info.name === "" || info.verb === "watch";
  return info.namespace === "" || (resource.group === "" && resource.resource === "namespaces");
}

function isServedMethod(info: RequestInfo, resource: ResourceInfo): boolean {
  const { verb } = info;
  if (!resource.verbs.includes(verb)) return false;
  if (verb === "list" || verb === "watch") return true;
  // Across namespaces there is only reading.
  if (resource.namespaced && info.namespace === "") return false;
  return (verb === "create" || verb === "deletecollection") === (info.name === "");
}

function subresourceDirector(c: AppContext, resource: ResourceInfo, subresource: SubresourceInfo): Promise<Response> {
  const { verb } = c.get("info");
  if (!subresource.verbs.includes(verb)) throw newMethodNotAllowed();
  if (wholeObject.has(subresource.name)) return handlers[verb]!(c, resource);
  return subresourceHandlers[subresource.name]!(c, resource);
}
