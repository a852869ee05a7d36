import type { Value } from "./values.ts";
import {
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  OpaqueValue,
} from "./values.ts";

type SimpleKind =
  | "dyn"
  | "error"
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration";

/** Static types (cel-go common/types). `maxSize` bounds what the schema allows, for cost estimates; it plays no part in checks. */
export type CelType =
  | { readonly kind: SimpleKind; readonly maxSize?: number }
  | { readonly kind: "list"; readonly element: CelType; readonly maxSize?: number }
  | { readonly kind: "map"; readonly key: CelType; readonly value: CelType; readonly maxSize?: number }
  | ObjectType
  | { readonly kind: "opaque"; readonly name: string; readonly params: readonly CelType[]; readonly maxSize?: number }
  | { readonly kind: "param"; readonly name: string; readonly maxSize?: number }
  | { readonly kind: "type"; readonly of: CelType | undefined; readonly maxSize?: number };

/** A type with declared fields: what a schema of type object becomes. Equal by name. */
export interface ObjectType {
  readonly kind: "object";
  readonly name: string;
  readonly fields: { get(name: string): CelType | undefined };
  readonly maxSize?: number;
}

export const dynType: CelType = { kind: "dyn" };
export const errorType: CelType = { kind: "error" };
export const nullType: CelType = { kind: "null" };
export const boolType: CelType = { kind: "bool" };
export const intType: CelType = { kind: "int" };
export const uintType: CelType = { kind: "uint" };
export const doubleType: CelType = { kind: "double" };
export const stringType: CelType = { kind: "string" };
export const bytesType: CelType = { kind: "bytes" };
export const timestampType: CelType = { kind: "timestamp" };
export const durationType: CelType = { kind: "duration" };

export const listOf = (element: CelType): CelType => ({ kind: "list", element });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: "map", key, value });
export const param = (name: string): CelType => ({ kind: "param", name });
export const opaque = (name: string, ...params: CelType[]): CelType => ({ kind: "opaque", name, params });
export const optionalOf = (type: CelType): CelType => opaque("optional_type", type);
export const typeOf = (type: CelType | undefined): CelType => ({ kind: "type", of: type });

const names: Partial<Record<CelType["kind"], string>> = {
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
  error: "!error!",
};

/** As cel-go's FormatCELType writes it in messages. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case "list":
      return `list(${formatType(type.element)})`;
    case "map":
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case "object":
      return type.name;
    case "opaque":
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(", ")})`;
    case "param":
      return type.name;
    case "type":
      return type.of === undefined ? "type" : `type(${formatType(type.of)})`;
    case "null":
      return "null";
    case "timestamp":
      return "timestamp";
    case "duration":
      return "duration";
    default:
      return names[type.kind] ?? type.kind;
  }
}

/** The name under which `type(x)` is compared. */
export function runtimeTypeName(type: CelType): string {
  if (type.kind === "object" || type.kind === "opaque") return type.name;
  return names[type.kind] ?? type.kind;
}

/** Whether a parameter takes the value at run time: the outer type only, since elements may differ. */
export function accepts(type: CelType, value: Value): boolean {
  switch (type.kind) {
    case "dyn":
    case "param":
    case "error":
      return true;
    case "bool":
      return typeof value === "boolean";
    case "int":
      return typeof value === "bigint";
    case "double":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "null":
      return value === null;
    case "uint":
      return value instanceof CelUint;
    case "bytes":
      return value instanceof Uint8Array;
    case "timestamp":
      return value instanceof CelTimestamp;
    case "duration":
      return value instanceof CelDuration;
    case "list":
      return value instanceof CelList;
    case "map":
      return value instanceof CelMap;
    case "type":
      return value instanceof CelTypeValue;
    case "object":
      return value instanceof CelMap;
    case "opaque":
      return type.name === "optional_type"
        ? value instanceof CelOptional
        : value instanceof OpaqueValue && value.typeName === type.name;
  }
}
