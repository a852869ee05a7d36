import type { KubeObject } from "../../apimachinery/meta.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { admit } from "../../admission/chain.ts";
import { bareMediaType } from "../../apis/codec/media-types.ts";
import {
  applyCborPatchType,
  checkNoUid,
  readApplyBody,
  readCborApplyBody,
} from "../../registry/field-manager/apply-body.ts";
import { fieldManagerFor } from "../../registry/field-manager/resource-field-manager.ts";
import { noteResource } from "../../registry/note-resource.ts";
import { negotiate } from "../negotiation/negotiate.ts";
import { readBody } from "../request/body.ts";
import type { AppContext } from "../request/context.ts";
import type { WriteOptions } from "../request/options.ts";
import { fitToStored } from "./decode-body.ts";
import { servedVersion } from "./field-tracking.ts";
import { writeEntry } from "./get.ts";
import { requestScope, storeFor } from "./scope.ts";
import { checkName } from "./update.ts";

/** PATCH with application/apply-patch+yaml (or +cbor): server-side apply, of an object or of its status. Creates what is not there. */
export async function applyHandler(c: AppContext, resource: ResourceInfo, options: WriteOptions): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "object", resource);
  const scope = requestScope(c, resource, options.dryRun);
  const { name, subresource } = c.get("info");
  const body = await readBody(c.req.raw);
  const { applied, warnings } =
    bareMediaType(c.req.header("Content-Type") ?? "") === applyCborPatchType
      ? readCborApplyBody(body)
      : readApplyBody(new TextDecoder().decode(body), options.fieldValidation);
  c.get("warnings").push(...warnings);
  const fieldManager = fieldManagerFor(resource, subresource, c.env.clock);
  const merge = async (live: KubeObject | undefined): Promise<KubeObject> => {
    const merged = fieldManager.apply(live, applied, options.fieldManager, options.force);
    if (live === undefined) checkNoUid({ group: resource.group, resource: resource.resource }, name, merged);
    if (scope.namespace !== undefined) merged.metadata.namespace ??= scope.namespace;
    checkName(merged, name, scope.namespace);
    return fitToStored(c, resource, merged, options.fieldValidation);
  };
  const create = async () => {
    const object = await merge(undefined);
    if (!options.dryRun) await noteResource(c.env.env, c.get("info").cluster, resource);
    return object;
  };
  const entry = await storeFor(scope).update({
    name,
    subresource,
    update: async (current) => merge(await servedVersion(resource, current)),
    ...(subresource === "" ? { create, forceAllowCreate: true } : {}),
    admit: (updated, previous) =>
      admit({ operation: previous === undefined ? "CREATE" : "UPDATE", object: updated, previous, subresource, scope }),
  });
  return writeEntry(c, resource, entry, form, entry.created ? 201 : 200);
}
