import { CelError, noSuchOverload } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { method } from "../functions.ts";
import type { CelType } from "../types.ts";
import {
  accepts,
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listOf,
  param,
  stringType,
  timestampType,
  uintType,
} from "../types.ts";
import type { CelList, Value } from "../values.ts";
import { CelDuration, CelTimestamp, CelUint, compareBytes, compareStrings, equal, int, uint } from "../values.ts";
import { spend } from "../work.ts";
import { traverseList } from "./costs.ts";
import { duration } from "./time.ts";

/** Of two values of one comparable type. */
export function compareScalars(x: Value, y: Value): number {
  if (typeof x === "string" && typeof y === "string") return compareStrings(x, y);
  if (x instanceof Uint8Array && y instanceof Uint8Array) return compareBytes(x, y);
  const left = scalar(x);
  const right = scalar(y);
  return left < right ? -1 : left > right ? 1 : 0;
}

function scalar(value: Value): bigint | number | boolean {
  if (value instanceof CelUint) return value.value;
  if (value instanceof CelTimestamp || value instanceof CelDuration) return value.nanos;
  if (typeof value === "bigint" || typeof value === "number" || typeof value === "boolean") return value;
  throw new CelError("no such overload");
}

function isSorted(list: CelList): boolean {
  let previous: Value | undefined;
  for (const item of list) {
    if (previous !== undefined && compareScalars(previous, item) > 0) return false;
    previous = item;
  }
  return true;
}

function extreme(name: string, sign: number): (list: CelList) => Value {
  return (list) => {
    let best: Value | undefined;
    for (const item of list) if (best === undefined || compareScalars(item, best) * sign > 0) best = item;
    if (best === undefined) throw new CelError(`${name} called on empty list`);
    return best;
  };
}

function sum<V extends Value>(type: CelType, zero: Value, add: (x: V, y: V) => Value): (list: CelList) => Value {
  return (list) => {
    let total = zero;
    for (const item of list) {
      // Entries of a list may be of any type at run time, null among them.
      if (!accepts(type, item)) throw noSuchOverload();
      total = add(total as V, item as V);
    }
    return total;
  };
}

function indexOf(list: CelList, item: Value): bigint {
  spend(list.size);
  for (let index = 0; index < list.size; index++) if (equal(list.at(index), item)) return BigInt(index);
  return -1n;
}

function lastIndexOf(list: CelList, item: Value): bigint {
  spend(list.size);
  for (let index = list.size - 1; index >= 0; index--) if (equal(list.at(index), item)) return BigInt(index);
  return -1n;
}

export const comparable: readonly (readonly [string, CelType])[] = [
  ["int", intType],
  ["uint", uintType],
  ["double", doubleType],
  ["bool", boolType],
  ["duration", durationType],
  ["timestamp", timestampType],
  ["string", stringType],
  ["bytes", bytesType],
];

const sums: readonly (readonly [string, CelType, (list: CelList) => Value])[] = [
  ["int", intType, sum(intType, 0n, (x: bigint, y: bigint) => int(x + y))],
  ["uint", uintType, sum(uintType, new CelUint(0n), (x: CelUint, y: CelUint) => uint(x.value + y.value))],
  ["double", doubleType, sum(doubleType, 0, (x: number, y: number) => x + y)],
  [
    "duration",
    durationType,
    sum(durationType, new CelDuration(0n), (x: CelDuration, y: CelDuration) => duration(x.nanos + y.nanos)),
  ],
];

const t = param("T");

/** k8s.io/apiserver pkg/cel/library/lists.go (1.36). */
export const listsLibrary: readonly NamedOverload[] = [
  ...comparable.flatMap(([name, type]) => [
    method(`list_${name}_is_sorted_bool`, "isSorted", [listOf(type)], boolType, isSorted, traverseList),
    method(`list_${name}_min_${name}`, "min", [listOf(type)], type, extreme("min", -1), traverseList),
    method(`list_${name}_max_${name}`, "max", [listOf(type)], type, extreme("max", 1), traverseList),
  ]),
  ...sums.map(([name, type, total]) =>
    method(`list_${name}_sum_${name}`, "sum", [listOf(type)], type, total, traverseList),
  ),
  method("list_a_index_of_int", "indexOf", [listOf(t), t], intType, indexOf, traverseList),
  method("list_a_last_index_of_int", "lastIndexOf", [listOf(t), t], intType, lastIndexOf, traverseList),
];
