/**
 * The schema of the built-in kinds as the decoders, patches and apply need it: structure, protobuf numbers, patch
 * directives, list types. Facts only; documentation lives in a file generated at build (see docs/decisions).
 * `facts/` holds the compact committed table, `schema-table.ts` reads it lazily into these shapes.
 */

/** A leaf of the JSON form. */
export type ScalarKind =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "float64"
  /** base64 in JSON, bytes in protobuf */
  | "bytes"
  /** resource.Quantity: string (or number on input) in JSON, message with one string in protobuf */
  | "quantity"
  | "intOrString"
  /** metav1.Time, RFC 3339 seconds */
  | "time"
  | "microTime"
  /** metav1.Duration, Go duration string in JSON */
  | "duration"
  /** runtime.RawExtension: any object */
  | "rawExtension"
  /** apiextensions JSON: any value */
  | "json"
  | "fieldsV1";

export type TypeRef =
  /**
   * `union` is set on a `json` value that apiextensions/v1 declares as a Go union: any JSON value, but in protobuf a
   * message of its own (JSONSchemaPropsOrBool {allows=1 bool, schema=2}, JSONSchemaPropsOrArray {schema=1,
   * jSONSchemas=2 repeated}, JSONSchemaPropsOrStringArray {schema=1, property=2 repeated string}; plain JSON {raw=1}).
   */
  | { kind: ScalarKind; union?: "JSONSchemaPropsOrBool" | "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrStringArray" }
  /** `wrapped`: a named Go slice (ExtraValue, Verbs), in protobuf a message {items=1 repeated}. */
  | { kind: "array"; items: TypeRef; wrapped?: true }
  | { kind: "map"; values: TypeRef }
  /** `name` is a Go type such as `k8s.io/api/core/v1.PodSpec`. */
  | { kind: "struct"; name: string };

export interface FieldInfo {
  /** JSON name. */
  name: string;
  type: TypeRef;
  /** Protobuf field number; 0 when the field is not in protobuf. */
  protobuf: number;
  /** Left out of JSON when empty. */
  omitEmpty: boolean;
  /** A Go pointer: absent differs from zero. */
  pointer: boolean;
  required: boolean;
  /** Strategic merge patch: key of list entries, and strategies. */
  patchMergeKey?: string;
  patchStrategy?: ("merge" | "replace" | "retainKeys")[];
  /** Structured merge (server-side apply). */
  listType?: "atomic" | "set" | "map";
  listMapKeys?: string[];
  mapType?: "atomic" | "granular";
  enum?: string[];
  default?: unknown;
  /**
   * The field comes from an embedded Go struct that has a protobuf number of its own (Volume.VolumeSource = 2,
   * Probe.ProbeHandler = 1). In JSON the field is the outer struct's; in protobuf the outer struct has a message at
   * `inline.protobuf`, and `protobuf` is this field's number inside that message. All fields with the same
   * `inline.protobuf` belong to one message. Absent for embeddings without a number (TypeMeta). `outer` is set where
   * that message is itself embedded in another one (NamedRuleWithOperations: RuleWithOperations = 2, in it Rule = 2).
   */
  inline?: InlineMessage;
}

export interface InlineMessage {
  /** Go type name of the embedded struct. */
  name: string;
  protobuf: number;
  outer?: InlineMessage;
}

export interface StructInfo {
  /** Go type name. */
  name: string;
  /** By JSON name, in the order of the Go declaration (the order of upstream's JSON). */
  fields: ReadonlyMap<string, FieldInfo>;
  /** The whole struct is one value for server-side apply. */
  atomic: boolean;
}

export interface SchemaTable {
  /** undefined for types that are not built in (custom resources). */
  struct(name: string): StructInfo | undefined;
  /** Go type name of a kind: (apps, v1, Deployment) → k8s.io/api/apps/v1.Deployment. */
  structOfKind(group: string, version: string, kind: string): StructInfo | undefined;
}
