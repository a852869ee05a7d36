import type { TypeRef } from "../schema.ts";

/** Last part of a Go type name: `PodSpec` of `k8s.io/api/core/v1.PodSpec`. */
export function structShortName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

/** `v1.PodSpec` of `k8s.io/api/core/v1.PodSpec`. */
export function structQualifiedName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** A type as Go's reflect prints it, as far as the table knows it (named string types are plain strings here). */
export function goTypeString(type: TypeRef): string {
  switch (type.kind) {
    case "array":
      return `[]${goTypeString(type.items)}`;
    case "map":
      return `map[string]${goTypeString(type.values)}`;
    case "struct":
      return structQualifiedName(type.name);
    case "bytes":
      return "[]uint8";
    case "quantity":
      return "resource.Quantity";
    case "intOrString":
      return "intstr.IntOrString";
    case "time":
      return "v1.Time";
    case "microTime":
      return "v1.MicroTime";
    case "duration":
      return "v1.Duration";
    case "rawExtension":
      return "runtime.RawExtension";
    case "json":
      return "v1.JSON";
    case "fieldsV1":
      return "v1.FieldsV1";
    default:
      return type.kind;
  }
}

/** What Go calls a JSON value in its errors. */
export function jsonWord(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "object":
      return "object";
    default:
      return typeof value;
  }
}

/** The same value's Go kind, as the unstructured converter names it. */
export function goKindWord(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "object":
      return "map";
    default:
      return "string";
  }
}
