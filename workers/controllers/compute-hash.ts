const alphanums = "bcdfghjklmnpqrstvwxz2456789";

/** Maps each character to one that spells no words (k8s.io/apimachinery pkg/util/rand SafeEncodeString). */
export function safeEncodeString(text: string): string {
  let encoded = "";
  for (let index = 0; index < text.length; index++) encoded += alphanums[text.charCodeAt(index) % alphanums.length];
  return encoded;
}

/**
 * The pod-template-hash: 32-bit FNV-1a of the template and, if there was one, the collision count, safely encoded.
 * Equal templates have equal hashes whatever the order of their keys. The value differs from the one that Go's printer
 * would give; nothing may depend on it. Mirrors pkg/controller/controller_utils.go ComputeHash (1.36).
 */
export function computeHash(template: unknown, collisionCount?: number): string {
  let text = canonicalJSON(template);
  if (collisionCount !== undefined) text += `#${collisionCount}`;
  return safeEncodeString(String(fnv32a(text)));
}

function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** JSON with sorted keys, leaving out what says nothing: null, undefined and empty lists. */
function canonicalJSON(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJSON).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const object = value as Record<string, unknown>;
  const fields: string[] = [];
  for (const key of Object.keys(object).sort()) {
    const field = object[key];
    if (field === undefined || field === null || (Array.isArray(field) && field.length === 0)) continue;
    fields.push(`${JSON.stringify(key)}:${canonicalJSON(field)}`);
  }
  return `{${fields.join(",")}}`;
}
