/** Equality of JSON values; undefined members count as absent. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => deepEqual(item, b[index]));
  }
  if (Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key in left) if (left[key] !== undefined && !deepEqual(left[key], right[key])) return false;
  // Own members: `toString` is not there just because every object inherits one.
  for (const key in right)
    if (right[key] !== undefined && (left[key] === undefined || !Object.hasOwn(left, key))) return false;
  return true;
}

/**
 * Equality in the sense of apimachinery's equality.Semantic: an absent field, null and an empty list are the same. An
 * empty object is a value of its own (`emptyDir: {}` says something).
 */
export function semanticEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isNothing(left)) return isNothing(right);
  if (isNothing(right) || typeof left !== "object" || typeof right !== "object") return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => semanticEqual(item, right[index]));
  }
  const a = left as Record<string, unknown>;
  const b = right as Record<string, unknown>;
  for (const key of Object.keys(a)) if (!semanticEqual(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (!(key in a) && !isNothing(b[key])) return false;
  return true;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
