import type { GroupVersionKind } from "../../apimachinery/gvk.ts";
import { apiVersionOf } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { deducedType, untypedScalar } from "../../apimachinery/structured-merge/schema.ts";
import type {
  ListType,
  MapField,
  MapType,
  ScalarType,
  SchemaType,
} from "../../apimachinery/structured-merge/schema.ts";
import { normalizeObject } from "../../apis/codec/normalize.ts";
import { schemaTable } from "../../apis/schema-table.ts";
import type { FieldInfo, StructInfo, TypeRef } from "../../apis/schema.ts";

/*
 * Types of the built-in kinds for structured merge. Lists and maps are as their markers say, lists without one are
 * atomic. Mirrors k8s.io/kube-openapi pkg/schemaconv (1.36).
 */

const stringType: ScalarType = { kind: "scalar", scalar: "string" };
const numericType: ScalarType = { kind: "scalar", scalar: "numeric" };
const booleanType: ScalarType = { kind: "scalar", scalar: "boolean" };
const noFields: ReadonlyMap<string, MapField> = new Map();

const structs = new Map<string, StructType>();

/** A struct whose fields are read when they are first asked for: structs may hold themselves. */
class StructType implements MapType {
  readonly kind = "map";
  readonly atomic: boolean;
  readonly element = undefined;
  readonly #info: StructInfo;
  #fields: ReadonlyMap<string, MapField> | undefined;

  constructor(info: StructInfo, atomic: boolean) {
    this.#info = info;
    this.atomic = atomic;
  }

  get fields(): ReadonlyMap<string, MapField> {
    this.#fields ??= new Map(
      [...this.#info.fields.values()].map((field) => [
        field.name,
        { type: typeOfField(field), ...(field.default === undefined ? {} : { default: field.default }) },
      ]),
    );
    return this.#fields;
  }
}

function structType(name: string, atomic?: boolean): SchemaType {
  const info = schemaTable.struct(name);
  if (info === undefined) return deducedType;
  const whole = atomic ?? info.atomic;
  const key = `${name} ${whole}`;
  let type = structs.get(key);
  if (type === undefined) structs.set(key, (type = new StructType(info, whole)));
  return type;
}

function typeOfField(field: FieldInfo): SchemaType {
  const { type } = field;
  if (type.kind === "array") return listType(type.items, field.listType, field.listMapKeys);
  if (field.mapType !== undefined) {
    const atomic = field.mapType === "atomic";
    if (type.kind === "struct") return structType(type.name, atomic);
    if (type.kind === "map") return { kind: "map", atomic, fields: noFields, element: typeOf(type.values) };
  }
  return typeOf(type);
}

function listType(items: TypeRef, kind: FieldInfo["listType"], keys: readonly string[] = []): ListType {
  return {
    kind: "list",
    atomic: kind === undefined || kind === "atomic",
    keys: kind === "map" ? keys : [],
    element: typeOf(items),
  };
}

function typeOf(ref: TypeRef): SchemaType {
  switch (ref.kind) {
    case "string":
    case "bytes":
    case "duration":
      return stringType;
    case "bool":
      return booleanType;
    case "int32":
    case "int64":
    case "float64":
      return numericType;
    case "quantity":
    case "intOrString":
    case "time":
    case "microTime":
      return untypedScalar;
    case "rawExtension":
    case "json":
    case "fieldsV1":
      return deducedType;
    case "array":
      return listType(ref.items, undefined);
    case "map":
      return { kind: "map", atomic: false, fields: noFields, element: typeOf(ref.values) };
    case "struct":
      return structType(ref.name);
  }
}

/** undefined for a kind that is not built in. */
export function typeOfKind({ group, version, kind }: GroupVersionKind): SchemaType | undefined {
  const info = schemaTable.structOfKind(group, version, kind);
  return info === undefined ? undefined : structType(info.name);
}

const emptyObjects = new Map<string, KubeObject>();

/** What a new object of a built-in kind is before anything is set: the fields that its JSON form always has. */
export function emptyObjectOfKind(gvk: GroupVersionKind): KubeObject {
  const apiVersion = apiVersionOf(gvk);
  const key = `${apiVersion}/${gvk.kind}`;
  let empty = emptyObjects.get(key);
  if (empty === undefined) {
    const bare = { apiVersion, kind: gvk.kind, metadata: {} };
    const info = schemaTable.structOfKind(gvk.group, gvk.version, gvk.kind);
    empty = (info === undefined ? bare : normalizeObject(bare, info).object) as unknown as KubeObject;
    emptyObjects.set(key, empty);
  }
  return empty;
}
