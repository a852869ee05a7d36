import { createHash } from "node:crypto";
import type { ResourceInfo } from "../../apis/resource-info.ts";

const hashes = new WeakMap<ResourceInfo, string>();

/**
 * A hash of the group, version and kind that a resource is stored in; undefined for what is not stored.
 * Mirrors k8s.io/apiserver pkg/endpoints/discovery/storageversionhash.go (1.36).
 */
export function storageVersionHash(info: ResourceInfo): string | undefined {
  if (!info.persisted) return undefined;
  let hash = hashes.get(info);
  if (hash === undefined) {
    const stored = `${info.storageGroup ?? info.group}/${info.storageVersion}/${info.kind}`;
    hash = createHash("sha256").update(stored).digest().subarray(0, 8).toString("base64");
    hashes.set(info, hash);
  }
  return hash;
}
