import type { KubeObject } from "../../../apimachinery/meta.ts";
import { quote } from "../../../apimachinery/quote.ts";
import { newBadRequest, StatusError } from "../../../apimachinery/status-errors.ts";
import type { ResourceInfo } from "../../../apis/resource-info.ts";
import type { AppContext } from "../../request/context.ts";
import { queryOf, requestScope, storeFor } from "../scope.ts";
import { containerOf } from "./containers.ts";
import { checkLogOptions } from "./log-options.ts";

/**
 * Subresources that connect a client with what runs: everything is checked as upstream does, up to the connection, which
 * there is none of. Mirrors pkg/registry/core/{pod,service,node}/rest (1.36).
 */
export async function connectHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const { subresource, name } = c.get("info");
  const store = storeFor(requestScope(c, resource));
  const object = (await store.get(subresource === "proxy" ? nameOf(name, resource) : name)).object;
  if (resource.resource === "pods" && subresource !== "proxy") {
    const isAssigned = checkPod(object, subresource, queryOf(c));
    // Nothing has run yet.
    if (!isAssigned) return new Response("", { headers: { "Content-Type": "text/plain" } });
  }
  throw newNotServed(`${resource.resource}/${subresource}`);
}

/** Whether the pod is on a node, without which only its log can be asked for. */
function checkPod(pod: KubeObject, subresource: string, query: URLSearchParams): boolean {
  const name = pod.metadata.name ?? "";
  if (subresource === "log") checkLogOptions(query, name);
  if (subresource !== "portforward") containerOf(pod, query.get("container"));
  const isAssigned = Boolean(pod.spec?.nodeName);
  if (!isAssigned && subresource !== "log") throw newBadRequest(`pod ${name} does not have a host assigned`);
  return isAssigned;
}

/** `name`, `name:port` or `scheme:name:port`. */
function nameOf(id: string, { singular }: ResourceInfo): string {
  const parts = id.split(":");
  const [scheme, name = ""] = parts.length === 3 ? parts : ["", parts[0]];
  if (parts.length > 3 || name === "" || !["", "http", "https"].includes(scheme)) {
    throw newBadRequest(`invalid ${singular} request ${quote(id)}`);
  }
  return name;
}

function newNotServed(what: string): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `the server does not serve ${what} yet`,
    code: 501,
  });
}
