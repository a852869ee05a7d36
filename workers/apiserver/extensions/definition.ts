import type { KubeObject } from "../../apimachinery/meta.ts";
import type { JsonSchema } from "./schema/json-schema.ts";

/** apiextensions.k8s.io/v1 CustomResourceDefinition, as far as it is read here. */
export interface CustomResourceDefinition extends KubeObject {
  spec: DefinitionSpec;
  status?: DefinitionStatus;
}

export interface DefinitionSpec {
  group: string;
  scope: "Namespaced" | "Cluster";
  names: DefinitionNames;
  versions: DefinitionVersion[];
  conversion?: DefinitionConversion;
  preserveUnknownFields?: boolean;
}

export interface DefinitionNames {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface DefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JsonSchema };
  subresources?: { status?: object; scale?: DefinitionScale };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface DefinitionScale {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

export interface PrinterColumn {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
}

export interface DefinitionConversion {
  strategy: "None" | "Webhook";
  webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions?: string[] };
}

export interface WebhookClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  caBundle?: string;
}

export interface DefinitionCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface DefinitionStatus {
  conditions?: DefinitionCondition[];
  acceptedNames?: DefinitionNames;
  storedVersions?: string[];
}

export const definitions = { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" };
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export function findCondition(definition: KubeObject, type: string): DefinitionCondition | undefined {
  return (definition.status as DefinitionStatus | undefined)?.conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(definition: KubeObject, type: string): boolean {
  return findCondition(definition, type)?.status === "True";
}

/** Sets a condition; its time moves only with its status. `time` in RFC 3339. */
export function setCondition(definition: KubeObject, condition: DefinitionCondition, time: string): void {
  const status = (definition.status ??= {}) as DefinitionStatus;
  const conditions = (status.conditions ??= []);
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const before = conditions[index];
  const { lastTransitionTime: _given, ...rest } = condition;
  const dated = {
    lastTransitionTime: before?.status === condition.status ? (before.lastTransitionTime ?? time) : time,
    ...rest,
  };
  if (index < 0) conditions.push(dated);
  else conditions[index] = dated;
}
