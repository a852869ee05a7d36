import type { GroupVersionKind } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newBadRequest, newInvalid } from "../../apimachinery/status-errors.ts";
import { decodeObject } from "../../apis/codec/decode.ts";
import { strictDecodingMessage } from "../../apis/codec/unmarshal-error.ts";
import { applyDefaults } from "../../apis/defaulting/defaulting.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { toStorageVersion } from "../../registry/conversion.ts";
import { convertToStorage } from "../../registry/stored-form.ts";
import { readBody } from "../request/body.ts";
import type { AppContext } from "../request/context.ts";
import type { FieldValidation } from "../request/options.ts";

/** The request's body as an object of the expected kind; warnings go to the response. */
export async function decodeBody(
  c: AppContext,
  expected: GroupVersionKind,
  fieldValidation: FieldValidation,
): Promise<KubeObject> {
  const bytes = await readBody(c.req.raw);
  const decoded = decodeObject(bytes, c.req.header("Content-Type") ?? "application/json", expected, {
    fieldValidation,
  });
  c.get("warnings").push(...decoded.warnings);
  decoded.object.metadata ??= {};
  return decoded.object;
}

/**
 * The same for the objects of a resource. What strict validation complains about in a custom one is told at once: what
 * decoding saw, then what the schema does not specify (schemaCoercingDecoder of k8s.io/apiextensions-apiserver).
 */
export async function decodeObjectBody(
  c: AppContext,
  resource: ResourceInfo,
  fieldValidation: FieldValidation,
): Promise<KubeObject> {
  const { custom } = resource;
  if (custom === undefined || fieldValidation !== "Strict") return decodeBody(c, kindOf(resource), fieldValidation);
  const bytes = await readBody(c.req.raw);
  const mediaType = c.req.header("Content-Type") ?? "application/json";
  const { object, warnings } = decodeObject(bytes, mediaType, kindOf(resource), { fieldValidation: "Warn" });
  object.metadata ??= {};
  if (warnings.length > 0) throw newStrictError(resource, [...warnings, ...custom.fit(structuredClone(object))]);
  return object;
}

export function kindOf(resource: ResourceInfo): GroupVersionKind {
  return { group: resource.group, version: resource.version, kind: resource.kind };
}

/** Of a built-in kind: defaults of the request's version, then the storage version's form. */
export function toStored(resource: ResourceInfo, object: KubeObject): KubeObject {
  applyDefaults(kindOf(resource), object);
  return toStorageVersion(resource, object);
}

/** The same for any kind: a custom object is pruned as well, and may be converted by a webhook. */
export function fitToStored(
  c: AppContext,
  resource: ResourceInfo,
  object: KubeObject,
  fieldValidation: FieldValidation,
  /** Turns what strict validation complains about into an error. */
  refuse: (problems: string[]) => Error = (problems) => newStrictError(resource, problems),
): KubeObject | Promise<KubeObject> {
  if (resource.custom === undefined) return toStored(resource, object);
  const problems = resource.custom.fit(object);
  if (problems.length > 0 && fieldValidation === "Strict") throw refuse(problems);
  if (fieldValidation === "Warn")
    for (const problem of problems) if (!c.get("warnings").includes(problem)) c.get("warnings").push(problem);
  const causes = resource.custom.validateBeforeConversion(object);
  if (causes.length > 0) throw newInvalid(resource, object.metadata.name ?? "", causes);
  return convertToStorage(resource, object);
}

function newStrictError(resource: ResourceInfo, problems: string[]): Error {
  return newBadRequest(
    `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: ${strictDecodingMessage(problems)}`,
  );
}
