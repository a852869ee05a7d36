import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { validateNodeSelector } from "./affinity.ts";
import { dnsSubdomain, entriesOf, immutable, isSet, listOf, sortedMap, supportedEnum } from "./checks.ts";
import type { Causes } from "./checks.ts";
import {
  awsElasticBlockStore,
  azureDisk,
  both,
  fibreChannel,
  flexVolume,
  flocker,
  gcePersistentDisk,
  hostPath,
  iscsi,
  local,
  nfs,
  persistentAzureFile,
  persistentCsi,
  persistentGlusterfs,
  quobyte,
  requires,
  secretRef,
  storageos,
  validateOneSource,
} from "./disk-sources.ts";
import type { VolumeSource } from "./disk-sources.ts";
import { validateAccessModes, volumeModes } from "./persistent-volume-claims.ts";
import { validateBasicQuantity, validatePositiveQuantity } from "./resource-names.ts";

const sources: readonly VolumeSource[] = [
  { field: "hostPath", check: hostPath },
  { field: "gcePersistentDisk", check: gcePersistentDisk, checkedAs: "persistentDisk" },
  { field: "awsElasticBlockStore", check: awsElasticBlockStore },
  { field: "glusterfs", check: persistentGlusterfs },
  { field: "flocker", check: flocker },
  { field: "nfs", check: nfs },
  { field: "rbd", check: requires("monitors", "image") },
  { field: "quobyte", check: quobyte },
  { field: "cephfs", check: requires("monitors"), refusedAs: "cephFS" },
  { field: "iscsi", check: iscsi(true) },
  { field: "cinder", check: both(requires("volumeID"), secretRef(true)) },
  { field: "fc", check: fibreChannel },
  { field: "flexVolume", check: flexVolume, shares: true },
  { field: "azureFile", check: persistentAzureFile },
  { field: "vsphereVolume", check: requires("volumePath") },
  { field: "photonPersistentDisk", check: requires("pdID") },
  { field: "portworxVolume", check: requires("volumeID") },
  { field: "azureDisk", check: azureDisk },
  { field: "scaleIO", check: requires("gateway", "system", "volumeName") },
  { field: "local", check: local },
  { field: "storageos", check: storageos(true) },
  { field: "csi", check: persistentCsi },
];

const reclaimPolicies = ["Delete", "Recycle", "Retain"];

/** Mirrors ValidatePersistentVolumeSpec of pkg/apis/core/validation (1.36). */
export function validatePersistentVolume(volume: KubeObject, causes: Causes): void {
  const spec = volume.spec ?? {};
  const modes = listOf(spec.accessModes);
  if (modes.length === 0) causes.push(required("spec.accessModes"));
  validateAccessModes(modes, "spec.accessModes", causes);
  validateCapacity(spec.capacity ?? {}, causes);
  if (spec.persistentVolumeReclaimPolicy) {
    supportedEnum(spec.persistentVolumeReclaimPolicy, reclaimPolicies, "spec.persistentVolumeReclaimPolicy", causes);
  }
  if (spec.nodeAffinity) {
    const { required: selector } = spec.nodeAffinity;
    if (selector) validateNodeSelector(selector, "spec.nodeAffinity.required", causes);
    else causes.push(required("spec.nodeAffinity.required", "must specify required node constraints"));
  }
  const count = validateOneSource(spec, sources, "spec", volume.metadata.name ?? "", causes);
  if (spec.local && count === 1 && !spec.nodeAffinity) {
    causes.push(required("spec.nodeAffinity", "Local volume requires node affinity"));
  }
  if (count === 0) causes.push(required("spec", "must specify a volume type"));
  const root = spec.hostPath?.path !== undefined && /^\/+(\.?\/*)*$/.test(spec.hostPath.path);
  if (root && spec.persistentVolumeReclaimPolicy === "Recycle") {
    causes.push(forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'"));
  }
  if (spec.storageClassName) dnsSubdomain(spec.storageClassName, "spec.storageClassName", causes);
  if (isSet(spec.volumeMode)) supportedEnum(spec.volumeMode, volumeModes, "spec.volumeMode", causes);
  if (isSet(spec.volumeAttributesClassName)) {
    if (spec.volumeAttributesClassName === "") {
      causes.push(required("spec.volumeAttributesClassName", "an empty string is disallowed"));
    } else dnsSubdomain(spec.volumeAttributesClassName, "spec.volumeAttributesClassName", causes);
    if (!spec.csi) causes.push(required("spec.csi", "has to be specified when using volumeAttributesClassName"));
  }
}

function validateCapacity(capacity: Record<string, unknown>, causes: Causes): void {
  const entries = entriesOf(capacity);
  if (entries.length === 0) causes.push(required("spec.capacity"));
  if (capacity["storage"] === undefined || entries.length > 1) {
    causes.push(notSupported("spec.capacity", sortedMap(capacity), ["storage"]));
  }
  for (const [name, amount] of entries) {
    validateBasicQuantity(amount, `spec.capacity[${name}]`, causes);
    validatePositiveQuantity(amount, `spec.capacity[${name}]`, causes);
  }
}

/** Beta labels that a node affinity may replace by their stable form. */
const stableLabels: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

/** Mirrors ValidatePersistentVolumeUpdate. The difference that upstream prints is in Go's notation and left out. */
export function validatePersistentVolumeUpdate(volume: KubeObject, previous: KubeObject, causes: Causes): void {
  validatePersistentVolume(volume, causes);
  const spec = volume.spec ?? {};
  const before = previous.spec ?? {};
  for (const { field } of sources) {
    let source = spec[field];
    if (field === "csi" && source && before.csi && !before.csi.controllerExpandSecretRef) {
      source = { ...source, controllerExpandSecretRef: undefined };
    }
    if (!semanticEqual(source, before[field])) {
      causes.push(
        forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation\n"),
      );
      break;
    }
  }
  immutable(spec.volumeMode, before.volumeMode, "volumeMode", causes);
  if (
    before.nodeAffinity &&
    !semanticEqual(spec.nodeAffinity, withStableLabels(spec.nodeAffinity, before.nodeAffinity))
  ) {
    causes.push(
      invalid("nodeAffinity", spec.nodeAffinity, "field is immutable, except for updating from beta label to GA"),
    );
  }
  if (isSet(before.volumeAttributesClassName) && !isSet(spec.volumeAttributesClassName)) {
    causes.push(forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"));
  }
}

/** `before` with each beta key that `affinity` has in its stable form replaced. */
function withStableLabels(affinity: any, before: any): any {
  const terms = listOf(affinity?.required?.nodeSelectorTerms);
  const rename = (requirement: any, other: any) =>
    other !== undefined && other.key !== requirement.key && stableLabels[requirement.key] === other.key
      ? { ...requirement, key: other.key }
      : requirement;
  return {
    ...before,
    required: before.required && {
      ...before.required,
      nodeSelectorTerms: listOf(before.required.nodeSelectorTerms).map((term, index) => ({
        ...term,
        matchExpressions: listOf(term.matchExpressions).map((requirement, at) =>
          rename(requirement, listOf(terms[index]?.matchExpressions)[at]),
        ),
      })),
    },
  };
}
