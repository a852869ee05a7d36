import type { KubeObject } from "../../apimachinery/meta.ts";
import { applyJsonPatch } from "../../apimachinery/patch/json-patch.ts";
import { applyMergePatch } from "../../apimachinery/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../apimachinery/patch/strategic-merge-patch.ts";
import { newBadRequest, newInvalid, newUnsupportedMediaType, StatusError } from "../../apimachinery/status-errors.ts";
import { invalid } from "../../apimachinery/field-error.ts";
import { strictDecodingMessage } from "../../apis/codec/unmarshal-error.ts";
import { decodePatched } from "../../apis/codec/decode-patched.ts";
import { bareMediaType } from "../../apis/codec/media-types.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { schemaTable } from "../../apis/schema-table.ts";
import { admit } from "../../admission/chain.ts";
import { applyCborPatchType, applyPatchType, validateApplyOptions } from "../../registry/field-manager/apply-body.ts";
import { negotiate } from "../negotiation/negotiate.ts";
import { readJson } from "../request/json-body.ts";
import type { AppContext } from "../request/context.ts";
import { parseWriteOptions } from "../request/options.ts";
import type { WriteOptions } from "../request/options.ts";
import { applyHandler } from "./apply.ts";
import { kindOf, fitToStored } from "./decode-body.ts";
import { managerOf, servedVersion, trackFields } from "./field-tracking.ts";
import { writeEntry } from "./get.ts";
import { queryOf, requestScope, storeFor } from "./scope.ts";
import { checkName } from "./update.ts";

const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";
const strategicMergePatch = "application/strategic-merge-patch+json";

export interface Patcher {
  /** As it was sent. */
  patch: unknown;
  strategic: boolean;
  apply(current: KubeObject): KubeObject;
}

/** Reads the patch of a request for objects of one kind; running it does not change what it is given. */
export async function readPatch(
  c: AppContext,
  kind: { group: string; version: string; kind: string },
): Promise<Patcher> {
  const mediaType = bareMediaType(c.req.header("Content-Type") ?? "");
  const struct = schemaTable.structOfKind(kind.group, kind.version, kind.kind);
  const accepted = struct === undefined ? [jsonPatch, mergePatch] : [jsonPatch, mergePatch, strategicMergePatch];
  if (!accepted.includes(mediaType)) throw newUnsupportedMediaType([...accepted, applyPatchType]);
  const body = await readJson(c.req.raw);
  const patcher = (strategic: boolean, apply: (current: KubeObject) => unknown): Patcher => ({
    patch: body,
    strategic,
    apply: (current) => asClientError(() => apply(current)) as KubeObject,
  });
  switch (mediaType) {
    case jsonPatch:
      return patcher(false, (current) => applyJsonPatch(current, body));
    case mergePatch: {
      const patch = mustBeObject(body);
      return patcher(false, (current) => applyMergePatch(current, patch));
    }
    default: {
      const patch = mustBeObject(body);
      return patcher(true, (current) => applyStrategicMergePatch(current, patch, struct!, schemaTable));
    }
  }
}

/** A patch that cannot be applied is the client's fault, also where upstream answers an error without a code (500). */
function asClientError<T>(apply: () => T): T {
  try {
    return apply();
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 500) throw newBadRequest(error.message);
    throw error;
  }
}

function mustBeObject(body: unknown): Record<string, unknown> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw newBadRequest("json: cannot unmarshal a non-object into Go value of type map[string]interface {}");
  }
  return body as Record<string, unknown>;
}

/** PATCH of an object or of its status. */
export async function patchHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "object", resource);
  const options = parseWriteOptions(queryOf(c), "PatchOptions");
  const isApply = [applyPatchType, applyCborPatchType].includes(bareMediaType(c.req.header("Content-Type") ?? ""));
  validateApplyOptions(isApply, options.fieldManager, queryOf(c).get("force"));
  if (isApply) return applyHandler(c, resource, options);
  const scope = requestScope(c, resource, options.dryRun);
  const { name, subresource } = c.get("info");
  const patch = await readPatch(c, kindOf(resource));
  const entry = await storeFor(scope).update({
    name,
    subresource,
    update: async (current) => patched(c, resource, await servedVersion(resource, current), patch, options),
    admit: (updated, previous) => admit({ operation: "UPDATE", object: updated, previous, subresource, scope }),
  });
  return writeEntry(c, resource, entry, form);
}

async function patched(
  c: AppContext,
  resource: ResourceInfo,
  current: KubeObject,
  patch: Patcher,
  options: WriteOptions,
): Promise<KubeObject> {
  const { fieldValidation } = options;
  const decoded = decodePatched(patch.apply(current), kindOf(resource), patch.patch, fieldValidation, patch);
  for (const warning of decoded.warnings) if (!c.get("warnings").includes(warning)) c.get("warnings").push(warning);
  const object = decoded.object;
  object.metadata ??= {};
  checkName(object, current.metadata.name ?? "", undefined);
  const stored = await fitToStored(c, resource, object, fieldValidation, (problems) =>
    newInvalid({ group: "", kind: "" }, "", [
      invalid("patch", JSON.stringify(object), strictDecodingMessage(problems)),
    ]),
  );
  trackFields(c, resource, managerOf(c, options), c.get("info").subresource, current, object, stored);
  return stored;
}
