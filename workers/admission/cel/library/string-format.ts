import { CelError } from "../errors.ts";
import type { CelList, Value } from "../values.ts";
import {
  CelDuration,
  CelList as List,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  compareStrings,
  typeNameOf,
} from "../values.ts";
import { spendSize } from "../work.ts";
import { formatDuration, formatTimestamp } from "./time.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const maxPrecision = 100;

const fail = (detail: string): CelError => new CelError(`error during formatting: ${detail}`);

/** cel-go ext/formatting_v2.go: `"%d of %s".format([1, "x"])`. */
export function formatString(template: string, args: CelList): string {
  const parts: string[] = [];
  let used = 0;
  let last = 0;
  for (let at = template.indexOf("%"); at !== -1; at = template.indexOf("%", last)) {
    parts.push(template.slice(last, at));
    const found = /^%(?:%|(?:\.(\d+))?([\s\S]))/.exec(template.slice(at, at + 12));
    if (found === null) throw fail("unexpected end of string");
    last = at + found[0].length;
    if (found[0] === "%%") {
      parts.push("%");
      continue;
    }
    if (used >= args.size) throw fail(`index ${used} out of range`);
    const precision = found[1] === undefined ? undefined : Number(found[1]);
    if (precision !== undefined && precision > maxPrecision) throw fail(`precision ${precision} is too large`);
    parts.push(clause(found[2] ?? "", args.at(used++), precision));
  }
  parts.push(template.slice(last));
  spendSize(parts.reduce((sum, part) => sum + part.length, 0));
  return parts.join("");
}

function clause(verb: string, value: Value, precision: number | undefined): string {
  switch (verb) {
    case "s":
      return show(value);
    case "d":
      return decimal(value);
    case "f":
      return fixed(value, precision ?? 6);
    case "e":
      return scientific(value, precision ?? 6);
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return radix(value, 2, "binary clause can only be used on integers and bools");
    case "o":
      return radix(value, 8, "octal clause can only be used on integers");
    case "x":
      return hex(value);
    case "X":
      return hex(value).toUpperCase();
    default:
      throw fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function show(value: Value): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return showDouble(value);
    default:
  }
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof Uint8Array) return decoder.decode(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof List) {
    spendSize(value.size * 8);
    return `[${[...value].map(show).join(", ")}]`;
  }
  if (value instanceof CelMap) {
    spendSize(value.size * 16);
    const entries = [...value.keys()].map((key) => [show(key), show(value.get(key) as Value)] as const);
    entries.sort((x, y) => compareStrings(x[0], y[0]));
    return `{${entries.map(([key, shown]) => `${key}: ${shown}`).join(", ")}}`;
  }
  throw fail(
    `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeNameOf(value)}`,
  );
}

/** Never with an exponent. */
function showDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (Math.abs(value) >= 1e21) return String(BigInt(value));
  const shortest = String(value);
  if (!shortest.includes("e")) return shortest;
  const [digits = "", power = "0"] = value.toExponential().split("e");
  return value.toFixed(Math.min(100, digits.replace(/^-?\d\.?/, "").length - Number(power)));
}

function decimal(value: Value): string {
  if (typeof value === "bigint") return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (typeof value === "number") return showDouble(value);
  throw fail(`decimal clause can only be used on numbers, was given ${typeNameOf(value)}`);
}

function toDouble(value: Value, kind: string): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof CelUint) return Number(value.value);
  throw fail(`${kind} clause can only be used on doubles, was given ${typeNameOf(value)}`);
}

function fixed(value: Value, precision: number): string {
  const number = toDouble(value, "fixed-point");
  return Number.isFinite(number) ? toFixed(number, precision) : showDouble(number);
}

/** Exact, with ties to even as Go rounds; JavaScript rounds ties up. */
function toFixed(value: number, precision: number): string {
  const { numerator, denominator } = fractionOf(Math.abs(value));
  const scaled = numerator * 10n ** BigInt(precision);
  let rounded = scaled / denominator;
  const twice = (scaled % denominator) * 2n;
  if (twice > denominator || (twice === denominator && rounded % 2n === 1n)) rounded++;
  const digits = rounded.toString().padStart(precision + 1, "0");
  const split = digits.length - precision;
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return precision === 0 ? sign + digits : `${sign}${digits.slice(0, split)}.${digits.slice(split)}`;
}

/** What a finite double stands for, exactly. */
function fractionOf(value: number): { numerator: bigint; denominator: bigint } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = bits & 0xfffffffffffffn;
  const whole = exponent === 0 ? mantissa : mantissa | (1n << 52n);
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  return power >= 0
    ? { numerator: whole << BigInt(power), denominator: 1n }
    : { numerator: whole, denominator: 1n << BigInt(-power) };
}

function scientific(value: Value, precision: number): string {
  const number = toDouble(value, "scientific");
  if (!Number.isFinite(number)) return showDouble(number);
  const [digits, power = "+0"] = number.toExponential(precision).split("e");
  return `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

function radix(value: Value, base: number, message: string): string {
  if (typeof value === "bigint") return value.toString(base);
  if (value instanceof CelUint) return value.value.toString(base);
  throw fail(`${message}, was given ${typeNameOf(value)}`);
}

function hex(value: Value): string {
  if (typeof value === "string") return hexBytes(encoder.encode(value));
  if (value instanceof Uint8Array) return hexBytes(value);
  return radix(value, 16, "only integers, byte buffers, and strings can be formatted as hex");
}

function hexBytes(bytes: Uint8Array): string {
  spendSize(bytes.length * 2);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
