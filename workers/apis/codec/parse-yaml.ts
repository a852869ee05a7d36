import { CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";
import type { ParsedDocument } from "./parse-json.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

/** Deepest nesting, and the most values that aliases may unfold to. */
const maxDepth = 100;
const maxNodes = 1_000_000;
const schema = CORE_SCHEMA.withTags(mergeTag);

/**
 * One YAML document in JSON's data model. Throws {@link UnmarshalError}. A duplicate key is reported once, in the
 * text of go-yaml, and the last one wins.
 */
export function parseYaml(text: string, options: { findDuplicates: boolean }): ParsedDocument {
  const duplicates: string[] = [];
  let value: unknown;
  try {
    value = load(text, { schema, maxDepth, json: !options.findDuplicates });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const duplicate = /duplicated mapping key/.test(error.reason);
    if (!duplicate) throw new UnmarshalError(`yaml: line ${lineOf(error)}: ${error.reason}`);
    duplicates.push(`yaml: unmarshal errors:\n  line ${lineOf(error)}: key "${keyOf(error)}" already set in map`);
    value = parseYaml(text, { findDuplicates: false }).value;
  }
  if (unfoldedSize(value, new Map()) > maxNodes) {
    throw new UnmarshalError("yaml: document contains excessive aliasing");
  }
  return { value, duplicates };
}

function lineOf(error: YAMLException): number {
  return (error.mark?.line ?? 0) + 1;
}

/** The key on the line that the error points to. */
function keyOf(error: YAMLException): string {
  const line = error.mark?.buffer.split(/\r?\n/)[error.mark.line] ?? "";
  return line
    .slice(error.mark?.column ?? 0)
    .replace(/\s*:.*$/, "")
    .replace(/^["']|["']$/g, "")
    .trim();
}

/** Values that a walk would visit: aliases share nodes, so few lines can unfold to billions. */
function unfoldedSize(value: unknown, known: Map<object, number>): number {
  if (typeof value !== "object" || value === null) return 1;
  const before = known.get(value);
  if (before !== undefined) return before;
  // A node that holds itself never ends.
  known.set(value, Number.POSITIVE_INFINITY);
  let size = 1;
  for (const member of Object.values(value)) size += unfoldedSize(member, known);
  known.set(value, size);
  return size;
}
