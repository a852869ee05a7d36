/*
 * One step of a field path, in the text form of FieldsV1: `f:<name>` a field or map key, `k:{…}` a list entry by its
 * keys, `v:<json>` a set entry by its value, `i:<n>` a list index. The text identifies the element.
 * Mirrors sigs.k8s.io/structured-merge-diff fieldpath/{element,serialize-pe}.go (v6).
 */
export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** Keys come in the order of their names. */
export function keyElement(keys: readonly [name: string, value: unknown][]): PathElement {
  const sorted = keys.length < 2 ? keys : [...keys].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `k:{${sorted.map(([name, value]) => `${jsonText(name)}:${jsonText(value)}`).join(",")}}`;
}

export function valueElement(value: unknown): PathElement {
  return `v:${jsonText(value)}`;
}

export function indexElement(index: number): PathElement {
  return `i:${index}`;
}

/** JSON with the escapes of encoding/json. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return /[<>&\u2028\u2029]/.test(text) ? text.replace(/[<>&\u2028\u2029]/g, escapeCharacter) : text;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export type ParsedElement =
  | { kind: "f"; name: string }
  | { kind: "k"; keys: [name: string, value: unknown][] }
  | { kind: "v"; value: unknown }
  | { kind: "i"; index: number };

/** undefined for an element of a kind that is not known: such are dropped. Throws on malformed text. */
export function parseElement(text: PathElement): ParsedElement | undefined {
  if (text.length < 2) throw new Error("key must be 2 characters long:");
  if (text[1] !== ":") throw new Error(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case "f":
      return { kind: "f", name: rest };
    case "k": {
      const keys: unknown = JSON.parse(rest);
      if (typeof keys !== "object" || keys === null || Array.isArray(keys))
        throw new Error(`expected an object: ${rest}`);
      return { kind: "k", keys: Object.entries(keys) };
    }
    case "v":
      return { kind: "v", value: JSON.parse(rest) };
    case "i":
      if (!/^[+-]?[0-9]+$/.test(rest)) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(rest)}: invalid syntax`);
      return { kind: "i", index: Number(rest) };
    default:
      return undefined;
  }
}

export function formatElement(element: ParsedElement): PathElement {
  switch (element.kind) {
    case "f":
      return fieldElement(element.name);
    case "k":
      return keyElement(element.keys);
    case "v":
      return valueElement(element.value);
    case "i":
      return indexElement(element.index);
  }
}

/** As messages show it: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export function printElement(text: PathElement): string {
  const element = parseElement(text);
  switch (element?.kind) {
    case "f":
      return `.${element.name}`;
    case "k":
      return `[${element.keys.map(([name, value]) => `${name}=${jsonText(value)}`).join(",")}]`;
    case "v":
      return `[=${jsonText(element.value)}]`;
    case "i":
      return `[${element.index}]`;
    default:
      return text;
  }
}

export function printPath(path: readonly PathElement[]): string {
  return path.map(printElement).join("");
}

const kindOrder = "fkvi";

/** The order of a serialised set: fields, keys, values, indexes. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  if (a[0] !== b[0]) return kindOrder.indexOf(a[0]!) - kindOrder.indexOf(b[0]!);
  if (a[0] === "f") return a < b ? -1 : 1;
  const left = parseElement(a);
  const right = parseElement(b);
  if (left?.kind === "i" && right?.kind === "i") return left.index - right.index;
  if (left?.kind === "v" && right?.kind === "v") return compareValues(left.value, right.value);
  if (left?.kind === "k" && right?.kind === "k") return compareKeys(left.keys, right.keys);
  return 0;
}

function compareKeys(a: [string, unknown][], b: [string, unknown][]): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (name !== other[0]) return name < other[0] ? -1 : 1;
    const order = compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers before strings before booleans, as value.Compare; the rest by its text. */
function compareValues(a: unknown, b: unknown): number {
  const ranks = [rank(a), rank(b)] as const;
  if (ranks[0] !== ranks[1]) return ranks[0] - ranks[1];
  if (typeof a === "number") return a - (b as number);
  const left = typeof a === "string" ? a : jsonText(a);
  const right = typeof b === "string" ? b : jsonText(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

function rank(value: unknown): number {
  const order = ["number", "string", "boolean"].indexOf(typeof value);
  return order < 0 ? 3 : order;
}
