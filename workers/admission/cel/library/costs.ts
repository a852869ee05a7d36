import type { Value } from "../values.ts";
import { actualSize, CelList, CelMap } from "../values.ts";

/** Run-time costs: cel-go interpreter/runtimecost.go and Kubernetes' library/cost.go (1.36). */
const stringTraversal = 0.1;
const regexLength = 0.25;

type Cost = (args: readonly Value[], result: Value) => number;

/** In proportion to the first argument. */
export const traverseFirst: Cost = (args) => Math.ceil(actualSize(args[0] as Value) * stringTraversal);
export const traverseFirstTwice: Cost = (args) => Math.ceil(actualSize(args[0] as Value) * 2 * stringTraversal);
export const traverseResultTwice: Cost = (_args, result) => Math.ceil(actualSize(result) * 2 * stringTraversal);
export const traverseBoth: Cost = (args) =>
  Math.ceil((actualSize(args[0] as Value) + actualSize(args[1] as Value)) * stringTraversal);
export const traverseShorter: Cost = (args) =>
  Math.ceil(Math.min(actualSize(args[0] as Value), actualSize(args[1] as Value)) * stringTraversal);
export const traverseProduct: Cost = (args) =>
  Math.ceil(actualSize(args[0] as Value) * stringTraversal) * Math.ceil(actualSize(args[1] as Value) * stringTraversal);
export const regexCost: Cost = (args) =>
  Math.ceil((1 + actualSize(args[0] as Value)) * stringTraversal) *
  Math.ceil(actualSize(args[1] as Value) * regexLength);
export const secondSize: Cost = (args) => actualSize(args[1] as Value);

/** Every leaf of the first argument once. */
export const traverseList: Cost = (args) => traversal(args[0] as Value);

function traversal(value: Value): number {
  if (typeof value === "string" || value instanceof Uint8Array) return Math.floor(value.length * stringTraversal);
  let cost = 0;
  if (value instanceof CelList) {
    for (const item of value) cost += traversal(item);
    return cost;
  }
  if (value instanceof CelMap) {
    for (const key of value.keys()) cost += traversal(key) + traversal(value.get(key) as Value);
    return cost;
  }
  return 1;
}
