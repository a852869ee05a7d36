import type { Estimate } from "./estimates.ts";
import { add, fixed, multiply, scale, unlimited } from "./estimates.ts";
import type { CelType } from "./types.ts";

/** An argument, the target of a method being the first. */
export interface Operand {
  readonly size: Estimate;
  /** Of an element of a list. */
  readonly elementSize: Estimate;
  readonly type: CelType;
  /** Of a literal int. */
  readonly literal: bigint | undefined;
}

export interface CallEstimate {
  readonly cost: Estimate;
  readonly size?: Estimate;
}

const traversal = 0.1;
const regexLength = 0.25;

type Rule = (args: readonly Operand[], overload: string) => CallEstimate;

const constant =
  (cost: number): Rule =>
  () => ({ cost: fixed(cost) });
const traverse: Rule = ([first]) => ({ cost: scale(sizeOf(first), traversal) });
const transform: Rule = ([first]) => ({ cost: scale(sizeOf(first), traversal), size: sizeOf(first) });

function sizeOf(operand: Operand | undefined): Estimate {
  return operand?.size ?? { min: 0, max: unlimited };
}

const overList: Rule = ([first]) => {
  if (first?.type.kind !== "list") return { cost: scale(sizeOf(first), traversal) };
  const { element } = first.type;
  const each =
    element.kind === "string" || element.kind === "bytes"
      ? add(fixed(1), scale(first.elementSize, traversal))
      : fixed(1);
  return { cost: multiply(first.size, each) };
};

const regex = (text: Operand | undefined, pattern: Operand | undefined): Estimate =>
  multiply(scale(add(sizeOf(text), fixed(1)), traversal), scale(sizeOf(pattern), regexLength));

const find: Rule = ([text, pattern]) => ({ cost: regex(text, pattern), size: { min: 0, max: sizeOf(text).max } });

const compareShorter: Rule = ([a, b]) => {
  const max = Math.min(sizeOf(a).max, sizeOf(b).max);
  return { cost: scale({ min: max > 0 ? 1 : 0, max }, traversal) };
};

const replace: Rule = ([text, from, to]) => {
  const size = sizeOf(text);
  const old = sizeOf(from);
  const replacement = sizeOf(to);
  const most =
    old.min === 0
      ? (size.max + 1) * replacement.max + size.max
      : replacement.max <= old.min
        ? size.max
        : Math.ceil(size.max / old.min) * replacement.max;
  const least =
    old.max === 0
      ? (size.min + 1) * replacement.min + size.min
      : old.max <= replacement.min
        ? size.min
        : Math.ceil(size.min / old.max) * replacement.min;
  return {
    cost: scale(size, 2 * traversal),
    size: { min: Math.min(least, unlimited), max: Math.min(most, unlimited) },
  };
};

const join: Rule = ([list, separator]) => {
  const count = sizeOf(list);
  const gaps = { min: Math.max(count.min - 1, 0), max: Math.max(count.max - 1, 0) };
  const separators = separator === undefined ? fixed(0) : multiply(separator.size, gaps);
  const size = add(multiply(count, list?.elementSize ?? fixed(0)), separators);
  return { cost: scale(size, traversal), size };
};

const concat: Rule = ([a, b], overload) => {
  const size = add(sizeOf(a), sizeOf(b));
  if (overload === "add_list") return { cost: fixed(1), size };
  if (overload === "add_string" || overload === "add_bytes") return { cost: scale(size, traversal), size };
  return { cost: fixed(1) };
};

/** A call that makes a list, its cost in proportion to `size`. */
function allocating(factor: number, size: Estimate, result = size): CallEstimate {
  return { cost: add(scale(size, factor), fixed(11)), size: result };
}

const slice: Rule = ([list, start, end]) => {
  const last = end?.literal === undefined ? sizeOf(list).max : Number(end.literal);
  return allocating(1, fixed(Math.max(last - Number(start?.literal ?? 0n), 0)));
};

const selfCompare =
  (index: number): Rule =>
  (args, overload) => {
    const size = sizeOf(args[index]);
    const factor = /_(?:string|bytes)_sort/.test(overload) ? 2 + traversal : 2;
    return allocating(factor, multiply(size, size));
  };

const addressBytes: Estimate = { min: 4, max: 16 };
const containsAddress: Rule = ([, other], overload) => {
  let cost = scale(add(addressBytes, addressBytes), traversal);
  if (overload.includes("cidr_contains_cidr")) cost = add(cost, scale(addressBytes, traversal), fixed(1));
  if (overload.endsWith("_string")) cost = add(cost, scale(sizeOf(other), traversal));
  return { cost };
};

const setProduct =
  (factor: number): Rule =>
  ([a, b]) => ({ cost: add(fixed(1), scale(multiply(sizeOf(a), sizeOf(b)), factor)) });

/** By function name: k8s.io/apiserver pkg/cel/library/cost.go (1.36) and cel-go checker/cost.go. Anything else costs 1. */
const rules: Readonly<Record<string, Rule>> = {
  check: constant(350_000),
  slice,
  flatten: ([list, depth]) => allocating(depth === undefined ? 1 : Number(depth.literal ?? unlimited), sizeOf(list)),
  "lists.range": ([size]) => allocating(1, fixed(size?.literal === undefined ? unlimited : Number(size.literal))),
  reverse: ([list], overload) => (overload === "list_reverse" ? allocating(1, sizeOf(list)) : { cost: fixed(1) }),
  distinct: selfCompare(0),
  sort: selfCompare(0),
  "@sortByAssociatedKeys": selfCompare(1),
  isSorted: overList,
  sum: overList,
  max: overList,
  min: overList,
  indexOf: overList,
  lastIndexOf: overList,
  url: traverse,
  isURL: traverse,
  lowerAscii: transform,
  upperAscii: transform,
  substring: transform,
  trim: transform,
  replace,
  split: ([text]) => ({ cost: scale(sizeOf(text), 2 * traversal), size: { min: 0, max: sizeOf(text).max } }),
  join,
  find,
  findAll: find,
  ip: (args, overload) => (overload === "cidr_ip" ? { cost: fixed(1) } : traverse(args, overload)),
  cidr: traverse,
  isIP: traverse,
  isCIDR: traverse,
  "ip.isCanonical": ([text]) => ({ cost: scale(sizeOf(text), 2 * traversal) }),
  containsIP: containsAddress,
  containsCIDR: containsAddress,
  quantity: traverse,
  isQuantity: traverse,
  semver: traverse,
  isSemver: traverse,
  validate: ([, text]) => ({ cost: multiply(scale(add(sizeOf(text), fixed(1)), traversal), fixed(20)) }),
  format: ([template, values], overload) => {
    const size = add(sizeOf(template), sizeOf(values));
    return overload === "string_format" ? { cost: scale(sizeOf(template), traversal), size } : { cost: fixed(1) };
  },
  "strings.quote": ([text]) => ({ cost: scale(sizeOf(text), traversal), size: add(scale(sizeOf(text), 2), fixed(2)) }),
  bytes: ([text]) => ({
    cost: scale(sizeOf(text), traversal),
    size: { min: sizeOf(text).min, max: sizeOf(text).max * 4 },
  }),
  string: ([bytes], overload) =>
    overload === "bytes_to_string"
      ? { cost: scale(sizeOf(bytes), traversal), size: sizeOf(bytes) }
      : { cost: fixed(1) },
  startsWith: ([, part]) => ({ cost: scale(sizeOf(part), traversal) }),
  endsWith: ([, part]) => ({ cost: scale(sizeOf(part), traversal) }),
  contains: ([text, part]) => ({ cost: multiply(scale(sizeOf(text), traversal), scale(sizeOf(part), traversal)) }),
  matches: ([text, pattern]) => ({ cost: regex(text, pattern) }),
  "@in": ([, list], overload) => ({ cost: overload === "in_list" ? sizeOf(list) : fixed(1) }),
  "_+_": concat,
  "_==_": compareShorter,
  "_!=_": compareShorter,
  "sets.contains": setProduct(1),
  "sets.intersects": setProduct(1),
  "sets.equivalent": setProduct(2),
};

const textComparison = /^(?:less|greater)(?:_equals)?_(?:string|bytes)$/;

export function estimateCall(name: string, overload: string, args: readonly Operand[]): CallEstimate {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule !== undefined) return rule(args, overload);
  return textComparison.test(overload) ? compareShorter(args, overload) : { cost: fixed(1) };
}
