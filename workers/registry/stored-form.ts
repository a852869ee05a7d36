import { apiVersionOf } from "../apimachinery/gvk.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import type { ResourceInfo } from "../apis/resource-info.ts";
import { encodeObject } from "../storage/encode-object.ts";
import type { EncodedObject } from "../storage/interfaces.ts";

/**
 * The version in which an object of a kind with a conversion webhook is stored: what was the storage version when it was
 * written. A member of the stored text that no client sees, since such objects are never passed on as text.
 */
const storedVersion = "~storedVersion";

/** A stored text as an object of the type's storage version. */
export function decodeStored(resource: ResourceInfo, value: string): KubeObject | Promise<KubeObject> {
  const object = JSON.parse(value) as KubeObject;
  const { custom } = resource;
  if (custom === undefined || custom.passThrough) return object;
  if (custom.convert === undefined) {
    delete object[storedVersion];
    return object;
  }
  return convertStored(resource, [object], resource.storageVersion).then(([converted]) => converted!);
}

/** Objects as they are stored in the version of `resource`; only a conversion webhook makes this more than the objects. */
export async function convertToServed(resource: ResourceInfo, stored: KubeObject[]): Promise<KubeObject[]> {
  return resource.custom?.convert === undefined ? stored : convertStored(resource, stored, resource.version);
}

/** An object of a request's version in the storage version. */
export async function convertToStorage(resource: ResourceInfo, object: KubeObject): Promise<KubeObject> {
  if (resource.custom?.convert === undefined) return object;
  return withoutType(
    (await resource.custom.convert([typed(resource, object, resource.version)], resource.storageVersion))[0]!,
  );
}

async function convertStored(resource: ResourceInfo, stored: KubeObject[], version: string): Promise<KubeObject[]> {
  const objects = stored.map(({ [storedVersion]: from, ...object }) =>
    typed(resource, object, (from as string | undefined) ?? resource.storageVersion),
  );
  return (await resource.custom!.convert!(objects, version)).map(withoutType);
}

function typed({ group, kind }: ResourceInfo, object: KubeObject, version: string): KubeObject {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return { kind, apiVersion: apiVersionOf({ group, version }), ...rest };
}

function withoutType({ apiVersion: _apiVersion, kind: _kind, ...rest }: KubeObject): KubeObject {
  return rest;
}

/** An object of the storage version as it is stored. */
export function encodeStored(resource: ResourceInfo, object: KubeObject): EncodedObject {
  return encodeObject(
    resource.custom?.convert === undefined ? object : { ...object, [storedVersion]: resource.storageVersion },
  );
}
