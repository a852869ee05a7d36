export const maxInt64 = 2n ** 63n - 1n;
export const minInt64 = -(2n ** 63n);

/** Go's strconv.ParseInt(text, 10, 64): decimal with an optional sign; undefined when malformed or out of range. */
export function parseInt64(text: string): bigint | undefined {
  // 20 digits may carry leading zeros past the range's 19; anything longer than 400 is not worth converting.
  if (!/^[+-]?[0-9]{1,400}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return value < minInt64 || value > maxInt64 ? undefined : value;
}
