import { CelError } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { func } from "../functions.ts";
import type { CelType } from "../types.ts";
import { doubleType, dynType, intType, listOf, uintType } from "../types.ts";
import type { Value } from "../values.ts";
import { CelList, CelUint } from "../values.ts";

type Numeric = bigint | number | CelUint;

const plain = (value: Numeric): bigint | number => (value instanceof CelUint ? value.value : value);

function pick(name: string, sign: number): (...args: Value[]) => Value {
  return (...args) => {
    const [first] = args;
    const items = args.length === 1 && first instanceof CelList ? [...first] : args;
    let best: Numeric | undefined;
    for (const item of items) {
      if (typeof item !== "bigint" && typeof item !== "number" && !(item instanceof CelUint))
        throw new CelError("no such overload");
      if (best === undefined || (sign > 0 ? plain(item) > plain(best) : plain(item) < plain(best))) best = item;
    }
    if (best === undefined) throw new CelError(`math.${name}() list must not be empty`);
    return best;
  };
}

/** One to six arguments stand for upstream's variadic macro. */
const widths = [2, 3, 4, 5, 6];
const numeric: readonly (readonly [string, CelType])[] = [
  ["int", intType],
  ["uint", uintType],
  ["double", doubleType],
];

function extreme(name: string, sign: number): NamedOverload[] {
  const call = pick(name, sign);
  return [
    ...numeric.flatMap(([suffix, type]) => [
      func(`math_${name}_${suffix}`, `math.${name}`, [type], type, call),
      func(`math_${name}_list_${suffix}`, `math.${name}`, [listOf(type)], type, call),
    ]),
    ...widths.map((width) =>
      func(`math_${name}_${width}`, `math.${name}`, Array<CelType>(width).fill(dynType), dynType, call),
    ),
  ];
}

/** The part of cel-go ext/math.go that compares. Kubernetes does not enable it. */
export const mathLibrary: readonly NamedOverload[] = [...extreme("least", -1), ...extreme("greatest", 1)];
