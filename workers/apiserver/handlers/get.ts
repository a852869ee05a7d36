import { apiVersionOf } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newBadRequest, newTooLargeResourceVersion } from "../../apimachinery/status-errors.ts";
import { printerFor } from "../../apis/printers/printers.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { isPassedThrough, storedAs, toServedVersion } from "../../registry/conversion.ts";
import { convertToServed } from "../../registry/stored-form.ts";
import type { Entry } from "../../registry/store.ts";
import { withTypeMeta } from "../../storage/encode-object.ts";
import { negotiate } from "../negotiation/negotiate.ts";
import type { OutputForm } from "../negotiation/negotiate.ts";
import { partialMetadata, tableOf } from "../negotiation/table.ts";
import type { IncludeObject } from "../negotiation/table.ts";
import { writeObject, writeText } from "../negotiation/write-object.ts";
import type { AppContext } from "../request/context.ts";
import { parseResourceVersion } from "../request/list-options.ts";
import { queryOf, requestScope, storeFor } from "./scope.ts";

export async function getHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "object", resource);
  const version = queryOf(c).get("resourceVersion");
  const minimum = version ? parseResourceVersion(version) : 0;
  const entry = await storeFor(requestScope(c, resource)).get(c.get("info").name);
  if (minimum > 0) {
    const storage = c.get("storage").for(storedAs(resource));
    const current = Math.max(Number(entry.object.metadata.resourceVersion), 0);
    if (current < minimum) {
      const newest = await storage.currentRevision();
      if (newest < minimum) throw newTooLargeResourceVersion(minimum, newest, 1);
    }
  }
  return writeEntry(c, resource, entry, form);
}

/** A stored object in the version, representation and encoding that was asked for. */
export async function writeEntry(
  c: AppContext,
  resource: ResourceInfo,
  entry: Entry,
  form: OutputForm,
  status = 200,
): Promise<Response> {
  if (form.as === "object" && isPassedThrough(resource)) {
    return writeText(withTypeMeta(entry.value, apiVersionOf(resource), resource.kind), form, status);
  }
  const [stored] = await convertToServed(resource, [JSON.parse(entry.value) as KubeObject]);
  const object = toServedVersion(resource, stored!);
  if (form.as === "object") return writeObject(object, form, status);
  if (form.as === "table") {
    const table = tableOf([object], resource.custom?.printer ?? printerFor(resource.group, resource.resource), {
      version: form.version,
      includeObject: includeObjectOf(c),
      metadata: { resourceVersion: object.metadata.resourceVersion ?? "" },
      columns: true,
      now: c.env.clock.now(),
    });
    return writeObject(table, form, status);
  }
  return writeObject(partialMetadata(object, form.version), form, status);
}

export function includeObjectOf(c: AppContext): IncludeObject {
  const value = queryOf(c).get("includeObject") || "Metadata";
  if (value !== "None" && value !== "Metadata" && value !== "Object") {
    throw newBadRequest(`unrecognized includeObject value: ${JSON.stringify(value)}`);
  }
  return value;
}
