export interface Summary {
  median: number;
  min: number;
  max: number;
}

/** `fraction` from 0 to 1; NaN of nothing. */
export function percentile(values: readonly number[], fraction: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)]!;
}

export function summary(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}
