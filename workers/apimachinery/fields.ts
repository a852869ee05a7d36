/** One term of a field selector; `value` is unescaped. */
export interface FieldRequirement {
  field: string;
  operator: "=" | "!=";
  value: string;
}

/** A conjunction of comparisons of named fields. Mirrors k8s.io/apimachinery pkg/fields/selector.go (1.36). */
export interface FieldSelector {
  /** In sorted order of their text, as upstream. */
  readonly requirements: readonly FieldRequirement[];
  readonly empty: boolean;
  /** `valueOf` gives "" for a field that is not set. */
  matches(valueOf: (field: string) => string): boolean;
  /** The value that the field must have, if any. */
  requiresExactMatch(field: string): string | undefined;
  /** The escaped form; parses back to an equal selector. */
  toString(): string;
}

export function newFieldSelector(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    empty: requirements.length === 0,
    matches: (valueOf) =>
      requirements.every(({ field, operator, value }) => (valueOf(field) === value) === (operator === "=")),
    requiresExactMatch: (field) =>
      requirements.find((requirement) => requirement.field === field && requirement.operator === "=")?.value,
    toString: () =>
      requirements.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(","),
  };
}

/** Parses e.g. `status.phase!=Running,spec.nodeName=n1`. Throws an Error with upstream's message. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === "") continue;
    const split = /^([^]*?)(!=|==|=)([^]*)$/.exec(term);
    if (split === null) throw new Error(`invalid selector: '${text}'; can't understand '${term}'`);
    const value = unescapeFieldValue(split[3]!);
    requirements.push({ field: split[1]!, operator: split[2] === "!=" ? "!=" : "=", value });
  }
  return newFieldSelector(requirements);
}

/** Backslash before each backslash, comma and equals sign. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

/** At commas that no backslash precedes; escapes stay as they are. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === ",") {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeFieldValue(text: string): string {
  let value = "";
  let escaped = false;
  for (const character of text) {
    if (escaped) {
      if (!"\\,=".includes(character)) {
        throw new Error(`invalid field selector: invalid escape sequence: \\${character}`);
      }
      value += character;
      escaped = false;
    } else if (character === "\\") {
      escaped = true;
    } else if (character === "," || character === "=") {
      // Upstream prints the number of the character.
      throw new Error(`invalid field selector: unescaped character in value: ${character.codePointAt(0)}`);
    } else {
      value += character;
    }
  }
  if (escaped) throw new Error("invalid field selector: invalid escape sequence: \\");
  return value;
}
