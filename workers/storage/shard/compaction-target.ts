import type { ShardSettings } from "./protocol.ts";

export interface CompactionBounds {
  now: number;
  /** The newest committed revision. */
  revision: number;
  /** Up to here it is done. */
  compacted: number;
  /** What the watch cache holds: the rest may still have to be pushed. */
  acknowledged: number;
  /** The oldest snapshot in use. */
  oldestPin: number;
}

/**
 * How far history may be compacted: the state at any moment of the last `historyMilliseconds` and the last
 * `historyRevisions` changes stay. `committedAt` knows every revision above `compacted`.
 */
export function compactionTarget(
  bounds: CompactionBounds,
  settings: ShardSettings,
  committedAt: (revision: number) => number,
): number {
  const { compacted } = bounds;
  const cutoff = bounds.now - settings.historyMilliseconds;
  let low = compacted;
  let high = Math.min(bounds.revision - settings.historyRevisions, bounds.acknowledged, bounds.oldestPin);
  // The last revision at or before the cutoff: commit times do not decrease.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (committedAt(middle) <= cutoff) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, compacted);
}
