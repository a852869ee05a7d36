/** A version as semver.org 2.0.0 has it, with its pre-release identifiers. */
export interface Semver {
  numbers: readonly [bigint, bigint, bigint];
  preRelease: readonly string[];
}

const number = "(0|[1-9]\\d*)";
const preRelease = "(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)";
const build = "[0-9a-zA-Z-]+";
const pattern = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${preRelease}(?:\\.${preRelease})*))?(?:\\+${build}(?:\\.${build})*)?$`,
);

export function parseSemver(text: string): Semver | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  return { numbers: [BigInt(match[1]!), BigInt(match[2]!), BigInt(match[3]!)], preRelease: match[4]?.split(".") ?? [] };
}

/** By precedence; build metadata does not count. */
export function compareSemver(a: Semver, b: Semver): number {
  for (const [index, left] of a.numbers.entries()) {
    const right = b.numbers[index]!;
    if (left !== right) return left < right ? -1 : 1;
  }
  // A release comes after its pre-releases.
  if (a.preRelease.length === 0 || b.preRelease.length === 0) return b.preRelease.length - a.preRelease.length;
  for (let index = 0; index < Math.max(a.preRelease.length, b.preRelease.length); index++) {
    const left = a.preRelease[index];
    const right = b.preRelease[index];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left === right) continue;
    const [isLeftNumber, isRightNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
    if (isLeftNumber && isRightNumber) return BigInt(left) < BigInt(right) ? -1 : 1;
    if (isLeftNumber !== isRightNumber) return isLeftNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}
