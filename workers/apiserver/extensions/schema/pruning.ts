import type { JsonSchema } from "./json-schema.ts";
import { additionalOf, isRecord, itemsOf } from "./json-schema.ts";

const metaFields = new Set(["apiVersion", "kind", "metadata"]);

/** More unknown fields than these are dropped without being named. */
const maxReported = 100;

/**
 * Drops, in place, the fields that the schema does not specify, and names them (`spec.ports[0].nmae`), sorted. apiVersion, kind and
 * metadata of a resource stay. Mirrors pkg/apiserver/schema/pruning of k8s.io/apiextensions-apiserver (1.36).
 */
export function prune(value: unknown, schema: JsonSchema | undefined, isResourceRoot: boolean): string[] {
  const unknown: string[] = [];
  pruneValue(value, schema, isResourceRoot, "", unknown);
  return unknown.sort();
}

function pruneValue(
  value: unknown,
  schema: JsonSchema | undefined,
  isResource: boolean,
  path: string,
  unknown: string[],
): void {
  if (typeof value !== "object" || value === null) return;
  const preserve = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined && preserve) return;
    for (const [index, item] of value.entries())
      pruneValue(item, items, isEmbedded(items), `${path}[${index}]`, unknown);
    return;
  }
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    if (isResource && metaFields.has(key)) continue;
    const child = path === "" ? key : `${path}.${key}`;
    const property =
      schema?.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (property !== undefined) pruneValue(value[key], property, isEmbedded(property), child, unknown);
    else if (schema?.additionalProperties !== undefined && schema.additionalProperties !== false) {
      const additional = additionalOf(schema);
      if (additional !== undefined || !preserve)
        pruneValue(value[key], additional, isEmbedded(additional), child, unknown);
    } else if (!preserve) {
      if (unknown.length < maxReported) unknown.push(child);
      delete value[key];
    }
  }
}

function isEmbedded(schema: JsonSchema | undefined): boolean {
  return schema?.["x-kubernetes-embedded-resource"] === true;
}
