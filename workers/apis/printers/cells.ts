import { labelSelectorAsSelector, selectorFromSet } from "../../apimachinery/labels.ts";
import type { LabelSelectorSpec } from "../../apimachinery/labels.ts";
import { parseQuantity } from "../../apimachinery/quantity.ts";
import { humanDuration } from "./human-duration.ts";

/**
 * Formats that several printers share. Every reader takes what is there and never throws: a missing field reads as
 * Go's zero value. Mirrors the helpers of pkg/printers/internalversion/printers.go (1.36).
 */

export const text = (value: unknown): string => (typeof value === "string" ? value : "");
export const count = (value: unknown): number => (typeof value === "number" ? value : 0);
export const list = (value: unknown): any[] => (Array.isArray(value) ? value : []);
export const sizeOf = (value: unknown): number => Object.keys(value ?? {}).length;

/** Milliseconds of an RFC 3339 time; undefined for none and for Go's zero time. */
export function millisecondsOf(time: unknown): number | undefined {
  if (typeof time !== "string" || time === "" || time.startsWith("0001-01-01T00:00:00")) return undefined;
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** Age of a time: `<unknown>` for none. */
export function since(time: unknown, now: number): string {
  const milliseconds = millisecondsOf(time);
  return milliseconds === undefined ? "<unknown>" : humanDuration(now - milliseconds);
}

/** `a=b,c=d` in key order, or `<none>`. */
export function formatLabels(labels: Record<string, string> | undefined | null): string {
  return sizeOf(labels) === 0 ? "<none>" : selectorFromSet(labels).toString();
}

/** metav1.FormatLabelSelector: `<none>` both for no selector and for one that restricts nothing. */
export function formatLabelSelector(selector: LabelSelectorSpec | undefined | null): string {
  try {
    return labelSelectorAsSelector(selector).toString() || "<none>";
  } catch {
    return "<error>";
  }
}

/** Canonical form; `absent` where there is none. */
export function quantity(value: unknown, absent = "0"): string {
  if (value === undefined || value === null) return absent;
  try {
    return parseQuantity(value as string | number).toString();
  } catch {
    return String(value);
  }
}

export const containerNames = (podSpec: any): string =>
  list(podSpec?.containers)
    .map((container) => text(container?.name))
    .join(",");

export const containerImages = (podSpec: any): string =>
  list(podSpec?.containers)
    .map((container) => text(container?.image))
    .join(",");

/** The first entries of a list and how many more there are; `<unset>` for nothing. */
export function listWithMore(all: readonly string[], maximum = 3): string {
  const shown = all.slice(0, maximum).join(",");
  if (all.length > maximum) return `${shown} + ${all.length - maximum} more...`;
  return shown === "" ? "<unset>" : shown;
}

/** `Kind.group` or `resource.group`; no dot for the core group. */
export const dotted = (name: string, group: string): string => (group === "" ? name : `${name}.${group}`);

/** Whether the condition of that type is there and true. */
export const isTrue = (conditions: unknown, type: string): boolean =>
  list(conditions).find((condition) => condition.type === type)?.status === "True";

export const booleanText = (value: unknown): string =>
  value === undefined || value === null ? "<unset>" : value === true ? "True" : "False";
