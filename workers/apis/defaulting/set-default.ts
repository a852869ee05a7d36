/** An API object or a part of it, in JSON form. */
export type Json = Record<string, any>;

/** Sets what the object does not have: absent or null, and for strings also empty. */
export function setDefault(object: Json, field: string, value: unknown): void {
  const current = object[field];
  if (current === undefined || current === null || (current === "" && typeof value === "string")) object[field] = value;
}

/** For numbers that have no pointer in Go: zero counts as absent too. */
export function setDefaultNumber(object: Json, field: string, value: number): void {
  if (!object[field]) object[field] = value;
}

/** The entries of a list that may be absent. */
export function each(list: unknown, visit: (entry: Json) => void): void {
  if (Array.isArray(list)) for (const entry of list) if (typeof entry === "object" && entry !== null) visit(entry);
}

/** The member as an object, made empty when absent. */
export function ensureObject(object: Json, field: string): Json {
  return (object[field] ??= {});
}
