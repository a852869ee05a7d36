import { duplicate, invalid, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { isValidPortNum } from "../../apimachinery/validation-names.ts";
import { allocateCreate, allocateUpdate, releaseAllocated } from "../allocators/service-allocators.ts";
import type { RequestScope, Strategy } from "../strategy.ts";
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
  validate: validateService,
  async beginCreate(service, scope) {
    return (await allocateCreate(service, scope)).revert;
  },
  prepareForUpdate(service, previous) {
    patchAllocatedValues(service, previous);
    normalizeClusterIPs(service, previous);
    dropTypeDependentFields(service, previous);
  },
  validateUpdate(service, previous, scope) {
    const causes = validateService(service, scope);
    const before = previous.spec.clusterIP;
    if (before && before !== "None" && service.spec.clusterIP !== before && service.spec.type !== "ExternalName") {
      causes.push(invalid("spec.clusterIPs[0]", service.spec.clusterIPs?.[0] ?? service.spec.clusterIP, "may not change once set"));
    }
    return causes;
  },
  beginUpdate: allocateUpdate,
  afterDelete: releaseAllocated,
};

function validateService(service: KubeObject, _scope: RequestScope): InvalidCause[] {
  const spec = service.spec ?? {};
  const causes: InvalidCause[] = [];
  const ports: any[] = spec.ports ?? [];
  if (ports.length === 0 && spec.clusterIP !== "None" && spec.type !== "ExternalName") causes.push(required("spec.ports"));
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const field = `spec.ports[${index}]`;
    if (ports.length > 1 && !port.name) causes.push(required(`${field}.name`));
    if (port.name && seen.has(port.name)) causes.push(duplicate(`${field}.name`, port.name));
    seen.add(port.name);
    for (const text of isValidPortNum(port.port ?? 0)) causes.push(invalid(`${field}.port`, port.port ?? 0, text));
  }
  if (spec.type === "ExternalName" && !spec.externalName) causes.push(required("spec.externalName"));
  return causes;
}
