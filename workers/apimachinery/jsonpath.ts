/**
 * Kubernetes' JSONPath, as printer columns use it: fields, quoted fields, indexes, slices, unions, wildcards, recursive
 * descent and filters. A missing field gives no result (AllowMissingKeys). Mirrors k8s.io/client-go util/jsonpath (1.36).
 */
export interface JsonPath {
  /** All values that the path leads to, in document order. */
  find(root: unknown): unknown[];
}

type Step = (values: readonly unknown[], root: unknown) => unknown[];

/** Throws an Error that says where the path ends to make sense. `text` is without braces, such as `.spec.replicas`. */
export function parseJsonPath(text: string): JsonPath {
  const parser = new PathParser(text);
  const steps = parser.steps();
  if (!parser.done)
    throw new Error(`unexpected ${JSON.stringify(text.slice(parser.at))} in path ${JSON.stringify(text)}`);
  return { find: (root) => steps.reduce<unknown[]>((values, step) => step(values, root), [root]) };
}

/** A value as JSONPath's printer writes it: texts as they are, objects and lists as JSON. */
export function formatJsonPathValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const nameEnd = /[.[\]\s,()=!<>&|]/;

class PathParser {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.at >= this.#text.length;
  }

  steps(): Step[] {
    const steps: Step[] = [];
    for (;;) {
      const character = this.#text[this.at];
      if (character === "$" || character === "@") this.at++;
      else if (character === ".") {
        this.at++;
        if (this.#text[this.at] === ".") {
          this.at++;
          steps.push(descend);
          if (this.#text[this.at] !== "[") steps.push(this.#field());
        } else if (this.#text[this.at] !== "[" && !this.done) steps.push(this.#field());
      } else if (character === "[") steps.push(this.#bracket());
      else if (steps.length === 0 && character !== undefined && !nameEnd.test(character)) steps.push(this.#field());
      else return steps;
    }
  }

  #field(): Step {
    if (this.#text[this.at] === "*") {
      this.at++;
      return wildcard;
    }
    let name = "";
    for (; this.at < this.#text.length; this.at++) {
      let character = this.#text[this.at]!;
      if (character === "\\") character = this.#text[++this.at] ?? "";
      else if (nameEnd.test(character)) break;
      name += character;
    }
    if (name === "") throw new Error(`a field name is expected at ${JSON.stringify(this.#text.slice(this.at))}`);
    return fieldStep(name);
  }

  #bracket(): Step {
    const end = closing(this.#text, this.at);
    const inner = this.#text.slice(this.at + 1, end).trim();
    this.at = end + 1;
    if (inner.startsWith("?(") && inner.endsWith(")")) return filterStep(inner.slice(2, -1));
    const parts = splitOutside(inner, ",").map((part) => bracketPart(part.trim()));
    if (parts.length === 1) return parts[0]!;
    return (values, root) => values.flatMap((value) => parts.flatMap((part) => part([value], root)));
  }
}

function bracketPart(text: string): Step {
  if (text === "*") return wildcard;
  const quoted = /^'((?:[^'\\]|\\.)*)'$/.exec(text) ?? /^"((?:[^"\\]|\\.)*)"$/.exec(text);
  if (quoted) return fieldStep(quoted[1]!.replace(/\\(.)/g, "$1"));
  const slice = /^(-?\d+)?(?::(-?\d+)?)?(?::(-?\d+)?)?$/.exec(text);
  if (slice === null || text === "") throw new Error(`invalid array index ${text}`);
  if (!text.includes(":")) return indexStep(Number(text));
  return sliceStep(
    slice[1] === undefined ? 0 : Number(slice[1]),
    slice[2] === undefined ? undefined : Number(slice[2]),
    Number(slice[3] ?? 1),
  );
}

function fieldStep(name: string): Step {
  return (values) =>
    values.flatMap((value) =>
      isObject(value) && Object.hasOwn(value as object, name) ? [(value as Record<string, unknown>)[name]] : [],
    );
}

function indexStep(index: number): Step {
  return (values) =>
    values.flatMap((value) => {
      const element = Array.isArray(value) ? value.at(index) : undefined;
      return element === undefined ? [] : [element];
    });
}

function sliceStep(from: number, to: number | undefined, step: number): Step {
  return (values) =>
    values.flatMap((value) =>
      Array.isArray(value) ? value.slice(from, to).filter((_, index) => step > 0 && index % step === 0) : [],
    );
}

const wildcard: Step = (values) => values.flatMap(childrenOf);

const descend: Step = (values) => {
  const found: unknown[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    found.push(value);
    for (const child of childrenOf(value)) visit(child);
  };
  for (const value of values) visit(value);
  return found;
};

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value as Record<string, unknown>) : [];
}

type Operand = (element: unknown, root: unknown) => unknown[];

function filterStep(text: string): Step {
  const test = condition(text);
  return (values, root) =>
    values.flatMap((value) => (Array.isArray(value) ? value.filter((element) => test(element, root)) : []));
}

function condition(text: string): (element: unknown, root: unknown) => boolean {
  const either = splitOutside(text, "||");
  if (either.length > 1) {
    const tests = either.map(condition);
    return (element, root) => tests.some((test) => test(element, root));
  }
  const both = splitOutside(text, "&&");
  if (both.length > 1) {
    const tests = both.map(condition);
    return (element, root) => tests.every((test) => test(element, root));
  }
  for (const operator of ["==", "!=", "<=", ">=", "<", ">"]) {
    const sides = splitOutside(text, operator);
    if (sides.length !== 2) continue;
    const [left, right] = sides.map((side) => operand(side.trim())) as [Operand, Operand];
    return (element, root) => compare(operator, left(element, root)[0], right(element, root)[0]);
  }
  const exists = operand(text.trim());
  return (element, root) => exists(element, root).length > 0;
}

function operand(text: string): Operand {
  const quoted = /^'((?:[^'\\]|\\.)*)'$/.exec(text) ?? /^"((?:[^"\\]|\\.)*)"$/.exec(text);
  if (quoted) return () => [quoted[1]!.replace(/\\(.)/g, "$1")];
  if (text === "true" || text === "false") return () => [text === "true"];
  if (/^-?\d+(\.\d+)?$/.test(text)) return () => [Number(text)];
  const path = parseJsonPath(text.replace(/^[@$]/, ""));
  const ofRoot = text.startsWith("$");
  return (element, root) => path.find(ofRoot ? root : element);
}

function compare(operator: string, left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return false;
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  if (typeof left !== typeof right || (typeof left !== "number" && typeof left !== "string")) return false;
  const less = (left as number) < (right as number);
  if (operator === "<") return less;
  if (operator === ">=") return !less;
  return operator === ">" ? (left as number) > (right as number) : (left as number) <= (right as number);
}

/** Index of the bracket that closes the one at `open`; quotes and nested brackets are skipped. */
function closing(text: string, open: number): number {
  let depth = 0;
  let quote = "";
  for (let at = open; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== "") {
      if (character === "\\") at++;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "[") depth++;
    else if (character === "]" && --depth === 0) return at;
  }
  throw new Error(`unterminated array in path ${JSON.stringify(text)}`);
}

/** Parts between separators that are neither quoted nor in brackets. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== "") {
      if (character === "\\") at++;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "[" || character === "(") depth++;
    else if (character === "]" || character === ")") depth--;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(start, at));
      start = at + separator.length;
      at = start - 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
