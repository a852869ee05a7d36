/**
 * The order of keys: by code point, which is the order of their UTF-8 bytes (SQLite's and etcd's). It differs from
 * JavaScript's `<` only where a surrogate pair meets U+E000…U+FFFF.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const unitOfA = a.charCodeAt(i);
    const unitOfB = b.charCodeAt(i);
    if (unitOfA === unitOfB) continue;
    if (unitOfA < 0xd800 || unitOfB < 0xd800) return unitOfA - unitOfB;
    return rank(unitOfA) - rank(unitOfB);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above every other unit. */
function rank(unit: number): number {
  return unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The first key after all that begin with `prefix`, which ends in a slash. */
export function endOfPrefix(prefix: string): string {
  return prefix.slice(0, -1) + "0";
}
