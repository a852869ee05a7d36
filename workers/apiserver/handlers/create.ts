import { newBadRequest } from "../../apimachinery/status-errors.ts";
import { noteResource } from "../../registry/note-resource.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { admit } from "../../admission/chain.ts";
import { negotiate } from "../negotiation/negotiate.ts";
import type { AppContext } from "../request/context.ts";
import { parseWriteOptions } from "../request/options.ts";
import { decodeObjectBody, fitToStored } from "./decode-body.ts";
import { managerOf, trackFields } from "./field-tracking.ts";
import { writeEntry } from "./get.ts";
import { queryOf, requestScope, storeFor } from "./scope.ts";

export async function createHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "object", resource);
  const options = parseWriteOptions(queryOf(c), "CreateOptions");
  const scope = requestScope(c, resource, options.dryRun);
  const decoded = await decodeObjectBody(c, resource, options.fieldValidation);
  if (resource.namespaced && scope.namespace === undefined) {
    throw newBadRequest("an empty namespace may not be set during creation");
  }
  const object = await fitToStored(c, resource, decoded, options.fieldValidation);
  trackFields(c, resource, managerOf(c, options), "", undefined, decoded, object);
  // Before the object is there: the garbage collector has to know of every type that has objects.
  if (!options.dryRun) await noteResource(c.env.env, c.get("info").cluster, resource);
  const entry = await storeFor(scope).create(object, (created) =>
    admit({ operation: "CREATE", object: created, previous: undefined, subresource: "", scope }),
  );
  return writeEntry(c, resource, entry, form, 201);
}
