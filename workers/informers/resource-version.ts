/**
 * Orders two resource versions of one resource: negative when `a` is older. undefined when one of them is not a decimal
 * number, which only foreign servers produce. Mirrors apimachinery pkg/util/resourceversion (1.36).
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined || !decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

const decimal = /^(0|[1-9][0-9]*)$/;
