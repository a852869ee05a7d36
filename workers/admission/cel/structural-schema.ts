/** The parts of a structural OpenAPI v3 schema in JSON form that expressions depend on. */
export interface StructuralSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | StructuralSchema;
  readonly items?: StructuralSchema;
  readonly allOf?: readonly StructuralSchema[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** apiextensions.ValidationRule */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

const string: StructuralSchema = { type: "string" };

export function additionalSchema(schema: StructuralSchema): StructuralSchema | undefined {
  const additional = schema.additionalProperties;
  return typeof additional === "object" ? additional : undefined;
}

/** At the root of a resource kind, apiVersion, metadata.name and metadata.generateName can be read whatever the schema says. */
export function withTypeAndObjectMeta(schema: StructuralSchema): StructuralSchema {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  if (
    kind?.type === "string" &&
    apiVersion?.type === "string" &&
    metadata?.type === "object" &&
    metadata.properties?.["name"]?.type === "string" &&
    metadata.properties["generateName"]?.type === "string"
  ) {
    return schema;
  }
  const meta: StructuralSchema = { type: "object", properties: { name: string, generateName: string } };
  return { ...schema, properties: { ...schema.properties, kind: string, apiVersion: string, metadata: meta } };
}
