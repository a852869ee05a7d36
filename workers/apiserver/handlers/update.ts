import { newBadRequest } from "../../apimachinery/status-errors.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { admit } from "../../admission/chain.ts";
import { noteResource } from "../../registry/note-resource.ts";
import { negotiate } from "../negotiation/negotiate.ts";
import type { AppContext } from "../request/context.ts";
import { parseWriteOptions } from "../request/options.ts";
import { decodeObjectBody, fitToStored } from "./decode-body.ts";
import { managerOf, servedVersion, trackFields } from "./field-tracking.ts";
import { writeEntry } from "./get.ts";
import { queryOf, requestScope, storeFor } from "./scope.ts";

/** PUT of an object or of its status. */
export async function updateHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "object", resource);
  const options = parseWriteOptions(queryOf(c), "UpdateOptions");
  const scope = requestScope(c, resource, options.dryRun);
  const { name, subresource } = c.get("info");
  const decoded = await decodeObjectBody(c, resource, options.fieldValidation);
  checkName(decoded, name, scope.namespace);
  const { uid } = decoded.metadata;
  const object = await fitToStored(c, resource, decoded, options.fieldValidation);
  const manager = managerOf(c, options);
  const tracked = (live: KubeObject | undefined): KubeObject => {
    const stored = structuredClone(object);
    trackFields(c, resource, manager, subresource, live, decoded, stored);
    return stored;
  };
  const create = async () => {
    if (!options.dryRun) await noteResource(c.env.env, c.get("info").cluster, resource);
    return tracked(undefined);
  };
  const entry = await storeFor(scope).update({
    name,
    subresource,
    ...(uid ? { preconditions: { uid } } : {}),
    update: async (current) => tracked(await servedVersion(resource, current)),
    ...(subresource === "" ? { create } : {}),
    admit: (updated, previous) =>
      admit({ operation: previous === undefined ? "CREATE" : "UPDATE", object: updated, previous, subresource, scope }),
  });
  return writeEntry(c, resource, entry, form, entry.created ? 201 : 200);
}

/** Mirrors checkName of k8s.io/apiserver pkg/endpoints/handlers/rest.go (1.36). */
export function checkName(object: KubeObject, name: string, namespace: string | undefined): void {
  const given = object.metadata;
  if (!given.name) {
    throw newBadRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (given.name !== name)
    throw newBadRequest(`the name of the object (${given.name}) does not match the name on the URL (${name})`);
  if (namespace && given.namespace && given.namespace !== namespace) {
    throw newBadRequest(
      `the namespace of the object (${given.namespace}) does not match the namespace on the request (${namespace})`,
    );
  }
}
