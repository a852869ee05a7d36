import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { invalid, notSupported, required } from "../../../apimachinery/field-error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { additionalOf, itemsOf, someSchema } from "./json-schema.ts";

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

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** The declarations of rules in a definition, apart from what their expressions mean. */
export function validateRuleDeclarations(schema: JsonSchema, path: string): InvalidCause[] {
  const causes: InvalidCause[] = [];
  for (const [index, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    causes.push(...validateDeclaration(rule as RuleDeclaration, `${path}.x-kubernetes-validations[${index}]`));
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) causes.push(...validateRuleDeclarations(property, `${path}.properties[${name}]`));
  const additional = additionalOf(schema);
  if (additional !== undefined) causes.push(...validateRuleDeclarations(additional, `${path}.additionalProperties`));
  const items = itemsOf(schema);
  if (items !== undefined) causes.push(...validateRuleDeclarations(items, `${path}.items`));
  return causes;
}

interface RuleDeclaration {
  rule?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
}

function validateDeclaration({ rule = "", message = "", messageExpression = "", reason, fieldPath = "" }: RuleDeclaration, path: string): InvalidCause[] {
  const causes: InvalidCause[] = [];
  if (rule.trim() === "") causes.push(required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "") causes.push(invalid(`${path}.message`, message, "message must be non-empty if specified"));
  else if (/[\n\r]/.test(message.trim())) causes.push(invalid(`${path}.message`, message, "message must not contain line breaks"));
  else if (/[\n\r]/.test(rule.trim()) && message.trim() === "") {
    causes.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    causes.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (reason !== undefined && !reasons.includes(reason)) causes.push(notSupported(`${path}.reason`, reason, reasons));
  if (fieldPath !== "" && fieldPath.trim() === "") causes.push(invalid(`${path}.fieldPath`, fieldPath, "fieldPath must be non-empty if specified"));
  if (/[\n\r]/.test(fieldPath)) causes.push(invalid(`${path}.fieldPath`, fieldPath, "fieldPath must not contain line breaks"));
  return causes;
}
