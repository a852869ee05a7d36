import { countMembers, duplicateMembers, measureJson } from "./json-scan.ts";
import { goJsonSyntaxError } from "./json-syntax-error.ts";
import { maxDepth } from "./normalize.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

export interface ParsedDocument {
  value: unknown;
  /** Paths of members that the document sets twice; the last one wins. Empty unless asked for. */
  duplicates: string[];
}

/**
 * JSON text to a value. Throws {@link UnmarshalError} with Go's text for bad syntax and for nesting above the limit.
 * Looking for duplicates costs one pass more; their paths are worked out only when there are any.
 */
export function parseJson(text: string, options: { findDuplicates: boolean }): ParsedDocument {
  const { members, depth } = measureJson(text);
  if (depth > maxDepth) throw new UnmarshalError("exceeded max depth");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnmarshalError(goJsonSyntaxError(text));
  }
  const duplicates = options.findDuplicates && members > countMembers(value) ? duplicateMembers(text) : [];
  return { value, duplicates };
}
