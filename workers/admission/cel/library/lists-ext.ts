import { CelError, CostLimitExceeded } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { func, method } from "../functions.ts";
import { dynType, intType, listOf, param } from "../types.ts";
import type { Value } from "../values.ts";
import { actualSize, ArrayList, CelList, equal, typeNameOf } from "../values.ts";
import { spend } from "../work.ts";
import { comparable, compareScalars } from "./lists.ts";

const maxRange = 10_000_000n;
const callCost = 1;
const listCreateCost = 10;

function slice(list: CelList, start: bigint, end: bigint): Value {
  const shown = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new CelError(`${shown}, negative indexes not supported`);
  if (start > end) throw new CelError(`${shown}, start index must be less than or equal to end index`);
  if (BigInt(list.size) < end) throw new CelError(`${shown}, list is length ${list.size}`);
  spend(Number(end - start));
  const items: Value[] = [];
  for (let index = Number(start); index < Number(end); index++) items.push(list.at(index));
  return new ArrayList(items);
}

function flatten(list: CelList, depth = 1n): Value {
  if (depth < 0n) throw new CelError("level must be non-negative");
  const items: Value[] = [];
  const add = (from: CelList, levels: bigint): void => {
    spend(from.size);
    for (const item of from) {
      if (levels > 0n && item instanceof CelList) add(item, levels - 1n);
      else items.push(item);
    }
  };
  add(list, depth);
  return new ArrayList(items);
}

/** Stable, by keys of one comparable type. */
function sortByKeys(list: CelList, keys: CelList): Value {
  spend(list.size * 8);
  const keyed = [...list].map((item, index) => ({ item, key: keys.at(index) }));
  const [first] = keyed;
  if (first !== undefined) {
    const type = typeNameOf(first.key);
    if (keyed.some(({ key }) => typeNameOf(key) !== type)) throw new CelError("list elements must have the same type");
    keyed.sort((a, b) => compareScalars(a.key, b.key));
  }
  return new ArrayList(keyed.map(({ item }) => item));
}

function distinct(list: CelList): Value {
  const items: Value[] = [];
  for (const item of list) {
    spend(items.length + 1);
    if (!items.some((known) => equal(known, item))) items.push(item);
  }
  return new ArrayList(items);
}

function range(size: bigint): Value {
  if (size < 0n) throw new CelError(`lists.range: size must be non-negative, got ${size}`);
  if (size > maxRange) throw new CelError(`lists.range: size ${size} exceeds maximum allowed (${maxRange})`);
  spend(Number(size));
  return new ArrayList(Array.from({ length: Number(size) }, (_, index) => BigInt(index)));
}

function reverse(list: CelList): Value {
  spend(list.size);
  return new ArrayList([...list].toReversed());
}

type Cost = (args: readonly Value[], result: Value) => number;

const resultSize: Cost = (_args, result) => callCost + listCreateCost + actualSize(result);
const flattenCost: Cost = (args) => callCost + listCreateCost + actualSize(args[0] as Value) * Number(args[1] ?? 1n);

/** As if every element were compared with every other. */
const selfCompare =
  (index: number): Cost =>
  (args) => {
    const list = args[index];
    if (!(list instanceof CelList)) throw new CostLimitExceeded();
    const first = list.size > 0 ? list.at(0) : undefined;
    const factor = typeof first === "string" || first instanceof Uint8Array ? 2.1 : 2;
    return callCost + listCreateCost + Math.floor(factor * list.size * list.size);
  };

const t = listOf(param("T"));

/** cel-go ext/lists.go, version 3. */
export const listsExtension: readonly NamedOverload[] = [
  method("list_slice", "slice", [t, intType, intType], t, slice, resultSize),
  method("list_flatten", "flatten", [listOf(t)], t, flatten, flattenCost),
  method("list_flatten_int", "flatten", [listOf(dynType), intType], listOf(dynType), flatten, flattenCost),
  method("list_reverse", "reverse", [t], t, reverse, resultSize),
  method("list_distinct", "distinct", [t], t, distinct, selfCompare(0)),
  func("lists_range", "lists.range", [intType], listOf(intType), range, resultSize),
  ...comparable.flatMap(([name, type]) => [
    method(
      `list_${name}_sort`,
      "sort",
      [listOf(type)],
      listOf(type),
      (list: CelList) => sortByKeys(list, list),
      selfCompare(0),
    ),
    method(
      `list_${name}_sortByAssociatedKeys`,
      "@sortByAssociatedKeys",
      [t, listOf(type)],
      t,
      sortByKeys,
      selfCompare(1),
    ),
  ]),
];
