import { CostLimitExceeded } from "./errors.ts";

/**
 * What an evaluation really does, beside the cost that users reason about: list copies, deep comparisons and long strings
 * are cheap in upstream's cost units but not in time. Evaluation is synchronous, so one counter serves.
 */
const maxWork = 5_000_000;
/** UTF-16 units of a string, elements of a list. */
const maxSize = 8_000_000;

let remaining = maxWork;
let depth = 0;

/** One allowance for `run` and all evaluations that it leads to (a variable may be another expression's result). */
export function withWork<T>(run: () => T): T {
  if (depth === 0) remaining = maxWork;
  depth++;
  try {
    return run();
  } finally {
    depth--;
  }
}

/** Raises CostLimitExceeded. One unit is about an element copied or compared. */
export function spend(units: number): void {
  remaining -= units;
  if (remaining < 0) throw new CostLimitExceeded();
}

/** Called with the size of a result before it is made. */
export function spendSize(size: number): void {
  if (size > maxSize) throw new CostLimitExceeded();
  spend(size / 8);
}
