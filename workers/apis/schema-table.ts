/**
 * Reads `facts/types.json`, one text per field, into the shapes of `schema.ts`. A struct is parsed when it is first
 * asked for and kept; start-up pays for nothing but the module itself.
 *
 * A field's text: `<json name> <protobuf number> <type> [flags] [k=…] [s=…] [l=…] [m=…] [e=…] [i=…] [d=…]`
 * - type: `*` pointer, `[]` list, `[w]` list that is a message in protobuf, `{}` map with string keys, a scalar kind,
 *   or a struct by its short name (`core/v1.PodSpec`)
 * - flags: `o` omitted when empty, `r` required
 * - `k` patch merge key, `s` patch strategies, `l` list type with map keys, `m` map type, `e` enum values, `i` embedded
 *   messages, outermost first (number and struct), `d` default as JSON; `d` is last, it may hold spaces
 * `@atomic` in place of a field marks the whole struct.
 */
import facts from "./facts/types.json" with { type: "json" };
import type { FieldInfo, ScalarKind, SchemaTable, StructInfo, TypeRef } from "./schema.ts";

const structFacts: Record<string, string[]> = facts.structs;
const kindFacts: Record<string, string> = facts.kinds;

const scalarKinds: ReadonlySet<string> = new Set<ScalarKind>([
  "string",
  "bool",
  "int32",
  "int64",
  "float64",
  "bytes",
  "quantity",
  "intOrString",
  "time",
  "microTime",
  "duration",
  "rawExtension",
  "json",
  "fieldsV1",
]);

/** Kinds that metav1.AddToGroupVersion registers in every group and version. */
const optionKinds: ReadonlySet<string> = new Set([
  "WatchEvent",
  "ListOptions",
  "GetOptions",
  "DeleteOptions",
  "CreateOptions",
  "UpdateOptions",
  "PatchOptions",
]);

const packagePrefixes: Record<string, string> = {
  meta: "k8s.io/apimachinery/pkg/apis/",
  apiextensions: "k8s.io/apiextensions-apiserver/pkg/apis/",
  apiregistration: "k8s.io/kube-aggregator/pkg/apis/",
};

/** `core/v1.PodSpec` → `k8s.io/api/core/v1.PodSpec`. */
export function goTypeName(shortName: string): string {
  const group = shortName.slice(0, shortName.indexOf("/"));
  return (packagePrefixes[group] ?? "k8s.io/api/") + shortName;
}

/** The reverse of goTypeName; a name of another package is returned as it is. */
export function shortTypeName(goName: string): string {
  return goName.replace(/^k8s\.io\/(?:api|(?:apimachinery|apiextensions-apiserver|kube-aggregator)\/pkg\/apis)\//, "");
}

function parseType(text: string): TypeRef {
  if (text.startsWith("[]")) return { kind: "array", items: parseType(text.slice(2)) };
  if (text.startsWith("[w]")) return { kind: "array", items: parseType(text.slice(3)), wrapped: true };
  if (text.startsWith("{}")) return { kind: "map", values: parseType(text.slice(2)) };
  if (text.startsWith("json:")) return { kind: "json", union: text.slice(5) as "JSONSchemaPropsOrBool" };
  if (scalarKinds.has(text)) return { kind: text as ScalarKind };
  return { kind: "struct", name: goTypeName(text) };
}

function parseField(text: string): FieldInfo {
  const defaultAt = text.indexOf(" d=");
  const [name = "", protobuf = "0", type = "string", ...rest] = (defaultAt < 0 ? text : text.slice(0, defaultAt)).split(
    " ",
  );
  const pointer = type.startsWith("*");
  const field: FieldInfo = {
    name,
    type: parseType(pointer ? type.slice(1) : type),
    protobuf: Number(protobuf),
    omitEmpty: false,
    pointer,
    required: false,
  };
  if (defaultAt >= 0) field.default = JSON.parse(text.slice(defaultAt + 3));
  for (const part of rest) {
    const value = part.slice(2);
    switch (part[1] === "=" ? part[0] : undefined) {
      case "k":
        field.patchMergeKey = value;
        break;
      case "s":
        field.patchStrategy = value.split(",") as FieldInfo["patchStrategy"];
        break;
      case "l": {
        const [listType, keys] = value.split(":");
        field.listType = listType as FieldInfo["listType"];
        if (keys !== undefined) field.listMapKeys = keys.split(",");
        break;
      }
      case "m":
        field.mapType = value as FieldInfo["mapType"];
        break;
      case "e":
        field.enum = value.split(",");
        break;
      case "i": {
        for (const message of value.split(",")) {
          const [number, struct = ""] = message.split(":");
          const outer = field.inline;
          field.inline = { name: goTypeName(struct), protobuf: Number(number), ...(outer && { outer }) };
        }
        break;
      }
      default:
        field.omitEmpty = part.includes("o");
        field.required = part.includes("r");
    }
  }
  return field;
}

/** All Go type names of the table, sorted. */
export function structNames(): string[] {
  return Object.keys(structFacts).map(goTypeName).sort();
}

/** All kinds that have a struct, as `group/version/Kind` or `version/Kind` for the core group. */
export function kindKeys(): string[] {
  return Object.keys(kindFacts);
}

class FactsSchemaTable implements SchemaTable {
  readonly #parsed = new Map<string, StructInfo>();

  struct(name: string): StructInfo | undefined {
    const known = this.#parsed.get(name);
    if (known) return known;
    const shortName = shortTypeName(name);
    if (shortName === name || !Object.hasOwn(structFacts, shortName)) return undefined;
    const lines = structFacts[shortName] ?? [];
    const fields = new Map<string, FieldInfo>();
    for (const line of lines) {
      if (line.startsWith("@")) continue;
      const field = parseField(line);
      fields.set(field.name, field);
    }
    const struct: StructInfo = { name, fields, atomic: lines[0] === "@atomic" };
    this.#parsed.set(name, struct);
    return struct;
  }

  structOfKind(group: string, version: string, kind: string): StructInfo | undefined {
    if (optionKinds.has(kind)) return this.struct(goTypeName(`meta/v1.${kind}`));
    const key = group ? `${group}/${version}/${kind}` : `${version}/${kind}`;
    const shortName = Object.hasOwn(kindFacts, key) ? kindFacts[key] : undefined;
    return shortName === undefined ? undefined : this.struct(goTypeName(shortName));
  }
}

/** The types of Kubernetes 1.36: every served kind, the option and review kinds, and all that they refer to. */
export const schemaTable: SchemaTable = new FactsSchemaTable();
