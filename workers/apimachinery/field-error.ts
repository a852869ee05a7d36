import { quote } from "./quote.ts";
import type { InvalidCause } from "./status-errors.ts";

/**
 * Constructors of validation errors, each one cause of a 422. Texts as k8s.io/apimachinery
 * pkg/util/validation/field/errors.go (1.36).
 */
function show(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  return value === undefined ? "null" : JSON.stringify(value);
}

export function invalid(field: string, value: unknown, detail: string): InvalidCause {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${show(value)}${suffix(detail)}`, field };
}

export function required(field: string, detail = ""): InvalidCause {
  return { reason: "FieldValueRequired", message: `Required value${suffix(detail)}`, field };
}

export function duplicate(field: string, value: unknown): InvalidCause {
  return { reason: "FieldValueDuplicate", message: `Duplicate value: ${show(value)}`, field };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): InvalidCause {
  const values = supported.toSorted().map(show).join(", ");
  return {
    reason: "FieldValueNotSupported",
    message: `Unsupported value: ${show(value)}${supported.length > 0 ? `: supported values: ${values}` : ""}`,
    field,
  };
}

export function forbidden(field: string, detail: string): InvalidCause {
  return { reason: "FieldValueForbidden", message: `Forbidden${suffix(detail)}`, field };
}

export function tooLong(field: string, maximum: number): InvalidCause {
  return { reason: "FieldValueTooLong", message: `Too long: may not be more than ${maximum} bytes`, field };
}

export function tooMany(field: string, actual: number, maximum: number): InvalidCause {
  return { reason: "FieldValueTooMany", message: `Too many: ${actual}: must have at most ${maximum} items`, field };
}

export function notFound(field: string, value: unknown): InvalidCause {
  return { reason: "FieldValueNotFound", message: `Not found: ${show(value)}`, field };
}

export function typeInvalid(field: string, value: unknown, detail: string): InvalidCause {
  return { reason: "FieldValueTypeInvalid", message: `Invalid value: ${show(value)}${suffix(detail)}`, field };
}

function suffix(detail: string): string {
  return detail === "" ? "" : `: ${detail}`;
}
