import { CelError } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { func, method } from "../functions.ts";
import { dynType, intType, listOf, stringType } from "../types.ts";
import type { CelList, Value } from "../values.ts";
import { ArrayList } from "../values.ts";
import { spend, spendSize } from "../work.ts";
import { traverseFirst, traverseFirstTwice, traverseList, traverseResultTwice } from "./costs.ts";
import { formatString } from "./string-format.ts";

/** Positions count code points; without surrogates these are the string's own units. */
function points(text: string): string[] | string {
  return /[\ud800-\udbff]/.test(text) ? [...text] : text;
}

function slice(text: string, from: number, to?: number): string {
  const units = points(text);
  return typeof units === "string" ? units.slice(from, to) : units.slice(from, to).join("");
}

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): string {
  const units = points(text);
  if (index < 0n || index > BigInt(units.length)) throw outOfRange(index);
  return units[Number(index)] ?? "";
}

function indexOf(text: string, part: string, offset = 0n): bigint {
  const units = points(text);
  if (offset < 0n || offset > BigInt(units.length)) throw outOfRange(offset);
  if (typeof units === "string") return BigInt(units.indexOf(part, Number(offset)));
  const from = units.slice(0, Number(offset)).join("").length;
  const found = text.indexOf(part, from);
  return found === -1 ? -1n : BigInt([...text.slice(0, found)].length);
}

function lastIndexOf(text: string, part: string, offset?: bigint): bigint {
  const units = points(text);
  if (offset !== undefined && (offset < 0n || offset > BigInt(units.length))) throw outOfRange(offset);
  const from = offset === undefined ? text.length : slice(text, 0, Number(offset)).length;
  const found = text.lastIndexOf(part, from);
  return found === -1 ? -1n : BigInt([...text.slice(0, found)].length);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const units = points(text);
  const size = BigInt(units.length);
  if (end === undefined) {
    if (start < 0n || start > size) throw outOfRange(start);
    return slice(text, Number(start));
  }
  if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > size) throw outOfRange(start);
  if (end > size) throw outOfRange(end);
  return slice(text, Number(start), Number(end));
}

function replace(text: string, from: string, to: string, limit = -1n): string {
  const pieces = limit === 0n ? [text] : splitAtMost(text, from, limit);
  spendSize(text.length + (pieces.length + 1) * to.length);
  if (from !== "" || limit === 0n) return pieces.join(to);
  // An empty text to be replaced stands before every character and at the end.
  const count = limit < 0n ? pieces.length + 1 : Math.min(Number(limit), pieces.length + 1);
  return (
    pieces.map((piece, index) => (index < count ? to + piece : piece)).join("") + (count > pieces.length ? to : "")
  );
}

/** `limit` replacements at the most; the last piece holds the rest. */
function splitAtMost(text: string, separator: string, limit: bigint): string[] {
  spend(text.length / 4);
  const pieces = separator === "" ? [...text] : text.split(separator);
  if (separator === "" || limit < 0n || BigInt(pieces.length) <= limit + 1n) return pieces;
  const count = Number(limit);
  return [...pieces.slice(0, count), pieces.slice(count).join(separator)];
}

function split(text: string, separator: string, limit = -1n): Value {
  if (limit === 0n) return new ArrayList([]);
  if (limit === 1n) return new ArrayList([text]);
  spend(text.length / 4);
  if (limit < 0n) return new ArrayList(separator === "" ? [...text] : text.split(separator));
  const pieces = separator === "" ? [...text] : text.split(separator);
  if (BigInt(pieces.length) <= limit) return new ArrayList(pieces);
  const kept = Number(limit) - 1;
  return new ArrayList([...pieces.slice(0, kept), pieces.slice(kept).join(separator)]);
}

function join(list: CelList, separator = ""): string {
  let size = 0;
  const parts: string[] = [];
  for (const item of list) {
    if (typeof item !== "string") throw new CelError("no such overload");
    size += item.length + separator.length;
    spendSize(size / 64);
    parts.push(item);
  }
  spendSize(size);
  return parts.join(separator);
}

const escapes: Record<string, string> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quote(text: string): string {
  spendSize(text.length * 2);
  return `"${text.toWellFormed().replaceAll(/[\x07\b\f\n\r\t\v\\"]/g, (found) => escapes[found] ?? found)}"`;
}

/** What Unicode calls white space, as Go's strings.TrimSpace. */
const trimmed =
  /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

const lower = (text: string): string => text.replaceAll(/[A-Z]+/g, (found) => found.toLowerCase());
const upper = (text: string): string => text.replaceAll(/[a-z]+/g, (found) => found.toUpperCase());

/** cel-go ext/strings.go, version 2. */
export const stringsLibrary: readonly NamedOverload[] = [
  method("string_char_at_int", "charAt", [stringType, intType], stringType, charAt),
  method("string_index_of_string", "indexOf", [stringType, stringType], intType, indexOf, traverseList),
  method("string_index_of_string_int", "indexOf", [stringType, stringType, intType], intType, indexOf, traverseList),
  method("list_join", "join", [listOf(stringType)], stringType, join, traverseResultTwice),
  method("list_join_string", "join", [listOf(stringType), stringType], stringType, join, traverseResultTwice),
  method("string_last_index_of_string", "lastIndexOf", [stringType, stringType], intType, lastIndexOf, traverseList),
  method(
    "string_last_index_of_string_int",
    "lastIndexOf",
    [stringType, stringType, intType],
    intType,
    lastIndexOf,
    traverseList,
  ),
  method("string_lower_ascii", "lowerAscii", [stringType], stringType, lower, traverseFirst),
  method("string_upper_ascii", "upperAscii", [stringType], stringType, upper, traverseFirst),
  method(
    "string_replace_string_string",
    "replace",
    [stringType, stringType, stringType],
    stringType,
    replace,
    traverseFirstTwice,
  ),
  method(
    "string_replace_string_string_int",
    "replace",
    [stringType, stringType, stringType, intType],
    stringType,
    replace,
    traverseFirstTwice,
  ),
  method("string_split_string", "split", [stringType, stringType], listOf(stringType), split, traverseFirstTwice),
  method(
    "string_split_string_int",
    "split",
    [stringType, stringType, intType],
    listOf(stringType),
    split,
    traverseFirstTwice,
  ),
  method("string_substring_int", "substring", [stringType, intType], stringType, substring, traverseFirst),
  method("string_substring_int_int", "substring", [stringType, intType, intType], stringType, substring, traverseFirst),
  method(
    "string_trim",
    "trim",
    [stringType],
    stringType,
    (text: string) => text.replaceAll(trimmed, ""),
    traverseFirst,
  ),
  method("string_format", "format", [stringType, listOf(dynType)], stringType, formatString, traverseFirst),
  func("strings_quote", "strings.quote", [stringType], stringType, quote, traverseFirst),
];

/** Version 3, which Kubernetes does not enable. */
export const stringsReverse: readonly NamedOverload[] = [
  method(
    "string_reverse",
    "reverse",
    [stringType],
    stringType,
    (text: string) => [...text].toReversed().join(""),
    traverseFirst,
  ),
];
