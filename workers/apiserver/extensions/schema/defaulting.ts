import { setOwn } from "../../../apimachinery/patch/own-property.ts";
import type { JsonSchema } from "./json-schema.ts";
import { additionalOf, isRecord, itemsOf } from "./json-schema.ts";

/**
 * Sets, in place, the defaults of absent fields, and of null ones that may not be null; then drops the nulls that are left
 * without a default. Mirrors pkg/apiserver/schema/defaulting of k8s.io/apiextensions-apiserver (1.36).
 */
export function applySchemaDefaults(value: unknown, schema: JsonSchema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      if (isForbiddenNull(item, items) && items.default !== undefined) value[index] = structuredClone(items.default);
      applySchemaDefaults(value[index], items);
    }
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default !== undefined && (!Object.hasOwn(value, name) || isForbiddenNull(value[name], property))) {
      setOwn(value, name, structuredClone(property.default));
    }
    if (!Object.hasOwn(value, name)) continue;
    if (isForbiddenNull(value[name], property)) delete value[name];
    else applySchemaDefaults(value[name], property);
  }
  const additional = additionalOf(schema);
  if (additional === undefined) return;
  for (const name of Object.keys(value)) {
    if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) continue;
    if (isForbiddenNull(value[name], additional)) {
      if (additional.default === undefined) {
        delete value[name];
        continue;
      }
      setOwn(value, name, structuredClone(additional.default));
    }
    applySchemaDefaults(value[name], additional);
  }
}

function isForbiddenNull(value: unknown, schema: JsonSchema): boolean {
  return value === null && schema.nullable !== true;
}
