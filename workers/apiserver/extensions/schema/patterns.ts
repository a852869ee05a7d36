import { RE2JS } from "re2js";

/** A pattern of a schema, in RE2's syntax and with its linear time. */
export interface Pattern {
  /** Whether it is found anywhere in the text. */
  matches(text: string): boolean;
}

const compiled = new Map<string, Pattern>();
const maxCompiled = 1_000;

/** Throws an Error with regexp/syntax's text. */
export function compilePattern(source: string): Pattern {
  let pattern = compiled.get(source);
  if (pattern === undefined) {
    const expression = RE2JS.compile(source);
    pattern = { matches: (text) => expression.matcher(text).find() };
    if (compiled.size >= maxCompiled) compiled.clear();
    compiled.set(source, pattern);
  }
  return pattern;
}
