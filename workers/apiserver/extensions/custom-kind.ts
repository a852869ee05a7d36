import type { KubeObject } from "../../apimachinery/meta.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { invalid } from "../../apimachinery/field-error.ts";
import type { CustomKind, CustomPart, ScalePaths } from "../../apis/custom-kind.ts";
import type { ResourceInfo, SubresourceInfo } from "../../apis/resource-info.ts";
import { typeOfOpenApi } from "../../registry/field-manager/open-api-types.ts";
import type { OpenApiSchema } from "../../registry/field-manager/open-api-types.ts";
import { customPrinter, printerText } from "./columns.ts";
import { convertThroughWebhook } from "./conversion-webhook.ts";
import type { CustomResourceDefinition, DefinitionScale, DefinitionVersion } from "./definition.ts";
import { isConditionTrue } from "./definition.ts";
import { applySchemaDefaults } from "./schema/defaulting.ts";
import { validateEmbedded } from "./schema/embedded.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import { isRecord } from "./schema/json-schema.ts";
import { validateListTypes } from "./schema/list-types.ts";
import { prune } from "./schema/pruning.ts";
import { validateRules } from "./schema/rules.ts";
import { uncorrelated, validateSchema } from "./schema/validate.ts";

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

/** A version of a definition as a resource that the generic handlers serve. The definition must not change afterwards. */
export function customResourceInfo(definition: CustomResourceDefinition, version: DefinitionVersion): ResourceInfo {
  const { spec, status } = definition;
  const names = status?.acceptedNames?.plural ? status.acceptedNames : spec.names;
  const { group } = spec;
  const kind = { group, version: version.name, kind: names.kind };
  const subresources: SubresourceInfo[] = [];
  if (version.subresources?.status !== undefined) subresources.push({ name: "status", kind, verbs: subresourceVerbs });
  if (version.subresources?.scale !== undefined) {
    subresources.push({
      name: "scale",
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      verbs: subresourceVerbs,
    });
  }
  return {
    group,
    version: version.name,
    resource: names.plural,
    singular: names.singular ?? "",
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: spec.scope === "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    subresources,
    storageVersion: spec.versions.find(({ storage }) => storage)?.name ?? version.name,
    persisted: true,
    custom: new DefinedKind(definition, version),
  };
}

class DefinedKind implements CustomKind {
  readonly passThrough: boolean;
  readonly columns: string;
  readonly selectableFields: readonly string[];
  readonly scale: ScalePaths | undefined;
  readonly warning: string | undefined;
  readonly terminating: boolean;
  readonly convert: CustomKind["convert"];
  readonly #schema: JsonSchema;
  readonly #hasStatus: boolean;
  readonly #version: DefinitionVersion;
  readonly #apiVersion: string;
  readonly #kind: string;
  /** The storage version, where it is another one and its objects differ. */
  readonly #stored: DefinedKind | undefined;
  #printer: CustomKind["printer"] | undefined;
  #fieldType: CustomKind["fieldType"] | undefined;

  constructor(definition: CustomResourceDefinition, version: DefinitionVersion) {
    const { spec, metadata } = definition;
    this.#version = version;
    this.#schema = version.schema?.openAPIV3Schema ?? {};
    this.#hasStatus = version.subresources?.status !== undefined;
    this.#apiVersion = `${spec.group}/${version.name}`;
    this.#kind = spec.names.kind;
    const webhook = spec.conversion?.strategy === "Webhook" && spec.versions.length > 1;
    // With one version that has never changed, everything stored has been pruned and defaulted by this very schema.
    this.passThrough = !webhook && spec.versions.length === 1 && (metadata.generation ?? 1) === 1;
    this.columns = printerText(version.additionalPrinterColumns);
    this.selectableFields = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ""));
    this.scale = scalePaths(version.subresources?.scale);
    this.warning = deprecationWarning(definition, version);
    this.terminating = metadata.deletionTimestamp !== undefined || isConditionTrue(definition, "Terminating");
    const storage = spec.versions.find((each) => each.storage);
    this.#stored =
      webhook && storage !== undefined && storage !== version ? new DefinedKind(definition, storage) : undefined;
    this.convert = webhook ? (objects, to) => convertThroughWebhook(definition, objects, to) : undefined;
  }

  get fieldType(): CustomKind["fieldType"] {
    return (this.#fieldType ??= typeOfOpenApi(this.#version.schema?.openAPIV3Schema as OpenApiSchema | undefined));
  }

  get printer(): CustomKind["printer"] {
    return (this.#printer ??= customPrinter(this.#version.additionalPrinterColumns));
  }

  fromStorage(object: KubeObject): void {
    prune(object, this.#schema, true);
    applySchemaDefaults(object, this.#schema);
  }

  fit(object: KubeObject): string[] {
    const unknown = prune(object, this.#schema, true);
    applySchemaDefaults(object, this.#schema);
    return unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  }

  validate(object: KubeObject, previous: KubeObject | undefined, part: CustomPart): InvalidCause[] {
    return (this.#stored ?? this).#validate(object, previous, part);
  }

  validateBeforeConversion(object: KubeObject): InvalidCause[] {
    return this.#stored === undefined ? [] : this.#validate(object, undefined, "object");
  }

  #validate(object: KubeObject, previous: KubeObject | undefined, part: CustomPart): InvalidCause[] {
    if (object.kind !== undefined && object.kind !== this.#kind)
      return [invalid("kind", object.kind, `must be ${this.#kind}`)];
    const schema = this.#schema;
    const typed = this.#typed(object);
    const old = previous === undefined ? uncorrelated : this.#typed(previous);
    const causes = [
      ...validateEmbedded(typed, schema),
      ...validateSchema(typed, schema, old),
      ...validateListTypes(typed, schema, old),
      ...this.#validateScale(object, part),
    ];
    return [...causes, ...validateRules(schema, typed, old === uncorrelated ? undefined : old, causes)];
  }

  /** What schemas and rules are about: the object in this version, with its type. */
  #typed(object: KubeObject): KubeObject {
    const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
    return { apiVersion: this.#apiVersion, kind: this.#kind, ...rest };
  }

  #validateScale(object: KubeObject, part: CustomPart): InvalidCause[] {
    const scale = this.#version.subresources?.scale;
    if (scale === undefined || this.scale === undefined) return [];
    const inStatus = part === "status";
    if (inStatus && !this.#hasStatus) return [];
    const [path, value] = inStatus
      ? [scale.statusReplicasPath, valueAt(object, this.scale.statusReplicas)]
      : [scale.specReplicasPath, valueAt(object, this.scale.specReplicas)];
    if (typeof value !== "number") return [];
    if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
    if (value > 2 ** 31 - 1) return [invalid(path, value, `should be less than or equal to ${2 ** 31 - 1}`)];
    return [];
  }
}

function scalePaths(scale: DefinitionScale | undefined): ScalePaths | undefined {
  if (scale === undefined) return undefined;
  const split = (path: string) => path.replace(/^\./, "").split(".");
  return {
    specReplicas: split(scale.specReplicasPath),
    statusReplicas: split(scale.statusReplicasPath),
    labelSelector: scale.labelSelectorPath ? split(scale.labelSelectorPath) : undefined,
  };
}

function deprecationWarning({ spec }: CustomResourceDefinition, version: DefinitionVersion): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning) return version.deprecationWarning;
  const { group } = spec;
  const better = spec.versions.find(
    (other) => other.served && other.deprecated !== true && comparesStabler(other.name, version.name),
  );
  const text = `${group}/${version.name} ${spec.names.kind} is deprecated`;
  return better === undefined ? text : `${text}; use ${group}/${better.name} ${spec.names.kind}`;
}

/** Whether version `a` comes before `b` in Kubernetes' order. */
function comparesStabler(a: string, b: string): boolean {
  const rank = (name: string) => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name);
    if (match === null) return [0, 0, 0];
    return [match[2] === undefined ? 3 : match[2] === "beta" ? 2 : 1, Number(match[1]), Number(match[3] ?? 0)];
  };
  const [left, right] = [rank(a), rank(b)];
  for (const index of [0, 1, 2]) if (left[index] !== right[index]) return left[index]! > right[index]!;
  return false;
}

export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const name of path) value = isRecord(value) ? value[name] : undefined;
  return value;
}
