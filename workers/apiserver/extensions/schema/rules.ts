import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import type { CompiledRules } from "../../../admission/cel/crd-validation.ts";
import { compileValidationRules, validateWithRules } from "../../../admission/cel/crd-validation.ts";
import type { StructuralSchema } from "../../../admission/cel/structural-schema.ts";
import type { JsonSchema } from "./json-schema.ts";
import { someSchema } from "./json-schema.ts";

/** Errors after which rules would be run on a value that is not what they expect. */
const blocking = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const compiled = new WeakMap<JsonSchema, CompiledRules | undefined>();

/** Compiled when first asked for, and kept for as long as the schema; undefined when there are no rules. */
function rulesOf(schema: JsonSchema): CompiledRules | undefined {
  if (!compiled.has(schema)) {
    const hasRules = someSchema(schema, (each) => hasOwnRules(each) || (each.allOf ?? []).some(hasOwnRules));
    compiled.set(schema, hasRules ? compileValidationRules(schema as StructuralSchema) : undefined);
  }
  return compiled.get(schema);
}

function hasOwnRules(schema: JsonSchema): boolean {
  return (schema["x-kubernetes-validations"]?.length ?? 0) > 0;
}

/** Runs after schema validation, and not at all when that found something which rules cannot bear. */
export function validateRules(
  schema: JsonSchema,
  object: unknown,
  old: unknown,
  found: readonly InvalidCause[],
): InvalidCause[] {
  const rules = rulesOf(schema);
  if (rules === undefined) return [];
  if (!found.some(({ reason }) => blocking.has(reason)))
    return validateWithRules(rules, object, old, { ratcheting: old !== undefined });
  return [
    {
      reason: "FieldValueInvalid",
      message:
        'Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      field: "<nil>",
    },
  ];
}
