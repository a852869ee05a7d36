/**
 * Component schemas of the built-in types, in the OpenAPI v3 form of k8s.io/kube-openapi pkg/generators and pkg/builder3
 * (1.36). Version 2 is made of them in document-v2.ts.
 */
import type { FieldInfo, ScalarKind, StructInfo, TypeRef } from "../../apis/schema.ts";
import { schemaTable } from "../../apis/schema-table.ts";
import type { Docs } from "./docs.ts";

/** A JSON schema, or any other object of an OpenAPI document. */
export type JsonObject = { [key: string]: any };

export const refPrefix = "#/components/schemas/";

const metaV1 = "io.k8s.apimachinery.pkg.apis.meta.v1";
const apiextensionsV1 = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Go type name → definition name: `k8s.io/api/core/v1.Pod` → `io.k8s.api.core.v1.Pod`. */
export function definitionName(goName: string): string {
  const [host = "", ...rest] = goName.split("/");
  return [...host.split(".").toReversed(), ...rest].join(".");
}

/** Definitions that are not Go structs of the table. */
const specialDefinitions: Record<string, JsonObject> = {
  [`${metaV1}.Time`]: { type: "string", format: "date-time" },
  [`${metaV1}.MicroTime`]: { type: "string", format: "date-time" },
  [`${metaV1}.Duration`]: { type: "string" },
  [`${metaV1}.FieldsV1`]: { type: "object" },
  [`${metaV1}.Patch`]: { type: "object" },
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { oneOf: [{ type: "string" }, { type: "number" }] },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    oneOf: [{ type: "integer" }, { type: "string" }],
    format: "int-or-string",
  },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "object" },
  [`${apiextensionsV1}.JSON`]: {},
  [`${apiextensionsV1}.JSONSchemaPropsOrBool`]: {},
  [`${apiextensionsV1}.JSONSchemaPropsOrArray`]: {},
  [`${apiextensionsV1}.JSONSchemaPropsOrStringArray`]: {},
};

const referencedScalars: Partial<Record<ScalarKind, string>> = {
  time: `${metaV1}.Time`,
  microTime: `${metaV1}.MicroTime`,
  duration: `${metaV1}.Duration`,
  fieldsV1: `${metaV1}.FieldsV1`,
  quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  intOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  rawExtension: "io.k8s.apimachinery.pkg.runtime.RawExtension",
};

const inlineScalars: Partial<Record<ScalarKind, JsonObject>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float64: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
};

/** What Go has in a field that was not set; the default of whatever cannot be left out. */
const zeroValues: Partial<Record<ScalarKind, unknown>> = { string: "", bool: false, int32: 0, int64: 0, float64: 0 };

export interface GroupVersionKindJson {
  group: string;
  kind: string;
  version: string;
}

/** Definitions by name, each built on first use together with all that it refers to. */
export class SchemaSet {
  readonly schemas: Record<string, JsonObject> = {};
  readonly #docs: Docs;
  readonly #kindsOf: (goName: string) => GroupVersionKindJson[];

  /** `kindsOf` gives the kinds that a Go type is registered as. */
  constructor(docs: Docs, kindsOf: (goName: string) => GroupVersionKindJson[]) {
    this.#docs = docs;
    this.#kindsOf = kindsOf;
  }

  /** A reference to a Go type, whose definition becomes part of the set. */
  refTo(goName: string): JsonObject {
    const name = definitionName(goName);
    if (!Object.hasOwn(this.schemas, name)) {
      const struct = schemaTable.struct(goName);
      this.schemas[name] = {};
      if (struct) this.schemas[name] = this.#structSchema(struct);
      else this.schemas[name] = { ...specialDefinitions[name] };
    }
    return { $ref: refPrefix + name };
  }

  #refToSpecial(name: string): JsonObject {
    this.schemas[name] ??= { ...specialDefinitions[name] };
    return { $ref: refPrefix + name };
  }

  #structSchema(struct: StructInfo): JsonObject {
    const fields = [...struct.fields.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const required = fields.filter((field) => field.required).map((field) => field.name);
    const kinds = this.#kindsOf(struct.name);
    const properties: JsonObject = {};
    for (const field of fields) properties[field.name] = this.#propertySchema(struct, field);
    return {
      ...described(this.#docs.struct(struct.name)),
      type: "object",
      ...(required.length > 0 && { required }),
      ...(fields.length > 0 && { properties }),
      ...(kinds.length > 0 && { "x-kubernetes-group-version-kind": kinds }),
      ...(struct.atomic && { "x-kubernetes-map-type": "atomic" }),
    };
  }

  #propertySchema(struct: StructInfo, field: FieldInfo): JsonObject {
    const description = this.#docs.field(struct.name, field.name);
    const type = this.#typeSchema(field.type);
    const value = field.default ?? this.#zeroDefault(field.type, field.pointer || field.omitEmpty, field.pointer);
    const extensions = {
      ...(field.patchMergeKey !== undefined && { "x-kubernetes-patch-merge-key": field.patchMergeKey }),
      ...(field.patchStrategy && { "x-kubernetes-patch-strategy": field.patchStrategy.join(",") }),
      ...(field.listType && { "x-kubernetes-list-type": field.listType }),
      ...(field.listMapKeys && { "x-kubernetes-list-map-keys": field.listMapKeys }),
      ...(field.mapType && { "x-kubernetes-map-type": field.mapType }),
    };
    const enumeration = field.enum && field.type.kind === "string" ? { enum: field.enum } : {};
    return {
      ...described(description),
      ...withSiblings(type, description !== "" || value !== undefined),
      ...enumeration,
      ...(value !== undefined && { default: value }),
      ...extensions,
    };
  }

  #zeroDefault(type: TypeRef, leftOut: boolean, pointer: boolean): unknown {
    if (type.kind === "struct") return pointer ? undefined : {};
    if (type.kind === "array" || type.kind === "map" || leftOut) return undefined;
    return zeroValues[type.kind];
  }

  #typeSchema(type: TypeRef): JsonObject {
    switch (type.kind) {
      case "array":
        return { type: "array", items: this.#elementSchema(type.items) };
      case "map":
        return { type: "object", additionalProperties: this.#elementSchema(type.values) };
      case "struct":
        return this.refTo(type.name);
      case "json":
        return this.#refToSpecial(`${apiextensionsV1}.${type.union ?? "JSON"}`);
      default: {
        const reference = referencedScalars[type.kind];
        return reference === undefined ? { ...inlineScalars[type.kind] } : this.#refToSpecial(reference);
      }
    }
  }

  /** Entries of lists and maps cannot be left out, so they have a default. */
  #elementSchema(type: TypeRef): JsonObject {
    const schema = this.#typeSchema(type);
    const value = this.#zeroDefault(type, false, false);
    return value === undefined ? schema : { ...withSiblings(schema, true), default: value };
  }
}

const described = (description: string): JsonObject => (description === "" ? {} : { description });

/** OpenAPI v3.0 ignores what stands beside a $ref. */
function withSiblings(schema: JsonObject, hasSiblings: boolean): JsonObject {
  return hasSiblings && schema.$ref !== undefined ? { allOf: [schema] } : schema;
}
