import { newMethodNotAllowed, newPathNotFound, StatusError } from "../apimachinery/status-errors.ts";
import { catalog } from "../apis/catalog.ts";
import type { ResourceInfo, SubresourceInfo } from "../apis/resource-info.ts";
import { createHandler } from "./handlers/create.ts";
import { deleteCollectionHandler, deleteHandler } from "./handlers/delete.ts";
import { getHandler } from "./handlers/get.ts";
import { listHandler } from "./handlers/list.ts";
import { patchHandler } from "./handlers/patch.ts";
import { bindingHandler } from "./handlers/subresources/binding.ts";
import { evictionHandler } from "./handlers/subresources/eviction.ts";
import { finalizeHandler } from "./handlers/subresources/finalize.ts";
import { scaleHandler } from "./handlers/subresources/scale.ts";
import { updateHandler } from "./handlers/update.ts";
import { watchHandler } from "./handlers/watch.ts";
import type { AppContext } from "./request/context.ts";

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
};

/** Answers a request for a built-in resource; 404 for what the catalog does not have, 405 for verbs that it does not serve. */
export async function resourceDirector(c: AppContext): Promise<Response> {
  const { info } = c.var;
  const resource = catalog.find(info.apiGroup, info.apiVersion, info.resource);
  if (resource === undefined) throw newPathNotFound();
  if (!resource.namespaced && info.namespace !== "" && info.resource !== "namespaces") throw newPathNotFound();
  if (info.subresource !== "") {
    const subresource = resource.subresources.find(({ name }) => name === info.subresource);
    if (subresource === undefined) throw newPathNotFound();
    return subresourceDirector(c, resource, subresource);
  }
  if (resource.group === "" && resource.resource === "bindings" && info.verb === "create") {
    return bindingHandler(c, catalog.find("", "v1", "pods")!);
  }
  if (!resource.verbs.includes(info.verb)) throw newMethodNotAllowed();
  if (!resource.persisted) throw newNotServed(resource.kind);
  // A name belongs to a namespace.
  if (resource.namespaced && info.namespace === "" && info.name !== "" && info.verb !== "watch") throw newPathNotFound();
  return handlers[info.verb]!(c, resource);
}

function subresourceDirector(c: AppContext, resource: ResourceInfo, subresource: SubresourceInfo): Promise<Response> {
  const { verb } = c.var.info;
  if (!subresource.verbs.includes(verb)) throw newMethodNotAllowed();
  if (subresource.name === "status") return handlers[verb]!(c, resource);
  const handler = subresourceHandlers[subresource.name];
  if (handler === undefined) throw newNotServed(`${resource.kind} ${subresource.name}`);
  return handler(c, resource);
}

function newNotServed(what: string): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${what} is not served by this control plane`,
    reason: "MethodNotAllowed",
    details: {},
    code: 405,
  });
}
