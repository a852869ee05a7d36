const maxLength = 128;

/**
 * The manager of a write that names none: what comes before the first "/" of the User-Agent, at most 128 bytes, cut
 * before the first character that does not print. Mirrors managerOrUserAgent and prefixFromUserAgent of
 * k8s.io/apiserver pkg/endpoints/handlers/create.go (1.36).
 */
export function managerOrUserAgent(fieldManager: string, userAgent: string | undefined | null): string {
  if (fieldManager !== "") return fieldManager;
  const prefix = (userAgent ?? "").split("/")[0]!;
  let result = "";
  for (const character of prefix) {
    if (!isPrintable(character) || byteLength(result) + byteLength(character) > maxLength) break;
    result += character;
  }
  return result;
}

/** unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(character: string): boolean {
  return character === " " || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
