import { elementOfItem } from "./list-items.ts";
import { indexElement, printElement } from "./path-element.ts";
import { asList, asMap, atomOf } from "./schema.ts";
import type { ScalarType, SchemaType } from "./schema.ts";

/** One error in a value; `path` as messages show it. */
interface ValueError {
  path: string;
  message: string;
}

/**
 * Throws an Error with upstream's text unless the value fits the type: unknown fields, scalars of a wrong kind, list
 * entries without identity or with the same one. Mirrors sigs.k8s.io/structured-merge-diff typed/validate.go (v6).
 */
export function validate(type: SchemaType, value: unknown): void {
  const errors: ValueError[] = [];
  visit(errors, "", type, value);
  if (errors.length === 0) return;
  const texts = errors.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  throw new Error(texts.length === 1 ? texts[0] : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n"));
}

function visit(errors: ValueError[], path: string, type: SchemaType, value: unknown): void {
  if (value === null || value === undefined) return;
  const atom = atomOf(type, value);
  switch (atom.kind) {
    case "scalar": {
      const expected = misfit(atom, value);
      if (expected !== undefined) errors.push({ path, message: `expected ${expected}, got ${goValue(value)}` });
      return;
    }
    case "list": {
      const list = asList(value);
      if (list === undefined) {
        errors.push({ path, message: `expected list, got ${goPointer(value)}` });
        return;
      }
      const seen = new Set<string>();
      for (const [index, item] of list.entries()) {
        let element = indexElement(index);
        if (!atom.atomic) {
          try {
            element = elementOfItem(atom, item);
          } catch (error) {
            errors.push({ path, message: `element ${index}: ${(error as Error).message}` });
            return;
          }
          if (seen.has(element)) errors.push({ path, message: `duplicate entries for key ${printElement(element)}` });
          seen.add(element);
        }
        visit(errors, path + printElement(element), atom.element, item);
      }
      return;
    }
    case "map": {
      const map = asMap(value);
      if (map === undefined) {
        errors.push({ path, message: `expected map, got ${goPointer(value)}` });
        return;
      }
      for (const name in map) {
        const field = atom.fields.get(name)?.type ?? atom.element;
        if (field === undefined) {
          errors.push({ path: `${path}.${name}`, message: "field not declared in schema" });
          return;
        }
        visit(errors, `${path}.${name}`, field, map[name]);
      }
    }
  }
}

function misfit(type: ScalarType, value: unknown): string | undefined {
  switch (type.scalar) {
    case "numeric":
      return typeof value === "number" || typeof value === "bigint" ? undefined : "numeric (int or float)";
    case "string":
      return typeof value === "string" ? undefined : "string";
    case "boolean":
      return typeof value === "boolean" ? undefined : "boolean";
    case "untyped":
      return typeof value === "object" ? "any scalar" : undefined;
  }
}

/** Go's %#v of the value as upstream holds it. */
function goValue(value: unknown): string {
  return `&value.valueUnstructured{Value:${goSyntax(value)}}`;
}

function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value === "object") {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[string]interface {}{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${goSyntax(entry)}`).join(", ")}}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** Go's %v of a pointer to it. */
function goPointer(value: unknown): string {
  return `&{${goPlain(value)}}`;
}

function goPlain(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goPlain).join(" ")}]`;
  if (typeof value === "object") {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([key, entry]) => `${key}:${goPlain(entry)}`).join(" ")}]`;
  }
  return String(value);
}
