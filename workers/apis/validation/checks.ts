import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import { parseQuantity } from "../../apimachinery/quantity.ts";
import type { Quantity } from "../../apimachinery/quantity.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelKey } from "../../apimachinery/validation-names.ts";

/** Where checks put what they find, in upstream's order. */
export type Causes = InvalidCause[];

export const isNegativeMessage = "must be greater than or equal to 0";
export const isNotPositiveMessage = "must be greater than zero";
export const fieldImmutableMessage = "field is immutable";
export const maxInt32 = 2_147_483_647;

const none: any[] = [];

/** Absent lists are empty. */
export function listOf(value: unknown): any[] {
  return Array.isArray(value) ? value : none;
}

/** Absent maps are empty. */
export function entriesOf(map: unknown): [string, any][] {
  return typeof map === "object" && map !== null ? Object.entries(map) : none;
}

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** An absent string is empty, as in Go. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** An absent number is zero, as in Go. */
export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** An unreadable quantity counts as zero: the decoder has refused it before. */
export function quantityOf(value: unknown): Quantity {
  try {
    return parseQuantity(value as string);
  } catch {
    return zero;
  }
}

const zero = parseQuantity("0");

/** A map as Go prints it: keys sorted. */
export function sortedMap<V>(map: Record<string, V> | undefined | null): Record<string, V> | undefined {
  if (map === undefined || map === null) return undefined;
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function nonnegative(value: unknown, path: string, causes: Causes): void {
  if (typeof value === "number" && value < 0) causes.push(invalid(path, value, isNegativeMessage));
}

/** Each problem that `check` finds is one cause. */
export function checkText(check: (value: string) => string[], value: unknown, path: string, causes: Causes): void {
  const text = textOf(value);
  for (const problem of check(text)) causes.push(invalid(path, text, problem));
}

export function dnsLabel(value: unknown, path: string, causes: Causes): void {
  checkText(isDns1123Label, value, path, causes);
}

export function dnsSubdomain(value: unknown, path: string, causes: Causes): void {
  checkText(isDns1123Subdomain, value, path, causes);
}

export function qualifiedName(value: unknown, path: string, causes: Causes): void {
  checkText(isLabelKey, value, path, causes);
}

export function labelName(value: unknown, path: string, causes: Causes): void {
  checkText(isLabelKey, value, path, causes);
}

/** A value that must be given and be one of `supported`. */
export function requiredEnum(value: unknown, supported: readonly string[], path: string, causes: Causes): void {
  if (!value) causes.push(required(path));
  else supportedEnum(value, supported, path, causes);
}

/** A value that, as given (also empty), must be one of `supported`. */
export function supportedEnum(value: unknown, supported: readonly string[], path: string, causes: Causes): void {
  if (!supported.includes(value as string)) causes.push(notSupported(path, value ?? "", supported));
}

export function immutable(value: unknown, previous: unknown, path: string, causes: Causes): void {
  if (!semanticEqual(value, previous)) causes.push(invalid(path, value, fieldImmutableMessage));
}
