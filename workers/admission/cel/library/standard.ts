import { CelError } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { func, method } from "../functions.ts";
import { compilePattern } from "../regex.ts";
import type { CelType } from "../types.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  optionalOf,
  param,
  stringType,
  timestampType,
  typeOf,
  uintType,
} from "../types.ts";
import type { CelDuration, CelList, CelMap, CelTimestamp, CelUint, NativeMap, Value } from "../values.ts";
import {
  CelTypeValue,
  compareBytes,
  compareNumbers,
  compareStrings,
  equal,
  int,
  stringSize,
  typeNameOf,
  uint,
} from "../values.ts";
import { spend, spendSize } from "../work.ts";
import { conversions } from "./conversions.ts";
import { regexCost, secondSize, traverseBoth, traverseFirst, traverseProduct, traverseShorter } from "./costs.ts";
import { duration, timeLibrary, timestamp } from "./time.ts";

const a = param("A");
const b = param("B");

function concatBytes(left: Uint8Array, right: Uint8Array): Uint8Array {
  spendSize(left.length + right.length);
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  return joined;
}

function divide(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new CelError("division by zero");
  return left / right;
}

function remainder(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new CelError("modulus by zero");
  return left % right;
}

const arithmetic: readonly NamedOverload[] = [
  func("add_int64", "_+_", [intType, intType], intType, (x: bigint, y: bigint) => int(x + y)),
  func("add_uint64", "_+_", [uintType, uintType], uintType, (x: CelUint, y: CelUint) => uint(x.value + y.value)),
  func("add_double", "_+_", [doubleType, doubleType], doubleType, (x: number, y: number) => x + y),
  func(
    "add_string",
    "_+_",
    [stringType, stringType],
    stringType,
    (x: string, y: string) => {
      spendSize(x.length + y.length);
      return x + y;
    },
    traverseBoth,
  ),
  func("add_bytes", "_+_", [bytesType, bytesType], bytesType, concatBytes, traverseBoth),
  func("add_list", "_+_", [listOf(a), listOf(a)], listOf(a), (x: CelList, y: CelList) => x.concat(y)),
  func(
    "add_timestamp_duration",
    "_+_",
    [timestampType, durationType],
    timestampType,
    (x: CelTimestamp, y: CelDuration) => timestamp(x.nanos + y.nanos),
  ),
  func(
    "add_duration_timestamp",
    "_+_",
    [durationType, timestampType],
    timestampType,
    (x: CelDuration, y: CelTimestamp) => timestamp(x.nanos + y.nanos),
  ),
  func("add_duration_duration", "_+_", [durationType, durationType], durationType, (x: CelDuration, y: CelDuration) =>
    duration(x.nanos + y.nanos),
  ),
  func("subtract_int64", "_-_", [intType, intType], intType, (x: bigint, y: bigint) => int(x - y)),
  func("subtract_uint64", "_-_", [uintType, uintType], uintType, (x: CelUint, y: CelUint) => uint(x.value - y.value)),
  func("subtract_double", "_-_", [doubleType, doubleType], doubleType, (x: number, y: number) => x - y),
  func(
    "subtract_timestamp_timestamp",
    "_-_",
    [timestampType, timestampType],
    durationType,
    (x: CelTimestamp, y: CelTimestamp) => duration(x.nanos - y.nanos),
  ),
  func(
    "subtract_timestamp_duration",
    "_-_",
    [timestampType, durationType],
    timestampType,
    (x: CelTimestamp, y: CelDuration) => timestamp(x.nanos - y.nanos),
  ),
  func(
    "subtract_duration_duration",
    "_-_",
    [durationType, durationType],
    durationType,
    (x: CelDuration, y: CelDuration) => duration(x.nanos - y.nanos),
  ),
  func("multiply_int64", "_*_", [intType, intType], intType, (x: bigint, y: bigint) => int(x * y)),
  func("multiply_uint64", "_*_", [uintType, uintType], uintType, (x: CelUint, y: CelUint) => uint(x.value * y.value)),
  func("multiply_double", "_*_", [doubleType, doubleType], doubleType, (x: number, y: number) => x * y),
  func("divide_int64", "_/_", [intType, intType], intType, (x: bigint, y: bigint) => int(divide(x, y))),
  func("divide_uint64", "_/_", [uintType, uintType], uintType, (x: CelUint, y: CelUint) =>
    uint(divide(x.value, y.value)),
  ),
  func("divide_double", "_/_", [doubleType, doubleType], doubleType, (x: number, y: number) => x / y),
  func("modulo_int64", "_%_", [intType, intType], intType, (x: bigint, y: bigint) => remainder(x, y)),
  func("modulo_uint64", "_%_", [uintType, uintType], uintType, (x: CelUint, y: CelUint) =>
    uint(remainder(x.value, y.value)),
  ),
  func("negate_int64", "-_", [intType], intType, (x: bigint) => int(-x)),
  func("negate_double", "-_", [doubleType], doubleType, (x: number) => -x),
];

type Compare = (x: never, y: never) => number;

const ordered: readonly (readonly [string, CelType, Compare])[] = [
  ["bool", boolType, (x: boolean, y: boolean) => Number(x) - Number(y)],
  ["string", stringType, compareStrings],
  ["bytes", bytesType, compareBytes],
  ["timestamp", timestampType, (x: CelTimestamp, y: CelTimestamp) => compareNumbers(x.nanos, y.nanos)],
  ["duration", durationType, (x: CelDuration, y: CelDuration) => compareNumbers(x.nanos, y.nanos)],
];

const numeric: readonly (readonly [string, CelType])[] = [
  ["int64", intType],
  ["uint64", uintType],
  ["double", doubleType],
];
const tests: readonly (readonly [string, string, (sign: number) => boolean])[] = [
  ["less", "_<_", (sign) => sign < 0],
  ["less_equals", "_<=_", (sign) => sign <= 0],
  ["greater", "_>_", (sign) => sign > 0],
  ["greater_equals", "_>=_", (sign) => sign >= 0],
];

const comparisons: readonly NamedOverload[] = tests.flatMap(([id, name, test]) => [
  ...numeric.flatMap(([left, leftType]) =>
    numeric.map(([right, rightType]) =>
      func(
        left === right ? `${id}_${left}` : `${id}_${left}_${right}`,
        name,
        [leftType, rightType],
        boolType,
        (x: bigint | number | CelUint, y: bigint | number | CelUint) => test(compareNumbers(x, y)),
      ),
    ),
  ),
  ...ordered.map(([suffix, type, compare]) =>
    func(
      `${id}_${suffix}`,
      name,
      [type, type],
      boolType,
      (x: Value, y: Value) => test(compare(x as never, y as never)),
      suffix === "string" || suffix === "bytes" ? traverseShorter : undefined,
    ),
  ),
]);

function contains(item: Value, list: CelList): boolean {
  spend(list.size);
  for (const element of list) if (equal(element, item)) return true;
  return false;
}

/** Operators whose evaluation the planner knows. */
const planned: readonly NamedOverload[] = [
  func("equals", "_==_", [a, a], boolType),
  func("not_equals", "_!=_", [a, a], boolType),
  func("logical_and", "_&&_", [boolType, boolType], boolType),
  func("logical_or", "_||_", [boolType, boolType], boolType),
  func("conditional", "_?_:_", [boolType, a, a], a),
  func("not_strictly_false", "@not_strictly_false", [boolType], boolType),
  func("index_list", "_[_]", [listOf(a), intType], a),
  func("index_map", "_[_]", [mapOf(a, b), a], b),
  func("optional_list_index_int", "_[_]", [optionalOf(listOf(a)), intType], optionalOf(a)),
  func("optional_map_index_value", "_[_]", [optionalOf(mapOf(a, b)), a], optionalOf(b)),
  func("list_optindex_optional_int", "_[?_]", [listOf(a), intType], optionalOf(a)),
  func("map_optindex_optional_value", "_[?_]", [mapOf(a, b), a], optionalOf(b)),
  func("optional_list_optindex_optional_int", "_[?_]", [optionalOf(listOf(a)), intType], optionalOf(a)),
  func("optional_map_optindex_optional_value", "_[?_]", [optionalOf(mapOf(a, b)), a], optionalOf(b)),
];

function insert(map: NativeMap, key: Value, value: Value): Value {
  if (!map.set(key, value)) throw new CelError(`insert failed: key ${String(key)} already exists`);
  return map;
}

function insertAll(map: NativeMap, entries: CelMap): Value {
  for (const key of entries.keys()) insert(map, key, entries.get(key) as Value);
  return map;
}

const size = (value: CelList | CelMap): bigint => BigInt(value.size);

/** cel-go common/stdlib, with comparisons of numbers across types as Kubernetes enables them. */
export const standardLibrary: readonly NamedOverload[] = [
  ...planned,
  ...arithmetic,
  ...comparisons,
  ...conversions,
  ...timeLibrary,
  func("logical_not", "!_", [boolType], boolType, (value: boolean) => !value),
  func("in_list", "@in", [a, listOf(a)], boolType, contains, secondSize),
  func("in_map", "@in", [a, mapOf(a, b)], boolType, (key: Value, map: CelMap) => map.has(key)),
  func("cel_map_insert", "cel.@mapInsert", [mapOf(a, b), a, b], mapOf(a, b), insert),
  func("cel_map_insert_entries", "cel.@mapInsert", [mapOf(a, b), mapOf(a, b)], mapOf(a, b), insertAll),
  ...([func, method] as const).flatMap((make, index) => [
    make(`size_string_${index}`, "size", [stringType], intType, (text: string) => BigInt(stringSize(text))),
    make(`size_bytes_${index}`, "size", [bytesType], intType, (bytes: Uint8Array) => BigInt(bytes.length)),
    make(`size_list_${index}`, "size", [listOf(a)], intType, size),
    make(`size_map_${index}`, "size", [mapOf(a, b)], intType, size),
    make(
      `matches_string_${index}`,
      "matches",
      [stringType, stringType],
      boolType,
      (text: string, pattern: string) => compilePattern(pattern).test(text),
      regexCost,
    ),
  ]),
  method(
    "contains_string",
    "contains",
    [stringType, stringType],
    boolType,
    (text: string, part: string) => text.includes(part),
    traverseProduct,
  ),
  method(
    "starts_with_string",
    "startsWith",
    [stringType, stringType],
    boolType,
    (text: string, part: string) => text.startsWith(part),
    traverseFirst,
  ),
  method(
    "ends_with_string",
    "endsWith",
    [stringType, stringType],
    boolType,
    (text: string, part: string) => text.endsWith(part),
    traverseFirst,
  ),
  func("type", "type", [a], typeOf(a), (value: Value) => new CelTypeValue(typeNameOf(value))),
  func("dyn", "dyn", [a], dynType, (value: Value) => value),
];
