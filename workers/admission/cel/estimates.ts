/** A range of sizes or costs. Saturates at 2^64, as upstream's unsigned integers do. */
export interface Estimate {
  readonly min: number;
  readonly max: number;
}

export const unlimited = 2 ** 64;
export const unknownSize: Estimate = { min: 0, max: unlimited };
export const zero: Estimate = { min: 0, max: 0 };

export const fixed = (value: number): Estimate => ({ min: value, max: value });
const saturate = (value: number): number => Math.min(value, unlimited);

export function add(...estimates: readonly Estimate[]): Estimate {
  let min = 0;
  let max = 0;
  for (const one of estimates) {
    min += one.min;
    max += one.max;
  }
  return { min: saturate(min), max: saturate(max) };
}

export function multiply(a: Estimate, b: Estimate): Estimate {
  return { min: saturate(a.min * b.min), max: saturate(a.max * b.max) };
}

/** Rounded up. */
export function scale(estimate: Estimate, factor: number): Estimate {
  return { min: saturate(Math.ceil(estimate.min * factor)), max: saturate(Math.ceil(estimate.max * factor)) };
}

export function union(a: Estimate, b: Estimate): Estimate {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
