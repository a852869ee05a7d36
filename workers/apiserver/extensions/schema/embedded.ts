import { invalid, required } from "../../../apimachinery/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import {
  isDns1035Label,
  isLabelKey,
  isLabelValue,
  isValidPathSegmentName,
} from "../../../apimachinery/validation-names.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isRecord, itemsOf, propertyOf } from "./json-schema.ts";
import { childPath } from "./validate.ts";

/**
 * apiVersion, kind and metadata of objects that are embedded in an object (x-kubernetes-embedded-resource).
 * Mirrors pkg/apiserver/schema/objectmeta of k8s.io/apiextensions-apiserver (1.36).
 */
export function validateEmbedded(value: unknown, schema: JsonSchema, path = ""): InvalidCause[] {
  const causes: InvalidCause[] = [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items !== undefined)
      for (const [index, item] of value.entries()) causes.push(...validateEmbedded(item, items, `${path}[${index}]`));
    return causes;
  }
  if (!isRecord(value)) return causes;
  if (path !== "" && schema["x-kubernetes-embedded-resource"] === true)
    causes.push(...validateEmbeddedObject(value as unknown as KubeObject, path));
  for (const name of Object.keys(value)) {
    const property = propertyOf(schema, name);
    if (property !== undefined) causes.push(...validateEmbedded(value[name], property, childPath(path, name)));
  }
  return causes;
}

function validateEmbeddedObject(object: KubeObject, path: string): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const apiVersion: unknown = object.apiVersion;
  if (apiVersion === undefined || apiVersion === "") causes.push(required(`${path}.apiVersion`, "must not be empty"));
  else if (typeof apiVersion !== "string") causes.push(invalid(`${path}.apiVersion`, apiVersion, "must be a string"));
  else if (apiVersion.split("/").length > 2) {
    causes.push(invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
  const kind: unknown = object.kind;
  if (kind === undefined || kind === "") causes.push(required(`${path}.kind`, "must not be empty"));
  else if (typeof kind !== "string") causes.push(invalid(`${path}.kind`, kind, "must be a string"));
  else {
    const errors = isDns1035Label(kind.toLowerCase());
    if (errors.length > 0)
      causes.push(
        invalid(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${errors.join(",")}`),
      );
  }
  const metadata: unknown = object.metadata;
  if (metadata === undefined) return causes;
  if (!isRecord(metadata)) return [...causes, invalid(`${path}.metadata`, metadata, "must be an object")];
  const { name, labels, annotations } = metadata;
  if (typeof name === "string" && name !== "") {
    for (const text of isValidPathSegmentName(name)) causes.push(invalid(`${path}.metadata.name`, name, text));
  }
  for (const [key, label] of Object.entries(isRecord(labels) ? labels : {})) {
    for (const text of isLabelKey(key)) causes.push(invalid(`${path}.metadata.labels`, key, text));
    if (typeof label !== "string") causes.push(invalid(`${path}.metadata.labels`, label, "must be a string"));
    else for (const text of isLabelValue(label)) causes.push(invalid(`${path}.metadata.labels`, label, text));
  }
  for (const key of Object.keys(isRecord(annotations) ? annotations : {})) {
    for (const text of isLabelKey(key.toLowerCase())) causes.push(invalid(`${path}.metadata.annotations`, key, text));
  }
  return causes;
}
