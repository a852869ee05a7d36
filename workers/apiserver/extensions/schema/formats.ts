import { isDns1123Label } from "../../../apimachinery/validation-names.ts";

/**
 * The formats of strings that upstream checks; others are ignored.
 * Mirrors pkg/apiserver/validation/formats.go of k8s.io/apiextensions-apiserver and k8s.io/kube-openapi strfmt (1.36).
 */
const formats: Record<string, (text: string) => boolean> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: isUri,
  email: (text) => /^[^\s@<>()[\]\\,;:"]+@[^\s@]+$/.test(text),
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: (text) => text.includes(":") && isIpv6(text),
  cidr: isCidr,
  mac: (text) =>
    /^([0-9A-Fa-f]{2}[:-]){5}([0-9A-Fa-f]{2}[:-]?){1}$/.test(text) ||
    /^([0-9A-Fa-f]{2}[:-]){7}[0-9A-Fa-f]{2}$/.test(text) ||
    /^([0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: isRgbColor,
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/\r\n]*={0,2}$/.test(text),
  password: () => true,
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text),
  duration: isDuration,
  datetime: isDateTime,
  "date-time": isDateTime,
  "k8s-short-name": (text) => isDns1123Label(text).length === 0,
  "k8s-long-name": (text) =>
    text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
};

/** Numeric formats, which say nothing about strings. */
const numeric = new Set([
  "int32",
  "int64",
  "float",
  "double",
  "int8",
  "int16",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "float32",
  "float64",
]);

export function isSupportedFormat(format: string): boolean {
  return normalize(format) in formats || numeric.has(format);
}

/** True for texts of the format and for formats that are not checked. */
export function matchesFormat(format: string, text: string): boolean {
  const name = normalize(format);
  return !Object.hasOwn(formats, name) || formats[name]!(text);
}

function normalize(format: string): string {
  return format.startsWith("k8s-") || format === "date-time" ? format : format.replaceAll("-", "");
}

function isUri(text: string): boolean {
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]+$/.test(text) || /^\/[^\s]*$/.test(text);
}

function isHostname(text: string): boolean {
  return (
    text.length <= 255 &&
    /^([a-zA-Z0-9\u00a0-\uffff]([a-zA-Z0-9-\u00a0-\uffff]{0,61}[a-zA-Z0-9\u00a0-\uffff])?)(\.[a-zA-Z0-9\u00a0-\uffff]([a-zA-Z0-9-\u00a0-\uffff]{0,61}[a-zA-Z0-9\u00a0-\uffff])?)*\.?$/.test(
      text,
    )
  );
}

export function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

export function isIpv6(text: string): boolean {
  const mapped = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (mapped) return isIpv4(mapped[2]!) && isIpv6(`${mapped[1]}0:0`);
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  return (
    groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) &&
    (halves.length === 2 ? groups.length < 8 : groups.length === 8)
  );
}

function isCidr(text: string): boolean {
  const slash = text.lastIndexOf("/");
  const bits = text.slice(slash + 1);
  if (slash < 0 || !/^\d{1,3}$/.test(bits)) return false;
  const address = text.slice(0, slash);
  return (isIpv4(address) && Number(bits) <= 32) || (address.includes(":") && isIpv6(address) && Number(bits) <= 128);
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.exec(text);
  if (match === null) return false;
  return isDay(match[1]!) && Number(match[2]) < 24 && Number(match[3]) < 60 && Number(match[4]) < 61;
}

function isDuration(text: string): boolean {
  if (
    /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/.test(text) ||
    text === "0"
  )
    return true;
  return /^(\d+\s*(ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)\s*)+$/i.test(
    text,
  );
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  return (
    [...digits].reduce((sum, digit, index) => sum + (digit === "X" ? 10 : Number(digit)) * (10 - index), 0) % 11 === 0
  );
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, "");
  return (
    /^\d{13}$/.test(digits) &&
    [...digits].reduce((sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0
  );
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  if (!/^\d{13,19}$/.test(digits)) return false;
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return match !== null && match.slice(1).every((part) => Number(part) <= 255);
}
