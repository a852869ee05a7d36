import type { KubeObject } from "../apimachinery/meta.ts";
import type { EncodedObject } from "./interfaces.ts";

/**
 * Serialises an object for storage: apiVersion and kind left out, metadata first with resourceVersion as its last
 * member, so that the text can be cut there. The given object is not changed.
 */
export function encodeObject(object: KubeObject): EncodedObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  const { resourceVersion: _resourceVersion, ...meta } = metadata;
  const metaText = JSON.stringify(meta);
  const restText = JSON.stringify(rest);
  return {
    head: `{"metadata":${metaText.slice(0, -1)}${metaText === "{}" ? "" : ","}"resourceVersion":"`,
    tail: `"}${restText === "{}" ? "" : ","}${restText.slice(1)}`,
  };
}

/** What a store keeps: the encoded object with its revision in place. */
export function completeObject(encoded: EncodedObject, revision: number): string {
  return `${encoded.head}${revision}${encoded.tail}`;
}

/** The stored text with apiVersion and kind in front, as a single object is answered. */
export function withTypeMeta(value: string, apiVersion: string, kind: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},${value.slice(1)}`;
}
