import type { NamedOverload } from "../functions.ts";
import { func } from "../functions.ts";
import { boolType, listOf, param } from "../types.ts";
import type { CelList, Value } from "../values.ts";
import { actualSize, equal } from "../values.ts";
import { spend } from "../work.ts";

function includes(list: CelList, item: Value): boolean {
  spend(list.size);
  for (const one of list) if (equal(one, item)) return true;
  return false;
}

function containsAll(list: CelList, sublist: CelList): boolean {
  for (const item of sublist) if (!includes(list, item)) return false;
  return true;
}

function intersects(x: CelList, y: CelList): boolean {
  for (const item of x) if (includes(y, item)) return true;
  return false;
}

const t = listOf(param("T"));
const product =
  (factor: number) =>
  (args: readonly Value[]): number =>
    1 + Math.ceil(actualSize(args[0] as Value) * actualSize(args[1] as Value) * factor);

/** cel-go ext/sets.go. */
export const setsLibrary: readonly NamedOverload[] = [
  func("list_sets_contains_list", "sets.contains", [t, t], boolType, containsAll, product(1)),
  func(
    "list_sets_equivalent_list",
    "sets.equivalent",
    [t, t],
    boolType,
    (x: CelList, y: CelList) => containsAll(x, y) && containsAll(y, x),
    product(2),
  ),
  func("list_sets_intersects_list", "sets.intersects", [t, t], boolType, intersects, product(1)),
];
