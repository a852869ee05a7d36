import { invalid } from "../../../apimachinery/field-error.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { deepEqual } from "../../../apimachinery/deep-equal.ts";
import { validateEmbedded } from "./embedded.ts";
import type { JsonSchema } from "./json-schema.ts";
import { additionalOf, itemsOf } from "./json-schema.ts";
import { validateListTypes } from "./list-types.ts";
import { prune } from "./pruning.ts";
import { uncorrelated, validateSchema } from "./validate.ts";

/** Defaults must be valid, and nothing in them unknown. Mirrors pkg/apiserver/schema/defaulting/validation.go (1.36). */
export function validateDefaults(schema: JsonSchema, path: string): InvalidCause[] {
  const causes: InvalidCause[] = [];
  if (schema.default !== undefined && schema.default !== null)
    causes.push(...validateDefault(schema, `${path}.default`));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    causes.push(...validateDefaults(property, `${path}.properties[${name}]`));
  const additional = additionalOf(schema);
  if (additional !== undefined) causes.push(...validateDefaults(additional, `${path}.additionalProperties`));
  const items = itemsOf(schema);
  if (items !== undefined) causes.push(...validateDefaults(items, `${path}.items`));
  return causes;
}

function validateDefault(schema: JsonSchema, path: string): InvalidCause[] {
  const value = schema.default;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const pruned = structuredClone(value);
  prune(pruned, schema, embedded);
  const causes = deepEqual(pruned, value) ? [] : [invalid(path, value, "must not have unknown fields")];
  if (embedded) causes.push(...validateEmbedded(value, schema, path));
  const found = [...validateSchema(value, schema, uncorrelated), ...validateListTypes(value, schema, uncorrelated)];
  // The value has no name of its own: its errors are about the field `default`.
  return [
    ...causes,
    ...found.map((cause) => ({
      ...cause,
      field: cause.field === "" ? path : cause.field === "<nil>" ? path : `${path}.${cause.field}`,
    })),
  ];
}
