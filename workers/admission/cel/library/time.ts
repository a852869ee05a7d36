import { CelError } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { method } from "../functions.ts";
import { durationType, intType, stringType, timestampType } from "../types.ts";
import { CelDuration, CelTimestamp, maxInt64, minInt64 } from "../values.ts";

const second = 1_000_000_000n;
/** Years 1 to 9999. */
const minTimestamp = -62_135_596_800n * second;
const maxTimestamp = 253_402_300_800n * second - 1n;

export function timestamp(nanos: bigint): CelTimestamp {
  if (nanos < minTimestamp || nanos > maxTimestamp) throw new CelError("timestamp overflow");
  return new CelTimestamp(nanos);
}

export function duration(nanos: bigint): CelDuration {
  if (nanos > maxInt64 || nanos < minInt64) throw new CelError("duration overflow");
  return new CelDuration(nanos);
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/;

/** Nanoseconds since 1970; undefined when the text is no RFC 3339 time. */
export function parseTimestamp(text: string): bigint | undefined {
  const found = rfc3339.exec(text);
  if (found === null) return undefined;
  const [, date, time, fraction = "", zone = "Z"] = found;
  const millis = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  const day = Number(date?.slice(8));
  if (Number.isNaN(millis) || new Date(`${date}T00:00:00Z`).getUTCDate() !== day) return undefined;
  return BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

const unitNanos: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
};
const durationText = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/;
const durationPart = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g;

/** Go's time.ParseDuration; undefined when the text is none. */
export function parseDuration(text: string): bigint | undefined {
  const found = durationText.exec(text);
  if (found === null) return undefined;
  let nanos = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of (found[2] ?? "").matchAll(durationPart)) {
    const scale = unitNanos[unit] ?? 0n;
    nanos += BigInt(whole === "" ? 0 : whole) * scale;
    if (fraction !== "")
      nanos += (BigInt(fraction.slice(0, 18)) * scale) / 10n ** BigInt(Math.min(fraction.length, 18));
  }
  const signed = found[1] === "-" ? -nanos : nanos;
  return signed > maxInt64 || signed < minInt64 ? undefined : signed;
}

function fraction(nanos: bigint): string {
  return nanos === 0n ? "" : `.${nanos.toString().padStart(9, "0").replace(/0+$/, "")}`;
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

export function formatTimestamp(value: CelTimestamp): string {
  const seconds = floorDivide(value.nanos, second);
  const text = new Date(Number(seconds) * 1000).toISOString().replace(/\.000Z$/, "");
  return `${text}${fraction(value.nanos - seconds * second)}Z`;
}

/** Seconds, as protobuf's JSON form. */
export function formatDuration(value: CelDuration): string {
  const magnitude = value.nanos < 0n ? -value.nanos : value.nanos;
  return `${value.nanos < 0n ? "-" : ""}${magnitude / second}${fraction(magnitude % second)}s`;
}

const offsetZone = /^([+-]?)(\d\d):(\d\d)$/;
const formatters = new Map<string, Intl.DateTimeFormat>();
const maxFormatters = 64;

/** The time as a Date whose UTC fields read as local time in the zone. */
function inZone(value: CelTimestamp, zone: string): Date {
  const millis = Number(floorDivide(value.nanos, 1_000_000n));
  const offset = offsetZone.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(millis + (offset[1] === "-" ? -minutes : minutes) * 60_000);
  }
  if (zone === "UTC" || zone === "") return new Date(millis);
  const parts: Record<string, string> = {};
  for (const part of formatter(zone).formatToParts(new Date(millis))) parts[part.type] = part.value;
  const { year, month, day, hour, minute, second: s } = parts;
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(s));
  return new Date(local + (((millis % 1000) + 1000) % 1000));
}

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  try {
    const made = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    if (formatters.size >= maxFormatters) formatters.clear();
    formatters.set(zone, made);
    return made;
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

function dayOfYear(date: Date): number {
  const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  return Math.round((midnight - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

const timestampParts: Record<string, (date: Date) => number> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const durationParts: Record<string, (nanos: bigint) => bigint> = {
  getHours: (nanos) => nanos / (3600n * second),
  getMinutes: (nanos) => nanos / (60n * second),
  getSeconds: (nanos) => nanos / second,
  getMilliseconds: (nanos) => (nanos / 1_000_000n) % 1000n,
};

export const timeLibrary: readonly NamedOverload[] = [
  ...Object.entries(timestampParts).flatMap(([name, part]) => [
    method(`timestamp_to_${name}`, name, [timestampType], intType, (value: CelTimestamp) =>
      BigInt(part(inZone(value, "UTC"))),
    ),
    method(
      `timestamp_to_${name}_with_tz`,
      name,
      [timestampType, stringType],
      intType,
      (value: CelTimestamp, zone: string) => BigInt(part(inZone(value, zone))),
    ),
  ]),
  ...Object.entries(durationParts).map(([name, part]) =>
    method(`duration_to_${name}`, name, [durationType], intType, (value: CelDuration) => part(value.nanos)),
  ),
];
