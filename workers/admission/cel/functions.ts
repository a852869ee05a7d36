import type { CelType } from "./types.ts";
import type { Value } from "./values.ts";

/** One signature of a function with what it does. Of a method the target is the first parameter and argument. */
export interface Overload {
  readonly id: string;
  readonly member: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** May raise a CelError. Undefined where the planner has a form of its own (the logical operators, indexing). */
  readonly call: ((...args: Value[]) => Value) | undefined;
  /** Run-time cost; 1 where absent. */
  readonly cost: ((args: readonly Value[], result: Value) => number) | undefined;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

export interface NamedOverload extends Overload {
  readonly name: string;
}

type Cost = (args: readonly Value[], result: Value) => number;

/** A global function. The implementation may name the types of its arguments: only such reach it. */
export function func<A extends (Value | undefined)[]>(
  id: string,
  name: string,
  params: readonly CelType[],
  result: CelType,
  call?: (...args: A) => Value,
  cost?: Cost,
): NamedOverload {
  return { id, name, member: false, params, result, call: call as NamedOverload["call"], cost };
}

/** A method of its first parameter. */
export function method<A extends (Value | undefined)[]>(
  id: string,
  name: string,
  params: readonly CelType[],
  result: CelType,
  call?: (...args: A) => Value,
  cost?: Cost,
): NamedOverload {
  return { id, name, member: true, params, result, call: call as NamedOverload["call"], cost };
}

/** Groups overloads by name; several libraries may add to one. */
export function declarations(...libraries: readonly (readonly NamedOverload[])[]): Map<string, FunctionDeclaration> {
  const byName = new Map<string, { name: string; overloads: Overload[] }>();
  for (const overload of libraries.flat()) {
    const declaration = byName.get(overload.name);
    if (declaration === undefined) byName.set(overload.name, { name: overload.name, overloads: [overload] });
    else declaration.overloads.push(overload);
  }
  return byName;
}
