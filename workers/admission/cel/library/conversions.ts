import { CelError } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { func } from "../functions.ts";
import type { CelType } from "../types.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  stringType,
  timestampType,
  uintType,
} from "../types.ts";
import type { CelDuration, CelTimestamp, Value } from "../values.ts";
import { CelUint, maxUint64, uint } from "../values.ts";
import { traverseFirst } from "./costs.ts";
import { duration, formatDuration, formatTimestamp, parseDuration, parseTimestamp, timestamp } from "./time.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function intOfDouble(value: number): bigint {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new CelError("integer overflow");
  return BigInt(Math.trunc(value));
}

function uintOfDouble(value: number): CelUint {
  if (!(value >= 0 && value < 2 ** 64)) throw new CelError("unsigned integer overflow");
  return new CelUint(BigInt(Math.trunc(value)));
}

function intOfString(text: string): bigint {
  if (!/^[+-]?\d{1,32}$/.test(text)) throw conversionFailed("string", "int");
  const value = BigInt(text.replace(/^\+/, ""));
  if (BigInt.asIntN(64, value) !== value) throw conversionFailed("string", "int");
  return value;
}

function uintOfString(text: string): CelUint {
  if (!/^\d{1,32}$/.test(text) || BigInt(text) > maxUint64) throw conversionFailed("string", "uint");
  return new CelUint(BigInt(text));
}

const conversionFailed = (from: string, to: string): CelError =>
  new CelError(`type conversion error from '${from}' to '${to}'`);

function doubleOfString(text: string): number {
  const special = /^([+-]?)(inf|infinity)$/i.exec(text);
  if (special !== null) return special[1] === "-" ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) throw conversionFailed("string", "double");
  return Number(text);
}

const truths = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const falsehoods = new Set(["0", "f", "F", "FALSE", "false", "False"]);

function boolOfString(text: string): boolean {
  if (truths.has(text)) return true;
  if (falsehoods.has(text)) return false;
  throw conversionFailed("string", "bool");
}

/** Go's `%g`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function stringOfBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function timestampOfString(text: string): CelTimestamp {
  const nanos = parseTimestamp(text);
  if (nanos === undefined) throw conversionFailed("string", "google.protobuf.Timestamp");
  return timestamp(nanos);
}

function durationOfString(text: string): CelDuration {
  const nanos = parseDuration(text);
  if (nanos === undefined) throw conversionFailed("string", "google.protobuf.Duration");
  return duration(nanos);
}

function convert<A extends Value>(
  id: string,
  name: string,
  from: CelType,
  to: CelType,
  call: (value: A) => Value,
): NamedOverload {
  const cost = id === "string_to_bytes" || id === "bytes_to_string" ? traverseFirst : undefined;
  return func(id, name, [from], to, call, cost);
}

const same = (value: Value): Value => value;

export const conversions: readonly NamedOverload[] = [
  convert("int64_to_int64", "int", intType, intType, same),
  convert("uint64_to_int64", "int", uintType, intType, (value: CelUint) => {
    if (value.value >= 2n ** 63n) throw new CelError("integer overflow");
    return value.value;
  }),
  convert("double_to_int64", "int", doubleType, intType, intOfDouble),
  convert("string_to_int64", "int", stringType, intType, intOfString),
  convert("timestamp_to_int64", "int", timestampType, intType, (value: CelTimestamp) => {
    const seconds = value.nanos / 1_000_000_000n;
    return value.nanos % 1_000_000_000n < 0n ? seconds - 1n : seconds;
  }),
  convert("duration_to_int64", "int", durationType, intType, (value: CelDuration) => value.nanos),
  convert("uint64_to_uint64", "uint", uintType, uintType, same),
  convert("int64_to_uint64", "uint", intType, uintType, (value: bigint) => uint(value)),
  convert("double_to_uint64", "uint", doubleType, uintType, uintOfDouble),
  convert("string_to_uint64", "uint", stringType, uintType, uintOfString),
  convert("double_to_double", "double", doubleType, doubleType, same),
  convert("int64_to_double", "double", intType, doubleType, (value: bigint) => Number(value)),
  convert("uint64_to_double", "double", uintType, doubleType, (value: CelUint) => Number(value.value)),
  convert("string_to_double", "double", stringType, doubleType, doubleOfString),
  convert("bool_to_bool", "bool", boolType, boolType, same),
  convert("string_to_bool", "bool", stringType, boolType, boolOfString),
  convert("string_to_string", "string", stringType, stringType, same),
  convert("bool_to_string", "string", boolType, stringType, (value: boolean) => String(value)),
  convert("int64_to_string", "string", intType, stringType, (value: bigint) => String(value)),
  convert("uint64_to_string", "string", uintType, stringType, (value: CelUint) => String(value.value)),
  convert("double_to_string", "string", doubleType, stringType, formatDouble),
  convert("bytes_to_string", "string", bytesType, stringType, stringOfBytes),
  convert("timestamp_to_string", "string", timestampType, stringType, formatTimestamp),
  convert("duration_to_string", "string", durationType, stringType, formatDuration),
  convert("bytes_to_bytes", "bytes", bytesType, bytesType, same),
  convert("string_to_bytes", "bytes", stringType, bytesType, (value: string) => encoder.encode(value)),
  convert("timestamp_to_timestamp", "timestamp", timestampType, timestampType, same),
  convert("string_to_timestamp", "timestamp", stringType, timestampType, timestampOfString),
  convert("int64_to_timestamp", "timestamp", intType, timestampType, (value: bigint) =>
    timestamp(value * 1_000_000_000n),
  ),
  convert("duration_to_duration", "duration", durationType, durationType, same),
  convert("string_to_duration", "duration", stringType, durationType, durationOfString),
  convert("int64_to_duration", "duration", intType, durationType, (value: bigint) => duration(value)),
];
