import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import type { JsonSchema } from "./json-schema.ts";
import { someSchema } from "./json-schema.ts";

/** Errors after which rules would be run on a value that is not what they expect. */
const blocking = new Set(["FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid"]);

/** The rules of one schema tree (x-kubernetes-validations). */
export interface RuleSet {
  validate(object: unknown, old: unknown): InvalidCause[];
}

const withRules = new WeakMap<JsonSchema, boolean>();

function hasRules(schema: JsonSchema): boolean {
  let found = withRules.get(schema);
  if (found === undefined) {
    found = someSchema(schema, (each) => (each["x-kubernetes-validations"]?.length ?? 0) > 0);
    withRules.set(schema, found);
  }
  return found;
}

/** Runs after schema validation, and not at all when that found something which rules cannot bear. */
export function validateRules(schema: JsonSchema, _object: unknown, _old: unknown, found: readonly InvalidCause[]): InvalidCause[] {
  if (!hasRules(schema)) return [];
  if (found.some(({ reason }) => blocking.has(reason))) {
    return [
      {
        reason: "FieldValueInvalid",
        message: 'Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
        field: "<nil>",
      },
    ];
  }
  return [];
}
