import type { Clock } from "../../apimachinery/clock.ts";
import { apiVersionOf, parseApiVersion } from "../../apimachinery/gvk.ts";
import type { GroupVersionKind } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { deducedType } from "../../apimachinery/structured-merge/schema.ts";
import type { SchemaType } from "../../apimachinery/structured-merge/schema.ts";
import type { Convert, TypedValue } from "../../apimachinery/structured-merge/updater.ts";
import { catalog } from "../../apis/catalog.ts";
import { normalizeObject } from "../../apis/codec/normalize.ts";
import { applyDefaults } from "../../apis/defaulting/defaulting.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { schemaTable } from "../../apis/schema-table.ts";
import { converterFor, toServedVersion, toStorageVersion } from "../conversion.ts";
import { emptyObjectOfKind, typeOfKind } from "./built-in-types.ts";
import { FieldManager } from "./field-manager.ts";
import { resetFieldsOf } from "./reset-fields.ts";

const scaleGvk: GroupVersionKind = { group: "autoscaling", version: "v1", kind: "Scale" };

/** The field manager of an endpoint of any kind. Objects merged by apply still need the kind's pruning if it is custom. */
export function fieldManagerFor(resource: ResourceInfo, subresource: string, clock: Clock): FieldManager {
  const gvk = { group: resource.group, version: resource.version, kind: resource.kind };
  const hasStatus = resource.subresources.some(({ name }) => name === "status");
  const { custom } = resource;
  if (custom !== undefined) {
    // Conversion by webhook is not to be had here: entries of other versions are kept as if they had this one's form.
    const kind: CustomKind = {
      gvk,
      hasStatus,
      typeOf: () => custom.fieldType,
      convert: (object) => object,
      restore: (object) => object,
    };
    return customFieldManager(kind, subresource, clock);
  }
  const reset = resetFieldsOf(hasStatus, subresource);
  return new FieldManager({
    gvk,
    subresource,
    type: typeOfKind(gvk) ?? deducedType,
    emptyObject: emptyObjectOfKind(gvk),
    restore: (object) => restoreBuiltIn(gvk, object),
    convert: convertBuiltIn(resource),
    resetFields: () => reset,
    clock,
  });
}

/** Of the scale subresource: objects are autoscaling/v1 Scale, whose managedFields {@link scaleManagedFields} makes. */
export function scaleFieldManager(clock: Clock): FieldManager {
  return new FieldManager({
    gvk: scaleGvk,
    subresource: "scale",
    type: typeOfKind(scaleGvk) ?? deducedType,
    emptyObject: emptyObjectOfKind(scaleGvk),
    restore: (object) => restoreBuiltIn(scaleGvk, object),
    convert: (value, apiVersion) => (apiVersion === value.apiVersion ? value : undefined),
    clock,
  });
}

export interface CustomKind {
  /** Of the request. */
  gvk: GroupVersionKind;
  hasStatus: boolean;
  /** The type of a served version, from {@link typeOfOpenApi}; undefined when the version is not served. */
  typeOf(version: string): SchemaType | undefined;
  /** Between served versions, as the CRD converts them: for strategy None only the apiVersion changes. */
  convert(object: KubeObject, version: string): KubeObject;
  /** Pruning and defaulting of the merged object. */
  restore(object: KubeObject): KubeObject;
}

/** The field manager of an endpoint of a custom resource. */
export function customFieldManager(custom: CustomKind, subresource: string, clock: Clock): FieldManager {
  const { gvk } = custom;
  const reset = resetFieldsOf(custom.hasStatus, subresource);
  return new FieldManager({
    gvk,
    subresource,
    type: custom.typeOf(gvk.version) ?? deducedType,
    emptyObject: { apiVersion: apiVersionOf(gvk), kind: gvk.kind, metadata: {} },
    restore: (object) => custom.restore(object),
    convert(value, apiVersion) {
      if (apiVersion === value.apiVersion) return value;
      const { group, version } = parseApiVersion(apiVersion);
      const type = group === gvk.group ? custom.typeOf(version) : undefined;
      if (type === undefined) return undefined;
      return { type, apiVersion, value: custom.convert(value.value as KubeObject, version) };
    },
    resetFields: () => reset,
    clock,
  });
}

function restoreBuiltIn(gvk: GroupVersionKind, object: KubeObject): KubeObject {
  const struct = schemaTable.structOfKind(gvk.group, gvk.version, gvk.kind);
  if (struct === undefined) return structuredClone(object);
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = normalizeObject(object, struct).object;
  const restored = { kind: gvk.kind, apiVersion: apiVersionOf(gvk), ...rest } as unknown as KubeObject;
  applyDefaults(gvk, restored);
  return restored;
}

/** Versions of one JSON form share their objects; the others go by way of the storage version. */
function convertBuiltIn(resource: ResourceInfo): Convert {
  return (value: TypedValue, apiVersion: string) => {
    if (apiVersion === value.apiVersion) return value;
    const from = infoOf(resource, value.apiVersion);
    const to = infoOf(resource, apiVersion);
    if (from === undefined || to === undefined) return undefined;
    if (converterFor(from) === converterFor(to)) return { ...value, apiVersion };
    const type = typeOfKind({ group: to.group, version: to.version, kind: to.kind }) ?? deducedType;
    return { type, apiVersion, value: toServedVersion(to, toStorageVersion(from, value.value as KubeObject)) };
  };
}

function infoOf(resource: ResourceInfo, apiVersion: string): ResourceInfo | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  return catalog.find(group, version, resource.resource);
}
