import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { validateNodeSelector } from "./affinity.ts";
import { dnsLabel, immutable, isSet, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateCsiDriverName } from "./disk-sources.ts";
import { validateAnnotations, validateLabels } from "./label-selector.ts";
import {
  maxConfigs,
  maxRequests,
  validateAllocationMode,
  validateConfiguration,
  validateDeviceClassName,
  validateDeviceName,
  validateDeviceTolerations,
  validateFullyQualifiedDeviceName,
  validatePoolName,
  validateSelectors,
  validateSet,
  validateSlice,
} from "./resource-checks.ts";

/** ResourceClaim and ResourceClaimTemplate. Mirrors pkg/apis/resource/validation/validation.go (1.36). */
const maxSubRequests = 8;
const maxConstraints = 32;
const maxReservations = 256;
const maxResults = 32;

/** `request` and `request/subrequest`. */
type RequestNames = ReadonlySet<string>;

export function validateResourceClaim(claim: KubeObject, causes: Causes): void {
  validateClaimSpec(claim.spec ?? {}, "spec", causes);
}

export function validateResourceClaimTemplate(template: KubeObject, causes: Causes): void {
  const { metadata = {}, spec } = template.spec ?? {};
  validateLabels(metadata?.labels, "spec.metadata.labels", causes);
  validateAnnotations(metadata?.annotations, "spec.metadata.annotations", causes);
  validateClaimSpec(spec ?? {}, "spec.spec", causes);
}

export function specImmutable(object: KubeObject, previous: KubeObject, causes: Causes): void {
  immutable(object.spec, previous.spec, "spec", causes);
}

function requestNames(devices: any): RequestNames {
  const names = new Set<string>();
  for (const request of listOf(devices?.requests)) {
    names.add(textOf(request?.name));
    for (const sub of listOf(request?.firstAvailable)) names.add(`${textOf(request?.name)}/${textOf(sub?.name)}`);
  }
  return names;
}

function validateClaimSpec(spec: any, path: string, causes: Causes): void {
  const devices = spec.devices ?? {};
  const field = `${path}.devices`;
  const names = requestNames(devices);
  validateSet(
    devices.requests,
    maxRequests,
    validateRequest,
    (request) => textOf(request.name),
    `${field}.requests`,
    causes,
  );
  validateSlice(
    devices.constraints,
    maxConstraints,
    (constraint, at, found) => validateConstraint(constraint, names, at, found),
    `${field}.constraints`,
    causes,
  );
  validateSlice(
    devices.config,
    maxConfigs,
    (config, at, found) => {
      validateRequestRefs(config.requests, names, `${at}.requests`, found);
      validateConfiguration(config, at, found);
    },
    `${field}.config`,
    causes,
  );
}

function validateRequest(request: any, path: string, causes: Causes): void {
  dnsLabel(request.name, `${path}.name`, causes);
  const hasFirst = listOf(request.firstAvailable).length > 0;
  const oneOf = "exactly one of `exactly` or `firstAvailable` is required";
  if (!hasFirst && !request.exactly) causes.push(required(path, oneOf));
  else if (hasFirst && request.exactly) causes.push(invalid(path, null, `${oneOf}, but multiple fields are set`));
  else if (request.exactly) validateExactRequest(request.exactly, `${path}.exactly`, causes);
  else {
    const check = (sub: any, at: string, found: Causes) => {
      dnsLabel(sub.name, `${at}.name`, found);
      validateExactRequest(sub, at, found);
    };
    validateSet(
      request.firstAvailable,
      maxSubRequests,
      check,
      (sub) => textOf(sub.name),
      `${path}.firstAvailable`,
      causes,
    );
  }
}

function validateExactRequest(request: any, path: string, causes: Causes): void {
  validateDeviceClassName(request.deviceClassName, `${path}.deviceClassName`, causes);
  validateSelectors(request.selectors, `${path}.selectors`, causes);
  validateAllocationMode(request.allocationMode, request.count, path, causes);
  validateDeviceTolerations(request.tolerations, `${path}.tolerations`, causes);
}

function validateConstraint(constraint: any, names: RequestNames, path: string, causes: Causes): void {
  validateRequestRefs(constraint.requests, names, `${path}.requests`, causes);
  if (isSet(constraint.matchAttribute)) {
    validateFullyQualifiedDeviceName(constraint.matchAttribute, `${path}.matchAttribute`, causes);
  } else if (isSet(constraint.distinctAttribute)) {
    validateFullyQualifiedDeviceName(constraint.distinctAttribute, `${path}.distinctAttribute`, causes);
  } else {
    causes.push(
      required(path, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'),
    );
  }
}

function validateRequestRefs(refs: unknown, names: RequestNames, path: string, causes: Causes): void {
  validateSet(refs, maxRequests, (name, at, found) => validateRequestRef(name, names, at, found), textOf, path, causes);
}

function validateRequestRef(value: unknown, names: RequestNames, path: string, causes: Causes): void {
  const name = textOf(value);
  const segments = name.split("/");
  const unknown = () =>
    causes.push(
      invalid(
        path,
        name,
        "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
      ),
    );
  if (segments.length > 2) return void unknown();
  for (const segment of segments) dnsLabel(segment, path, causes);
  if (!names.has(name)) unknown();
}

export function validateClaimStatusUpdate(claim: KubeObject, previous: KubeObject, causes: Causes): void {
  const status = claim.status ?? {};
  const before = previous.status ?? {};
  const path = "status.reservedFor";
  validateSet(status.reservedFor, maxReservations, validateConsumer, (consumer) => textOf(consumer.uid), path, causes);
  validateDeviceStatuses(status, causes);
  if (listOf(status.reservedFor).length > 0) {
    if (!isSet(status.allocation)) causes.push(forbidden(path, "may not be specified when `allocated` is not set"));
    else if (claim.metadata.deletionTimestamp !== undefined) {
      const known = listOf(before.reservedFor);
      if (listOf(status.reservedFor).some((consumer) => !known.some((other) => semanticEqual(other, consumer)))) {
        causes.push(
          forbidden(path, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"),
        );
      }
    }
  }
  if (!isSet(status.allocation)) return;
  // What has been allocated stays, and is not judged again.
  if (isSet(before.allocation)) immutable(status.allocation, before.allocation, "status.allocation", causes);
  else validateAllocation(status.allocation, requestNames(claim.spec?.devices), "status.allocation", causes);
}

function validateConsumer(consumer: any, path: string, causes: Causes): void {
  for (const field of ["resource", "name", "uid"]) if (!consumer[field]) causes.push(required(`${path}.${field}`));
}

function deviceKey(device: any): string {
  return [device?.driver, device?.pool, device?.device, device?.shareID].map(textOf).join("/");
}

function validateDeviceStatuses(status: any, causes: Causes): void {
  const allocated = new Set(listOf(status.allocation?.devices?.results).map(deviceKey));
  const check = (device: any, path: string, found: Causes) => {
    validateCsiDriverName(textOf(device.driver), `${path}.driver`, found);
    validatePoolName(device.pool, `${path}.pool`, found);
    validateDeviceName(device.device, `${path}.device`, found);
    if (!allocated.has(deviceKey(device)))
      found.push(invalid(path, deviceKey(device), "must be an allocated device in the claim"));
  };
  validateSet(status.devices, -1, check, deviceKey, "status.devices", causes);
}

function validateAllocation(allocation: any, names: RequestNames, path: string, causes: Causes): void {
  const devices = allocation.devices ?? {};
  const check = (result: any, at: string, found: Causes) => {
    validateRequestRef(result.request, names, `${at}.request`, found);
    validateCsiDriverName(textOf(result.driver), `${at}.driver`, found);
    validatePoolName(result.pool, `${at}.pool`, found);
    validateDeviceName(result.device, `${at}.device`, found);
    validateDeviceTolerations(result.tolerations, `${at}.tolerations`, found);
  };
  validateSlice(devices.results, maxResults, check, `${path}.devices.results`, causes);
  const sources = ["FromClaim", "FromClass"];
  const checkConfig = (config: any, at: string, found: Causes) => {
    if (!config.source) found.push(required(`${at}.source`));
    else if (!sources.includes(config.source)) found.push(notSupported(`${at}.source`, config.source, sources));
    validateRequestRefs(config.requests, names, `${at}.requests`, found);
    validateConfiguration(config, at, found);
  };
  validateSlice(devices.config, 2 * maxConfigs, checkConfig, `${path}.devices.config`, causes);
  if (allocation.nodeSelector) validateNodeSelector(allocation.nodeSelector, `${path}.nodeSelector`, causes);
}
