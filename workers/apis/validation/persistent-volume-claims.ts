import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import {
  checkText,
  dnsSubdomain,
  entriesOf,
  immutable,
  isSet,
  listOf,
  quantityOf,
  qualifiedName,
  supportedEnum,
  textOf,
} from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateAnnotations, validateLabels, validateLabelSelector } from "./label-selector.ts";
import {
  isNativeResource,
  validateBasicQuantity,
  validatePositiveQuantity,
  validateResourceQuantity,
} from "./resource-names.ts";

export const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeModes = ["Block", "Filesystem"];
const betaStorageClass = "volume.beta.kubernetes.io/storage-class";

/** The most exclusive mode stands alone. */
export function validateAccessModes(modes: any[], path: string, causes: Causes): void {
  for (const mode of modes) if (!accessModes.includes(mode)) causes.push(notSupported(path, textOf(mode), accessModes));
  const exclusive = modes.includes("ReadWriteOncePod");
  if (exclusive && modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode))) {
    causes.push(forbidden(path, "may not use ReadWriteOncePod with other access modes"));
  }
}

/** Mirrors ValidatePersistentVolumeClaimSpec of pkg/apis/core/validation (1.36). */
export function validateClaimSpec(spec: any, path: string, causes: Causes, previous?: any): void {
  const modes = listOf(spec.accessModes);
  if (modes.length === 0) causes.push(required(`${path}.accessModes`, "at least 1 access mode is required"));
  validateLabelSelector(spec.selector, `${path}.selector`, causes);
  validateAccessModes(modes, `${path}.accessModes`, causes);
  const storage = spec.resources?.requests?.storage;
  if (!isSet(storage)) causes.push(required(`${path}.resources[storage]`));
  else if (validatePositiveQuantity(storage, `${path}.resources[storage]`, causes)) {
    validateResourceQuantity("storage", quantityOf(storage), `${path}.resources[storage]`, causes);
  }
  if (spec.storageClassName) dnsSubdomain(spec.storageClassName, `${path}.storageClassName`, causes);
  if (isSet(spec.volumeMode)) supportedEnum(spec.volumeMode, volumeModes, `${path}.volumeMode`, causes);
  const anyGroup = isSet(previous?.dataSource?.apiGroup) || isSet(previous?.dataSourceRef?.apiGroup);
  const { dataSource, dataSourceRef } = spec;
  if (dataSource) validateDataSource(dataSource, anyGroup, `${path}.dataSource`, causes);
  if (dataSourceRef) {
    validateDataSource(dataSourceRef, anyGroup, `${path}.dataSourceRef`, causes);
    if (dataSourceRef.namespace)
      checkText(isDns1123Label, dataSourceRef.namespace, `${path}.dataSourceRef.namespace`, causes);
  }
  if (dataSource && dataSourceRef) {
    if (dataSourceRef.namespace) {
      causes.push(
        invalid(path, `${path}.dataSource`, "may not be specified when dataSourceRef.namespace is specified"),
      );
    } else if (
      (dataSource.apiGroup ?? undefined) !== (dataSourceRef.apiGroup ?? undefined) ||
      dataSource.kind !== dataSourceRef.kind ||
      dataSource.name !== dataSourceRef.name
    ) {
      causes.push(invalid(path, `${path}.dataSource`, "must match dataSourceRef"));
    }
  }
  if (spec.volumeAttributesClassName) {
    dnsSubdomain(spec.volumeAttributesClassName, `${path}.volumeAttributesClassName`, causes);
  }
}

function validateDataSource(source: any, anyGroup: boolean, path: string, causes: Causes): void {
  if (!source.name) causes.push(required(`${path}.name`));
  if (!source.kind) causes.push(required(`${path}.kind`));
  const group = textOf(source.apiGroup);
  if (!group && source.kind !== "PersistentVolumeClaim") {
    causes.push(
      invalid(path, textOf(source.kind), "must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
    );
  }
  if (group && !anyGroup) checkText(isDns1123Subdomain, group, `${path}.apiGroup`, causes);
}

const templateMetadata = new Set(["labels", "annotations"]);

/** Mirrors ValidatePersistentVolumeClaimTemplate. */
export function validateClaimTemplate(template: any, path: string, causes: Causes): void {
  const metadata = template.metadata ?? {};
  validateAnnotations(metadata.annotations, `${path}.metadata.annotations`, causes);
  validateLabels(metadata.labels, `${path}.metadata.labels`, causes);
  for (const [field, value] of entriesOf(metadata)) {
    if (!templateMetadata.has(field) && isSet(value))
      causes.push(forbidden(`${path}.metadata.${field}`, "cannot be set"));
  }
  validateClaimSpec(template.spec ?? {}, `${path}.spec`, causes);
}

export function validateClaim(claim: KubeObject, causes: Causes): void {
  validateClaimSpec(claim.spec ?? {}, "spec", causes);
}

/** Mirrors ValidatePersistentVolumeClaimUpdate: a bound claim may grow and change its attributes class. */
export function validateClaimUpdate(claim: KubeObject, previous: KubeObject, causes: Causes): void {
  const spec = claim.spec ?? {};
  const before = previous.spec ?? {};
  validateClaimSpec(spec, "spec", causes, before);
  const bound = claim.status?.phase === "Bound";
  const munged = { ...spec };
  if (!before.volumeName) munged.volumeName = before.volumeName;
  const annotation = claim.metadata.annotations?.[betaStorageClass] ?? "";
  const annotationBefore = previous.metadata.annotations?.[betaStorageClass];
  if (annotation !== (annotationBefore ?? "")) {
    causes.push(invalid(`metadata.annotations.${betaStorageClass}`, annotation, "field is immutable"));
  }
  if (!isSet(before.storageClassName) && isSet(spec.storageClassName)) {
    if (annotationBefore === undefined || annotationBefore === spec.storageClassName) delete munged.storageClassName;
  }
  if (bound && munged.resources?.requests) {
    const requests = { ...munged.resources.requests, storage: before.resources?.requests?.storage };
    munged.resources = { ...munged.resources, requests };
  }
  if (bound && isSet(munged.volumeAttributesClassName)) {
    munged.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  if (!semanticEqual(munged, before)) {
    causes.push(
      forbidden(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n",
      ),
    );
  }
  const size = quantityOf(spec.resources?.requests?.storage ?? "0");
  if (size.cmp(quantityOf(before.resources?.requests?.storage ?? "0")) < 0) {
    if (size.cmp(quantityOf(previous.status?.capacity?.storage ?? "0")) <= 0) {
      causes.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
    }
  }
  immutable(spec.volumeMode, before.volumeMode, "volumeMode", causes);
  validateAttributesClassUpdate(spec, before, causes);
}

function validateAttributesClassUpdate(spec: any, before: any, causes: Causes): void {
  if (!isSet(before.volumeAttributesClassName)) return;
  if (!isSet(spec.volumeAttributesClassName)) {
    causes.push(forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"));
  } else if (spec.volumeAttributesClassName === "" && before.volumeAttributesClassName !== "") {
    causes.push(
      forbidden("spec.volumeAttributesClassName", "update from non-nil value to an empty string is forbidden"),
    );
  }
}

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
].sort();

/** Mirrors ValidatePersistentVolumeClaimStatusUpdate. */
export function validateClaimStatusUpdate(claim: KubeObject, _previous: KubeObject, causes: Causes): void {
  const status = claim.status ?? {};
  if (listOf(claim.spec?.accessModes).length === 0) causes.push(required("Spec.accessModes"));
  for (const [name, amount] of entriesOf(status.capacity))
    validateBasicQuantity(amount, `status.capacity[${name}]`, causes);
  for (const [name, value] of entriesOf(status.allocatedResourceStatuses)) {
    validateClaimResourceName(name, "status.allocatedResourceStatus", causes);
    if (!resizeStatuses.includes(value))
      causes.push(notSupported("status.allocatedResourceStatus", name, resizeStatuses));
  }
  for (const [name, amount] of entriesOf(status.allocatedResources)) {
    if (!validateClaimResourceName(name, "status.allocatedResources", causes)) continue;
    const field = `status.allocatedResources[${name}]`;
    if (validateBasicQuantity(amount, field, causes))
      validateResourceQuantity("storage", quantityOf(amount), field, causes);
  }
}

function validateClaimResourceName(name: string, path: string, causes: Causes): boolean {
  const before = causes.length;
  qualifiedName(name, path, causes);
  if (causes.length === before && isNativeResource(name) && name !== "storage") {
    causes.push(notSupported(path, name, ["storage"]));
  }
  return causes.length === before;
}
