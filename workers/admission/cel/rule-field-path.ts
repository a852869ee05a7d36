import type { StructuralSchema } from "./structural-schema.ts";
import { additionalSchema } from "./structural-schema.ts";

const token = /[.[\]]|'(?:\\[\s\S]|[^'])*'|[^.[\]']+/y;
const escapes: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

export type FieldPathResult =
  | { readonly path: string; readonly error?: undefined }
  | { readonly path?: undefined; readonly error: string };

/**
 * Checks a rule's fieldPath (`.spec.replicas`, `.labels['a.b']`) against the schema and writes it the way validation errors
 * do. Mirrors ValidFieldPath of k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (1.36).
 */
export function validFieldPath(text: string, schema: StructuralSchema): FieldPathResult {
  const tokens = tokensOf(text);
  if (tokens === undefined) return { error: "unexpected end of JSON path" };
  let current = schema;
  let path = "";
  for (let at = 0; at < tokens.length;) {
    const mark = tokens[at++];
    const name = tokens[at++];
    if (mark !== "." && mark !== "[") return { error: `expected [ or . but got: ${mark}` };
    if (name === undefined) return { error: "unexpected end of JSON path" };
    let property = name;
    if (mark === "[") {
      if (name.length < 2 || !name.startsWith("'") || !name.endsWith("'"))
        return { error: `expected single quoted string but got ${name}` };
      const unescaped = unescape(name.slice(1, -1));
      if (unescaped === undefined) return { error: "invalid string literal: invalid escape char" };
      property = unescaped;
      const close = tokens[at++];
      if (close === undefined) return { error: "unexpected end of JSON path" };
      if (close !== "]") return { error: `expected ] but got ${close}` };
    }
    const additional = additionalSchema(current);
    if (current.properties !== undefined) {
      const next = Object.hasOwn(current.properties, property) ? current.properties[property] : undefined;
      if (next === undefined) return { error: "does not refer to a valid field" };
      path += path === "" ? property : `.${property}`;
      current = next;
    } else if (additional !== undefined) {
      path += `[${property}]`;
      current = additional;
    } else return { error: "does not refer to a valid field" };
  }
  return { path };
}

function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  let at = 0;
  while (at < text.length) {
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    if (found === undefined) return undefined;
    tokens.push(found);
    at += found.length;
  }
  return tokens;
}

function unescape(text: string): string | undefined {
  let valid = true;
  const unescaped = text.replaceAll(/\\([\s\S]?)/g, (_found, directive: string) => {
    const character = escapes[directive];
    if (character === undefined) valid = false;
    return character ?? "";
  });
  return valid ? unescaped : undefined;
}
