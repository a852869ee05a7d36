import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { forbidden, invalid, required, tooLong, tooMany } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { validateNodeSelector } from "./affinity.ts";
import { dnsLabel, dnsSubdomain, entriesOf, immutable, isSet, listOf, numberOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateCsiDriverName } from "./disk-sources.ts";
import { checks } from "./registry.ts";
import type { Validators } from "./registry.ts";
import {
  maxConfigs,
  validateCapacity,
  validateConfiguration,
  validateDeviceName,
  validateDeviceTaint,
  validatePoolName,
  validateQualifiedDeviceName,
  validateSelectors,
  validateSet,
  validateSlice,
} from "./resource-checks.ts";
import {
  specImmutable,
  validateClaimStatusUpdate,
  validateResourceClaim,
  validateResourceClaimTemplate,
} from "./resource-claims.ts";
import { isExtendedResource } from "./resource-names.ts";
import { parseSemver } from "./semver.ts";

/** DeviceClass, ResourceSlice, DeviceTaintRule. Mirrors pkg/apis/resource/validation/validation.go (1.36). */
const maxDevices = 128;
const maxDevicesWithAdvancedFeatures = 64;
const maxAttributesAndCapacities = 32;
const maxTaints = 16;
const maxCounterSets = 8;
const maxCounters = 32;
const maxValueLength = 64;

function validateDeviceClass(object: KubeObject, causes: Causes): void {
  const spec = object.spec ?? {};
  validateSelectors(spec.selectors, "spec.selectors", causes);
  validateSlice(spec.config, maxConfigs, validateConfiguration, "spec.config", causes);
  const name = spec.extendedResourceName;
  if (isSet(name) && !isExtendedResource(textOf(name))) {
    causes.push(invalid("spec.extendedResourceName", name, "must be a valid extended resource name"));
  }
}

function validateResourceSlice(object: KubeObject, previous: KubeObject | undefined, causes: Causes): void {
  const spec = object.spec ?? {};
  validateCsiDriverName(textOf(spec.driver), "spec.driver", causes);
  const pool = spec.pool ?? {};
  validatePoolName(pool.name, "spec.pool.name", causes);
  const [count, generation] = [numberOf(pool.resourceSliceCount), numberOf(pool.generation)];
  if (count <= 0) causes.push(invalid("spec.pool.resourceSliceCount", count, "must be greater than zero"));
  if (generation < 0) causes.push(invalid("spec.pool.generation", generation, "must be greater than or equal to zero"));
  if (previous !== undefined) {
    immutable(pool.name, previous.spec?.pool?.name, "spec.pool.name", causes);
    immutable(spec.driver, previous.spec?.driver, "spec.driver", causes);
    immutable(spec.nodeName, previous.spec?.nodeName, "spec.nodeName", causes);
  }
  validateNodes(spec, causes);
  if (isSet(spec.sharedCounters) && isSet(spec.devices)) {
    causes.push(invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed"));
  }
  const devices = listOf(spec.devices);
  const isAdvanced = devices.some(
    (device) => listOf(device?.taints).length > 0 || listOf(device?.consumesCounters).length > 0,
  );
  const before = new Map<string, any>(
    listOf(previous?.spec?.devices)
      .filter(isSet)
      .map((device) => [device.name, device]),
  );
  validateSet(
    devices,
    isAdvanced ? maxDevicesWithAdvancedFeatures : maxDevices,
    (device, path, found) =>
      validateDevice(device, before.get(device.name), spec.perDeviceNodeSelection === true, path, found),
    (device) => textOf(device.name),
    "spec.devices",
    causes,
  );
  const counterSet = (set: any, path: string, found: Causes) => {
    if (!set.name) found.push(required(`${path}.name`));
    else dnsLabel(set.name, `${path}.name`, found);
    validateCounters(set.counters, `${path}.counters`, found);
  };
  validateSet(
    spec.sharedCounters,
    maxCounterSets,
    counterSet,
    (set) => textOf(set.name),
    "spec.sharedCounters",
    causes,
  );
}

function validateCounters(counters: unknown, path: string, causes: Causes): void {
  const entries = entriesOf(counters);
  if (entries.length === 0) return void causes.push(required(path));
  if (entries.length > maxCounters) return void causes.push(tooMany(path, entries.length, maxCounters));
  for (const [name] of entries) dnsLabel(name, path, causes);
}

/** Exactly one way of saying which nodes see the devices. */
function validateNodes(spec: any, causes: Causes): void {
  const set: string[] = [];
  const { nodeName, nodeSelector } = spec;
  if (isSet(nodeName)) {
    if (nodeName === "")
      causes.push(invalid("spec.nodeName", nodeName, "must be either unset or set to a non-empty string"));
    else {
      set.push("`nodeName`");
      dnsSubdomain(nodeName, "spec.nodeName", causes);
    }
  }
  if (nodeSelector) {
    set.push("`nodeSelector`");
    validateNodeSelector(nodeSelector, "spec.nodeSelector", causes);
    const terms = listOf(nodeSelector.nodeSelectorTerms);
    if (terms.length !== 1) {
      causes.push(invalid("spec.nodeSelector.nodeSelectorTerms", terms, "must have exactly one node selector term"));
    }
  }
  for (const field of ["allNodes", "perDeviceNodeSelection"]) {
    if (!isSet(spec[field])) continue;
    if (spec[field] === true) set.push(`\`${field}\``);
    else causes.push(invalid(`spec.${field}`, spec[field], "must be either unset or set to true"));
  }
  const oneOf = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (set.length === 0) causes.push(required("spec", oneOf));
  else if (set.length > 1) causes.push(invalid("spec", `{${set.join(", ")}}`, `${oneOf}, but multiple fields are set`));
}

function validateDevice(device: any, before: any, selectsNodes: boolean, path: string, causes: Causes): void {
  validateDeviceName(device.name, `${path}.name`, causes);
  const [attributes, capacities] = [entriesOf(device.attributes), entriesOf(device.capacity)];
  const total = attributes.length + capacities.length;
  if (total > maxAttributesAndCapacities) {
    causes.push(
      invalid(
        path,
        total,
        `the total number of attributes and capacities must not exceed ${maxAttributesAndCapacities}`,
      ),
    );
  }
  for (const [name, attribute] of attributes) {
    const field = `${path}.attributes[${name}]`;
    validateQualifiedDeviceName(name, `${path}.attributes`, causes);
    validateAttribute(attribute ?? {}, field, causes);
  }
  if (before === undefined || !semanticEqual(before.capacity, device.capacity)) {
    for (const [name, capacity] of capacities) {
      validateQualifiedDeviceName(name, `${path}.capacity`, causes);
      validateCapacity(capacity, device.allowMultipleAllocations === true, `${path}.capacity[${name}]`, causes);
    }
  }
  if (before === undefined || !semanticEqual(before.taints, device.taints)) {
    validateSlice(device.taints, maxTaints, validateDeviceTaint, `${path}.taints`, causes);
  }
  const consumption = (entry: any, at: string, found: Causes) => {
    if (!entry.counterSet) found.push(required(`${at}.counterSet`));
    else dnsLabel(entry.counterSet, `${at}.counterSet`, found);
    validateCounters(entry.counters, `${at}.counters`, found);
  };
  validateSet(
    device.consumesCounters,
    2,
    consumption,
    (entry) => textOf(entry.counterSet),
    `${path}.consumesCounters`,
    causes,
  );
  validateDeviceNodes(device, selectsNodes, path, causes);
}

function validateDeviceNodes(device: any, selectsNodes: boolean, path: string, causes: Causes): void {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!selectsNodes) {
    if (isSet(nodeName) || isSet(nodeSelector) || isSet(allNodes)) {
      causes.push(
        invalid(
          path,
          null,
          "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
        ),
      );
    }
    return;
  }
  const set: string[] = [];
  if (isSet(nodeName)) {
    if (nodeName === "") causes.push(invalid(`${path}.nodeName`, nodeName, "must not be empty"));
    else {
      set.push("`nodeName`");
      dnsSubdomain(nodeName, `${path}.nodeName`, causes);
    }
  }
  if (nodeSelector) {
    set.push("`nodeSelector`");
    validateNodeSelector(nodeSelector, `${path}.nodeSelector`, causes);
  }
  if (allNodes === true) set.push("`allNodes`");
  else if (isSet(allNodes)) causes.push(invalid(`${path}.allNodes`, allNodes, "must be either unset or set to true"));
  const oneOf =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (set.length === 0) causes.push(required(path, oneOf));
  else if (set.length > 1) causes.push(invalid(path, `{${set.join(", ")}}`, oneOf));
}

function validateAttribute(attribute: any, path: string, causes: Causes): void {
  const given = ["bool", "int", "string", "version"].filter((field) => isSet(attribute[field]));
  const lists = ["bools", "ints", "strings", "versions"].filter((field) => isSet(attribute[field]));
  const text = (value: unknown, field: string, isVersion: boolean) => {
    if (isVersion && parseSemver(textOf(value)) === undefined) {
      causes.push(invalid(field, textOf(value), "must be a string compatible with semver.org spec 2.0.0"));
    }
    if (textOf(value).length > maxValueLength) causes.push(tooLong(field, maxValueLength));
  };
  if (isSet(attribute.string)) text(attribute.string, `${path}.string`, false);
  if (isSet(attribute.version)) text(attribute.version, `${path}.version`, true);
  for (const field of lists) {
    const items = listOf(attribute[field]);
    if (items.length === 0) causes.push(invalid(`${path}.${field}`, [], "must not be empty if specified"));
    if (field !== "strings" && field !== "versions") continue;
    for (const [index, item] of items.entries()) text(item, `${path}.${field}[${index}]`, field === "versions");
  }
  const count = given.length + lists.length;
  if (count !== 1) causes.push(invalid(path, count === 0 ? "" : attribute, "exactly one value must be specified"));
}

function validateTaintRule(object: KubeObject, causes: Causes): void {
  const { deviceSelector: selector, taint } = object.spec ?? {};
  if (selector) {
    if (isSet(selector.driver)) validateCsiDriverName(textOf(selector.driver), "spec.deviceSelector.driver", causes);
    if (isSet(selector.pool)) validatePoolName(selector.pool, "spec.deviceSelector.pool", causes);
    if (isSet(selector.device)) validateDeviceName(selector.device, "spec.deviceSelector.device", causes);
    if (selector.deviceClassName === "")
      causes.push(forbidden("spec.deviceSelector.deviceClassName", "must not be empty"));
  }
  validateDeviceTaint(taint ?? {}, "spec.taint", causes);
}

const group = "resource.k8s.io";

export const resourceValidators: Validators = {
  [`deviceclasses.${group}`]: checks(validateDeviceClass),
  [`resourceclaims.${group}`]: {
    create: validateResourceClaim,
    update: specImmutable,
    subresources: { status: validateClaimStatusUpdate },
  },
  [`resourceclaimtemplates.${group}`]: { create: validateResourceClaimTemplate, update: specImmutable },
  [`resourceslices.${group}`]: {
    create: (slice, causes) => validateResourceSlice(slice, undefined, causes),
    update: validateResourceSlice,
  },
  [`devicetaintrules.${group}`]: checks(validateTaintRule),
};
