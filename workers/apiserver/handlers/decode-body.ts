import type { GroupVersionKind } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { decodeObject } from "../../apis/codec/decode.ts";
import { applyDefaults } from "../../apis/defaulting/defaulting.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { toStorageVersion } from "../../registry/conversion.ts";
import { readBody } from "../request/body.ts";
import type { AppContext } from "../request/context.ts";
import type { FieldValidation } from "../request/options.ts";

/** The request's body as an object of the expected kind; warnings go to the response. */
export async function decodeBody(c: AppContext, expected: GroupVersionKind, fieldValidation: FieldValidation): Promise<KubeObject> {
  const bytes = await readBody(c.req.raw);
  const decoded = decodeObject(bytes, c.req.header("Content-Type") ?? "application/json", expected, { fieldValidation });
  c.var.warnings.push(...decoded.warnings);
  decoded.object.metadata ??= {};
  return decoded.object;
}

export function kindOf(resource: ResourceInfo): GroupVersionKind {
  return { group: resource.group, version: resource.version, kind: resource.kind };
}

/** Defaults of the request's version, then the storage version's form. */
export function toStored(resource: ResourceInfo, object: KubeObject): KubeObject {
  applyDefaults(kindOf(resource), object);
  return toStorageVersion(resource, object);
}
