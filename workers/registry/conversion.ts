import type { KubeObject } from "../apimachinery/meta.ts";
import type { ResourceInfo } from "../apis/resource-info.ts";
import { apiVersionOf } from "../apimachinery/gvk.ts";

/**
 * Between a served version and the storage version of a resource. Versions whose JSON form is the same need nothing but
 * another apiVersion; the others are listed here.
 */
export interface Converter {
  toStorage(object: KubeObject): KubeObject;
  fromStorage(object: KubeObject): KubeObject;
}

const converters = new Map<string, Converter>();

export function registerConverter(group: string, version: string, resource: string, converter: Converter): void {
  converters.set(`${group}/${version}/${resource}`, converter);
}

/** undefined: the stored JSON is this version's JSON. */
export function converterFor(resource: ResourceInfo): Converter | undefined {
  return converters.get(`${resource.group}/${resource.version}/${resource.resource}`);
}

export function toStorageVersion(resource: ResourceInfo, object: KubeObject): KubeObject {
  return converterFor(resource)?.toStorage(object) ?? object;
}

/** The object in the served version, apiVersion and kind in front. */
export function toServedVersion(resource: ResourceInfo, stored: KubeObject): KubeObject {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = converterFor(resource)?.fromStorage(stored) ?? stored;
  return { kind: resource.kind, apiVersion: apiVersionOf(resource), ...rest } as KubeObject;
}
