import { quote } from "./quote.ts";
import type { InvalidCause } from "./status-errors.ts";

/**
 * Constructors of validation errors, each one cause of a 422. Texts as k8s.io/apimachinery
 * pkg/util/validation/field/errors.go (1.36).
 */
function show(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  // A nil pointer is shown as the quoted word.
  return value === undefined || value === null ? '"null"' : goJson(value);
}

/** encoding/json writes these characters as escapes. */
function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Stands for a value that is not to be shown. */
export const omitValue = Symbol("omitValue");

export function invalid(field: string, value: unknown, detail: string): InvalidCause {
  const shown = value === omitValue ? "" : `: ${show(value)}`;
  return { reason: "FieldValueInvalid", message: `Invalid value${shown}${suffix(detail)}`, field };
}

export function required(field: string, detail = ""): InvalidCause {
  return { reason: "FieldValueRequired", message: `Required value${suffix(detail)}`, field };
}

export function duplicate(field: string, value: unknown, detail = ""): InvalidCause {
  return { reason: "FieldValueDuplicate", message: `Duplicate value: ${show(value)}${suffix(detail)}`, field };
}

/** `supported` is shown in the order given; upstream's callers sort it where they hold a set. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): InvalidCause {
  const values = supported.map((item) => quote(item)).join(", ");
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

export function notFound(field: string, value: unknown, detail = ""): InvalidCause {
  return { reason: "FieldValueNotFound", message: `Not found: ${show(value)}${suffix(detail)}`, field };
}

export function typeInvalid(field: string, value: unknown, detail: string): InvalidCause {
  return { reason: "FieldValueTypeInvalid", message: `Invalid value: ${show(value)}${suffix(detail)}`, field };
}

function suffix(detail: string): string {
  return detail === "" ? "" : `: ${detail}`;
}
