import { newBadRequest } from "../../apimachinery/status-errors.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { admit } from "../../admission/chain.ts";
import { negotiate } from "../negotiation/negotiate.ts";
import type { AppContext } from "../request/context.ts";
import { parseWriteOptions } from "../request/options.ts";
import { decodeBody, kindOf, toStored } from "./decode-body.ts";
import { writeEntry } from "./get.ts";
import { queryOf, requestScope, storeFor } from "./scope.ts";

/** PUT of an object or of its status. */
export async function updateHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), true);
  const options = parseWriteOptions(queryOf(c), "UpdateOptions");
  const scope = requestScope(c, resource, options.dryRun);
  const { name, subresource } = c.var.info;
  const decoded = await decodeBody(c, kindOf(resource), options.fieldValidation);
  checkName(decoded, name);
  const object = toStored(resource, decoded);
  const entry = await storeFor(scope).update({
    name,
    subresource,
    update: () => structuredClone(object),
    ...(subresource === "" ? { create: () => structuredClone(object) } : {}),
    admit: (updated, previous) =>
      admit({ operation: previous === undefined ? "CREATE" : "UPDATE", object: updated, previous, subresource, scope }),
  });
  return writeEntry(c, resource, entry, form, entry.created ? 201 : 200);
}

export function checkName(object: KubeObject, name: string): void {
  const given = object.metadata.name;
  if (given === undefined || given === "") {
    throw newBadRequest("name must be provided");
  }
  if (given !== name) throw newBadRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}
