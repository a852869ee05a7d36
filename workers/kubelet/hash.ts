/**
 * Hex digits derived from a text: identifiers of the simulation (containers, images, machines) are the same after a
 * restart. FNV-1a with an avalanche per word; not a cryptographic hash.
 */
export function hexDigest(text: string, digits: number): string {
  let hex = "";
  for (let word = 0; hex.length < digits; word++) hex += hash32(text, word).toString(16).padStart(8, "0");
  return hex.slice(0, digits);
}

/** An unsigned 32-bit hash. */
export function hash32(text: string, seed = 0): number {
  let hash = (0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1)) >>> 0;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A version 4 UUID in form, derived from a text. */
export function uuidOf(text: string): string {
  const hex = hexDigest(text, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
