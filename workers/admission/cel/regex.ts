import { RE2JS } from "re2js";
import { CelError } from "./errors.ts";

/** RE2 semantics: linear in the text, whatever the pattern. Lengths are bounded so that the factor is too. */
const maxPattern = 4096;
const maxCached = 256;
const cache = new Map<string, RE2JS>();

/** Raises CelError, with Go's words where the pattern is wrong. */
export function compilePattern(source: string): RE2JS {
  const known = cache.get(source);
  if (known !== undefined) return known;
  if (source.length > maxPattern) throw new CelError(`regular expression is longer than ${maxPattern} characters`);
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(source);
  } catch (error) {
    throw new CelError(error instanceof Error ? error.message : String(error));
  }
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string);
  cache.set(source, pattern);
  return pattern;
}

/** The leftmost matches that do not overlap, at most `limit` of them. */
export function findMatches(pattern: RE2JS, text: string, limit: number): string[] {
  const matcher = pattern.matcher(text);
  const found: string[] = [];
  while (found.length < limit && matcher.find()) found.push(matcher.group() ?? "");
  return found;
}
