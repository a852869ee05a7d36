/** What one pass over JSON text finds without parsing it. Strings are skipped; text that is no JSON gives any numbers. */
export interface JsonMeasure {
  /** Object members, duplicates counted. */
  members: number;
  /** Deepest nesting of objects and lists. */
  depth: number;
}

export function measureJson(text: string): JsonMeasure {
  let members = 0;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfString(text, at);
        break;
      case 0x3a:
        members++;
        break;
      case 0x7b:
      case 0x5b:
        if (++depth > deepest) deepest = depth;
        break;
      case 0x7d:
      case 0x5d:
        depth--;
        break;
    }
  }
  return { members, depth: deepest };
}

/** Index of the closing quote, or of the text's end. */
function endOfString(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1);
  while (end >= 0) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Members of a parsed value, at any depth. Fewer than {@link measureJson} counts means that some were duplicates. */
export function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const entry of value) count += countMembers(entry);
  } else {
    for (const key in value) count += 1 + countMembers((value as Record<string, unknown>)[key]);
  }
  return count;
}

/** Paths of members that occur again in their object, in the form of field errors: `spec.containers[0].name`. */
export function duplicateMembers(text: string): string[] {
  const found = new Set<string>();
  let at = 0;
  const space = () => {
    while (" \t\n\r".includes(text[at] ?? "x")) at++;
  };
  const key = (): string => {
    const end = endOfString(text, at);
    const name = JSON.parse(text.slice(at, end + 1)) as string;
    at = end + 1;
    return name;
  };
  const value = (path: string): void => {
    space();
    if (text[at] === "{") {
      const seen = new Set<string>();
      at++;
      for (space(); text[at] !== "}"; space()) {
        const name = key();
        const member = path === "" ? name : `${path}.${name}`;
        if (seen.has(name)) found.add(member);
        seen.add(name);
        space();
        at++;
        value(member);
        space();
        if (text[at] === ",") at++;
      }
      at++;
    } else if (text[at] === "[") {
      at++;
      space();
      for (let index = 0; text[at] !== "]"; index++, space()) {
        value(`${path}[${index}]`);
        space();
        if (text[at] === ",") at++;
      }
      at++;
    } else if (text[at] === '"') {
      at = endOfString(text, at) + 1;
    } else {
      while (at < text.length && !",}] \t\n\r".includes(text[at]!)) at++;
    }
  };
  value("");
  return [...found];
}
