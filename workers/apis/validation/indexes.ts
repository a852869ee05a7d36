import { quote } from "../../apimachinery/quote.ts";

/**
 * Lists of completion indexes such as `1,3-5`. Mirrors validateIndexesFormat of pkg/apis/batch/validation (1.36).
 * Returns the number of indexes, or what is wrong.
 */
export function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let total = 0;
  let last: number | undefined;
  for (const interval of text.split(",")) {
    const parsed = parseInterval(interval, completions);
    if (typeof parsed === "string") return parsed;
    const [first, end] = parsed;
    if (last !== undefined && last >= first) return `non-increasing order, previous: ${last}, current: ${first}`;
    total += end - first + 1;
    last = end;
  }
  return total;
}

function parseInterval(interval: string, completions: number): [number, number] | string {
  const limits = interval.split("-");
  if (limits.length > 2) {
    return `the fragment ${quote(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const ends: number[] = [];
  for (const limit of limits) {
    if (!/^\+?\d+$/.test(limit)) return `cannot convert string to integer for index: ${quote(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${quote(limit)}`;
    ends.push(Number(limit));
  }
  const [first, end = first] = ends as [number, number?];
  if (ends.length === 2 && first >= end) return `non-increasing order, previous: ${first}, current: ${end}`;
  return [first, end];
}
