import { duplicate } from "../../../apimachinery/field-error.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { deepEqual } from "../../../apimachinery/deep-equal.ts";
import type { JsonRecord, JsonSchema } from "./json-schema.ts";
import { isRecord, itemsOf, propertyOf } from "./json-schema.ts";
import { childPath, uncorrelated } from "./validate.ts";

/**
 * No entry twice in lists of type "set", no keys twice in lists of type "map". Unchanged lists are left alone.
 * Mirrors pkg/apiserver/schema/listtype of k8s.io/apiextensions-apiserver (1.36).
 */
export function validateListTypes(value: unknown, schema: JsonSchema, old: unknown, path = ""): InvalidCause[] {
  if (old !== uncorrelated && deepEqual(value, old)) return [];
  const causes: InvalidCause[] = [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    const type = schema["x-kubernetes-list-type"];
    if (type === "set" || type === "map") causes.push(...duplicates(value, schema, path));
    if (items !== undefined)
      for (const [index, item] of value.entries())
        causes.push(...validateListTypes(item, items, uncorrelated, `${path}[${index}]`));
  } else if (isRecord(value)) {
    for (const name of Object.keys(value)) {
      const property = propertyOf(schema, name);
      if (property === undefined) continue;
      const before = isRecord(old) && Object.hasOwn(old, name) ? old[name] : uncorrelated;
      causes.push(...validateListTypes(value[name], property, before, childPath(path, name)));
    }
  }
  return causes;
}

function duplicates(list: unknown[], schema: JsonSchema, path: string): InvalidCause[] {
  const keys = schema["x-kubernetes-list-type"] === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : undefined;
  const items = itemsOf(schema);
  const seen = new Set<string>();
  const causes: InvalidCause[] = [];
  for (const [index, item] of list.entries()) {
    const identity = keys === undefined ? item : keyValues(item, keys, items);
    const text = canonical(identity);
    if (seen.has(text)) causes.push(duplicate(`${path}[${index}]`, identity));
    seen.add(text);
  }
  return causes;
}

function keyValues(item: unknown, keys: readonly string[], items: JsonSchema | undefined): JsonRecord {
  const values: JsonRecord = {};
  for (const key of keys.toSorted()) {
    const value = isRecord(item) ? item[key] : undefined;
    const shown = value ?? items?.properties?.[key]?.default;
    if (shown !== undefined) values[key] = shown;
  }
  return values;
}

/** JSON with sorted members. */
function canonical(value: unknown): string {
  if (!isRecord(value)) return Array.isArray(value) ? `[${value.map(canonical).join()}]` : JSON.stringify(value);
  return `{${Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join()}}`;
}
