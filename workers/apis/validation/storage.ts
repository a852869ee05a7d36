import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isDns1123Subdomain, isLabelKey } from "../../apimachinery/validation-names.ts";
import {
  checkText,
  entriesOf,
  immutable,
  isSet,
  labelName,
  listOf,
  nonnegative,
  supportedEnum,
  textOf,
} from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateCsiDriverName } from "./disk-sources.ts";
import { validateLabelSelector } from "./label-selector.ts";
import { checks, withStatus } from "./registry.ts";
import type { Validators } from "./registry.ts";
import { validateNonnegativeQuantity } from "./resource-names.ts";

/** Mirrors pkg/apis/storage/validation/validation.go (1.36). */
const maxParameterBytes = 256 * 1024;
const maxParameters = 512;
const maxNodeIdLength = 192;
const maxErrorMessageLength = 1_024;

function validateProvisioner(value: unknown, path: string, causes: Causes): void {
  const name = textOf(value);
  if (name === "") causes.push(required(path));
  else for (const text of isLabelKey(name.toLowerCase())) causes.push(invalid(path, name, text));
}

function validateParameters(parameters: unknown, mayBeEmpty: boolean, path: string, causes: Causes): void {
  const entries = entriesOf(parameters);
  if (entries.length === 0 && !mayBeEmpty) causes.push(required(path, "must contain at least one key/value pair"));
  if (entries.length > maxParameters) return void causes.push(tooLong(path, maxParameters));
  let size = 0;
  for (const [key, value] of entries) {
    if (key === "") causes.push(invalid(path, key, "field can not be empty."));
    size += key.length + textOf(value).length;
  }
  if (size > maxParameterBytes) causes.push(tooLong(path, maxParameterBytes));
}

function validateStorageClass(object: KubeObject, causes: Causes): void {
  validateProvisioner(object["provisioner"], "provisioner", causes);
  validateParameters(object["parameters"], true, "parameters", causes);
  if (object["reclaimPolicy"]) supportedEnum(object["reclaimPolicy"], ["Delete", "Retain"], "reclaimPolicy", causes);
  const mode = object["volumeBindingMode"];
  if (!isSet(mode)) causes.push(required("volumeBindingMode"));
  else supportedEnum(mode, ["Immediate", "WaitForFirstConsumer"], "volumeBindingMode", causes);
  const seen: unknown[] = [];
  for (const [index, term] of listOf(object["allowedTopologies"]).entries()) {
    const path = `allowedTopologies[${index}]`;
    const requirements = validateTopologyTerm(term ?? {}, path, causes);
    if (seen.some((other) => semanticEqual(other, requirements)))
      causes.push(duplicate(`${path}.matchLabelExpressions`, ""));
    seen.push(requirements);
  }
}

/** Its requirements: sorted values by key. */
function validateTopologyTerm(term: any, path: string, causes: Causes): Record<string, string[]> {
  const requirements: Record<string, string[]> = {};
  for (const [index, requirement] of listOf(term.matchLabelExpressions).entries()) {
    const field = `${path}.matchLabelExpressions[${index}]`;
    const values = listOf(requirement?.values).map(textOf);
    if (values.length === 0) causes.push(required(`${field}.values`));
    for (const [at, value] of values.entries()) {
      if (values.indexOf(value) < at) causes.push(duplicate(`${field}.values[${at}]`, value));
    }
    const key = textOf(requirement?.key);
    labelName(key, `${field}.key`, causes);
    if (Object.hasOwn(requirements, key)) causes.push(duplicate(`${field}.key`, key));
    requirements[key] = [...new Set(values)].sort();
  }
  return requirements;
}

/** `updates to <field> are forbidden.` */
function unchanged(object: KubeObject, previous: KubeObject, fields: readonly string[], causes: Causes): void {
  for (const field of fields) {
    if (!semanticEqual(object[field], previous[field]))
      causes.push(forbidden(field, `updates to ${field} are forbidden.`));
  }
}

function validateStorageClassUpdate(object: KubeObject, previous: KubeObject, causes: Causes): void {
  unchanged(object, previous, ["parameters", "provisioner", "reclaimPolicy"], causes);
  immutable(object["volumeBindingMode"], previous["volumeBindingMode"], "volumeBindingMode", causes);
}

function validateVolumeAttachment(object: KubeObject, causes: Causes): void {
  const { attacher, source = {}, nodeName } = object.spec ?? {};
  if (!attacher) causes.push(required("spec.attacher"));
  const { inlineVolumeSpec, persistentVolumeName } = source ?? {};
  const exactlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (!inlineVolumeSpec && !isSet(persistentVolumeName)) causes.push(required("spec.source", exactlyOne));
  else if (inlineVolumeSpec && isSet(persistentVolumeName)) causes.push(forbidden("spec.source", exactlyOne));
  else if (persistentVolumeName === "") {
    causes.push(required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName"));
  }
  checkText(isDns1123Subdomain, nodeName, "spec.nodeName", causes);
  validateAttachmentStatus(object, causes);
}

/** What v1 adds when an attachment is created. */
function validateVolumeAttachmentCreate(object: KubeObject, causes: Causes): void {
  validateVolumeAttachment(object, causes);
  const { attacher, source } = object.spec ?? {};
  if (attacher) validateCsiDriverName(attacher, "spec.attacher", causes);
  if (source?.persistentVolumeName) {
    checkText(isDns1123Subdomain, source.persistentVolumeName, "spec.source.persistentVolumeName", causes);
  }
}

function validateAttachmentStatus(object: KubeObject, causes: Causes): void {
  const status = object.status ?? {};
  const size = entriesOf(status.attachmentMetadata).reduce(
    (sum, [key, value]) => sum + key.length + textOf(value).length,
    0,
  );
  if (size > maxParameterBytes) causes.push(tooLong("status.attachmentMetadata", maxParameterBytes));
  for (const field of ["attachError", "detachError"]) {
    const { message, errorCode } = status[field] ?? {};
    if (textOf(message).length > maxErrorMessageLength)
      causes.push(tooLong(`status.${field}.message`, maxErrorMessageLength));
    if (typeof errorCode === "number" && errorCode < 0) {
      causes.push(invalid(`status.${field}.errorCode`, errorCode, "must be greater than or equal to 0"));
    }
  }
}

function validateCsiDriver(object: KubeObject, causes: Causes): void {
  validateCsiDriverName(object.metadata.name, "name", causes);
  const spec = object.spec ?? {};
  for (const [field, shown] of [
    ["attachRequired", "attachedRequired"],
    ["podInfoOnMount"],
    ["storageCapacity"],
    ["seLinuxMount"],
  ] as const) {
    if (!isSet(spec[field])) causes.push(required(`spec.${shown ?? field}`));
  }
  const policies = ["File", "None", "ReadWriteOnceWithFSType"];
  if (!isSet(spec.fsGroupPolicy)) causes.push(required("spec.fsGroupPolicy"));
  else supportedEnum(spec.fsGroupPolicy, policies, "spec.fsGroupPolicy", causes);
  validateTokenRequests(listOf(spec.tokenRequests), causes);
  for (const mode of listOf(spec.volumeLifecycleModes)) {
    if (mode !== "Persistent" && mode !== "Ephemeral") {
      causes.push(notSupported("spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"]));
    }
  }
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (isSet(period) && period < 10) {
    causes.push(
      invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, "must be greater than or equal to 10 seconds"),
    );
  }
}

function validateTokenRequests(requests: any[], causes: Causes): void {
  const audiences = new Set<string>();
  for (const [index, request] of requests.entries()) {
    const path = `spec.tokenRequests[${index}]`;
    const audience = textOf(request?.audience);
    if (audiences.has(audience)) causes.push(duplicate(`${path}.audience`, audience));
    audiences.add(audience);
    const seconds = request?.expirationSeconds;
    if (!isSet(seconds)) continue;
    const field = `${path}.expirationSeconds`;
    if (seconds < 600) causes.push(invalid(field, seconds, "may not specify a duration less than 10 minutes"));
    if (seconds > 2 ** 32) causes.push(invalid(field, seconds, "may not specify a duration larger than 2^32 seconds"));
  }
}

function validateCsiDriverUpdate(object: KubeObject, previous: KubeObject, causes: Causes): void {
  immutable(object.spec?.attachRequired, previous.spec?.attachRequired, "spec.attachedRequired", causes);
  immutable(
    object.spec?.volumeLifecycleModes,
    previous.spec?.volumeLifecycleModes,
    "spec.volumeLifecycleModes",
    causes,
  );
}

function validateCsiNode(object: KubeObject, causes: Causes): void {
  const names = new Set<string>();
  for (const [index, driver] of listOf(object.spec?.drivers).entries()) {
    const path = `spec.drivers[${index}]`;
    const name = textOf(driver?.name);
    validateCsiDriverName(name, `${path}.name`, causes);
    const id = textOf(driver?.nodeID);
    if (id === "") causes.push(required(`${path}.nodeID`));
    if (id.length > maxNodeIdLength)
      causes.push(invalid(`${path}.nodeID`, id, `must be ${maxNodeIdLength} characters or less`));
    nonnegative(driver?.allocatable?.count, `${path}.allocatable.count`, causes);
    if (names.has(name)) causes.push(duplicate(`${path}.name`, name));
    names.add(name);
    const keys = new Set<string>();
    for (const key of listOf(driver?.topologyKeys).map(textOf)) {
      if (key === "") causes.push(required(path));
      if (keys.has(key)) causes.push(duplicate(path, key));
      keys.add(key);
      for (const text of isLabelKey(key)) causes.push(invalid(path, driver.topologyKeys, text));
    }
  }
}

/** Of a driver's entry only what it can take may change. */
function validateCsiNodeUpdate(object: KubeObject, previous: KubeObject, causes: Causes): void {
  const rest = (driver: any) => ({ ...driver, allocatable: undefined });
  for (const before of listOf(previous.spec?.drivers)) {
    for (const after of listOf(object.spec?.drivers)) {
      if (before?.name === after?.name && !semanticEqual(rest(before), rest(after))) {
        causes.push(invalid("CSINodeDriver", after, "field is immutable"));
      }
    }
  }
}

function validateCsiStorageCapacity(object: KubeObject, causes: Causes): void {
  validateLabelSelector(object["nodeTopology"], "nodeTopology", causes);
  checkText(isDns1123Subdomain, object["storageClassName"], "storageClassName", causes);
  for (const field of ["capacity", "maximumVolumeSize"]) {
    if (isSet(object[field])) validateNonnegativeQuantity(object[field], field, causes);
  }
}

function validateVolumeAttributesClass(object: KubeObject, causes: Causes): void {
  validateProvisioner(object["driverName"], "driverName", causes);
  validateParameters(object["parameters"], false, "parameters", causes);
}

const group = "storage.k8s.io";

export const storageValidators: Validators = {
  [`storageclasses.${group}`]: { create: validateStorageClass, update: validateStorageClassUpdate },
  [`volumeattachments.${group}`]: withStatus(
    {
      create: validateVolumeAttachmentCreate,
      update(object, previous, causes) {
        validateVolumeAttachment(object, causes);
        immutable(object.spec, previous.spec, "spec", causes);
      },
    },
    (object, _previous, causes) => validateAttachmentStatus(object, causes),
  ),
  [`csidrivers.${group}`]: checks(validateCsiDriver, validateCsiDriverUpdate),
  [`csinodes.${group}`]: checks(validateCsiNode, validateCsiNodeUpdate),
  [`csistoragecapacities.${group}`]: checks(validateCsiStorageCapacity, (object, previous, causes) => {
    for (const field of ["nodeTopology", "storageClassName"]) immutable(object[field], previous[field], field, causes);
  }),
  [`volumeattributesclasses.${group}`]: {
    create: validateVolumeAttributesClass,
    update: (object, previous, causes) => unchanged(object, previous, ["driverName", "parameters"], causes),
  },
};
