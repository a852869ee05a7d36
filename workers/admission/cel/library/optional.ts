import { CelError } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { func, method } from "../functions.ts";
import { boolType, listOf, optionalOf, param } from "../types.ts";
import type { CelList, Value } from "../values.ts";
import { ArrayList, CelDuration, CelList as List, CelMap, CelOptional, CelUint, optionalNone } from "../values.ts";

const t = param("T");

function isZero(value: Value): boolean {
  if (value === null || value === false || value === "" || value === 0 || value === 0n) return true;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof List || value instanceof CelMap) return value.size === 0;
  if (value instanceof CelDuration) return value.nanos === 0n;
  return value instanceof CelOptional && value.value === undefined;
}

function unwrapAll(list: CelList): Value {
  const items: Value[] = [];
  for (const item of list) if (item instanceof CelOptional && item.value !== undefined) items.push(item.value);
  return new ArrayList(items);
}

/** cel-go cel/library.go, optional types version 0 as Kubernetes has it. `or` and `orValue` are the planner's. */
export const optionalLibrary: readonly NamedOverload[] = [
  func("optional_of", "optional.of", [t], optionalOf(t), (value: Value) => new CelOptional(value)),
  func("optional_ofNonZeroValue", "optional.ofNonZeroValue", [t], optionalOf(t), (value: Value) =>
    isZero(value) ? optionalNone : new CelOptional(value),
  ),
  func("optional_none", "optional.none", [], optionalOf(t), () => optionalNone),
  func("optional_unwrap", "optional.unwrap", [listOf(optionalOf(t))], listOf(t), unwrapAll),
  method("optional_unwrapOpt", "unwrapOpt", [listOf(optionalOf(t))], listOf(t), unwrapAll),
  method("optional_value", "value", [optionalOf(t)], t, (held: CelOptional) => {
    if (held.value === undefined) throw new CelError("optional.none() dereference");
    return held.value;
  }),
  method("optional_hasValue", "hasValue", [optionalOf(t)], boolType, (held: CelOptional) => held.value !== undefined),
  method("optional_or_optional", "or", [optionalOf(t), optionalOf(t)], optionalOf(t)),
  method("optional_orValue_value", "orValue", [optionalOf(t), t], t),
];
