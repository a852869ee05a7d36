import { allocateCreate, allocateUpdate, releaseAllocated } from "../allocators/service-allocators.ts";
import type { Strategy } from "../strategy.ts";
import { dropTypeDependentFields, normalizeClusterIPs, patchAllocatedValues } from "./service-fields.ts";

/** Mirrors pkg/registry/core/service/strategy.go and storage/storage.go (1.36). */
export const serviceStrategy: Strategy = {
  generation: false,
  allowCreateOnUpdate: true,
  returnDeletedObject: true,
  prepareForCreate(service) {
    service.status = { loadBalancer: {} };
    normalizeClusterIPs(service, undefined);
  },
  async beginCreate(service, scope) {
    return (await allocateCreate(service, scope)).revert;
  },
  prepareForUpdate(service, previous) {
    patchAllocatedValues(service, previous);
    normalizeClusterIPs(service, previous);
    dropTypeDependentFields(service, previous);
  },
  beginUpdate: allocateUpdate,
  afterDelete: releaseAllocated,
};
