import { isJsonObject } from "./own-property.ts";

/** A JSON value as Go's `%v` prints it: error texts of patches quote maps that way (keys sorted, no quotes). */
export function goFormat(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goFormat).join(" ")}]`;
  if (isJsonObject(value)) {
    const entries = Object.keys(value)
      .sort()
      .map((key) => `${key}:${goFormat(value[key])}`);
    return `map[${entries.join(" ")}]`;
  }
  return String(value);
}

/** The Go type that encoding/json gives a value in an `interface{}`, integers kept. */
export function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}
