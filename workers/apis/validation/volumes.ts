import { duplicate, forbidden, invalid, required } from "../../apimachinery/field-error.ts";
import { isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import { dnsLabel, dnsSubdomain, isSet, listOf, quantityOf, requiredEnum, textOf } from "./checks.ts";
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
  nfs,
  quobyte,
  requires,
  secretRef,
  storageos,
  validateCsiDriverName,
  validateOneSource,
} from "./disk-sources.ts";
import type { SourceCheck, VolumeSource } from "./disk-sources.ts";
import { validateLocalDescendingPath } from "./paths.ts";
import { validateClaimTemplate } from "./persistent-volume-claims.ts";
import { projected } from "./projected-volume.ts";
import { validateDownwardFile, validateFileMode, validateKeyToPath } from "./volume-files.ts";

export const pullPolicies = ["Always", "IfNotPresent", "Never"];

/** Of a pod's volume: the metadata that a real pod has, undefined in templates. */
export interface PodContext {
  isPod: boolean;
  name: string;
}

function keyed(nameField: string): SourceCheck {
  return (source, path, causes) => {
    if (!source[nameField]) causes.push(required(`${path}.${nameField}`));
    validateFileMode(source.defaultMode, `${path}.defaultMode`, causes);
    for (const [index, item] of listOf(source.items).entries())
      validateKeyToPath(item, `${path}.items[${index}]`, causes);
  };
}

const emptyDir: SourceCheck = (source, path, causes) => {
  if (isSet(source.sizeLimit) && quantityOf(source.sizeLimit).sign() < 0) {
    causes.push(forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity"));
  }
};

const gitRepo: SourceCheck = (source, path, causes) => {
  if (!source.repository) causes.push(required(`${path}.repository`));
  validateLocalDescendingPath(textOf(source.directory), `${path}.directory`, causes);
};

/** Files are reported at the volume's path, as upstream does. */
const downwardAPI: SourceCheck = (source, path, causes) => {
  validateFileMode(source.defaultMode, `${path}.defaultMode`, causes);
  for (const file of listOf(source.items)) validateDownwardFile(file, path, causes);
};

const csi: SourceCheck = (source, path, causes) => {
  validateCsiDriverName(source.driver, `${path}.driver`, causes);
  if (!source.nodePublishSecretRef) return;
  const { name } = source.nodePublishSecretRef;
  if (!name) causes.push(required(`${path}.nodePublishSecretRef.name`));
  else dnsSubdomain(name, `${path}.name`, causes);
};

const ephemeral: SourceCheck = (source, path, causes) => {
  if (!source.volumeClaimTemplate) causes.push(required(`${path}.volumeClaimTemplate`));
  else validateClaimTemplate(source.volumeClaimTemplate, `${path}.volumeClaimTemplate`, causes);
};

const image: SourceCheck = (source, path, causes) =>
  requiredEnum(source.pullPolicy, pullPolicies, `${path}.pullPolicy`, causes);

const sources: readonly VolumeSource[] = [
  { field: "emptyDir", check: emptyDir },
  { field: "hostPath", check: hostPath },
  { field: "gitRepo", check: gitRepo },
  { field: "gcePersistentDisk", check: gcePersistentDisk, checkedAs: "persistentDisk" },
  { field: "awsElasticBlockStore", check: awsElasticBlockStore },
  { field: "secret", check: keyed("secretName") },
  { field: "nfs", check: nfs },
  { field: "iscsi", check: iscsi(false) },
  { field: "glusterfs", check: requires("endpoints", "path") },
  { field: "flocker", check: flocker },
  { field: "persistentVolumeClaim", check: requires("claimName") },
  { field: "rbd", check: requires("monitors", "image") },
  { field: "cinder", check: both(requires("volumeID"), secretRef(false)) },
  { field: "cephfs", check: requires("monitors"), refusedAs: "cephFS" },
  { field: "quobyte", check: quobyte },
  { field: "downwardAPI", check: downwardAPI, refusedAs: "downwarAPI" },
  { field: "fc", check: fibreChannel },
  { field: "flexVolume", check: flexVolume },
  { field: "configMap", check: keyed("name") },
  { field: "azureFile", check: requires("secretName", "shareName") },
  { field: "vsphereVolume", check: requires("volumePath") },
  { field: "photonPersistentDisk", check: requires("pdID") },
  { field: "portworxVolume", check: requires("volumeID") },
  { field: "azureDisk", check: azureDisk },
  { field: "storageos", check: storageos(false) },
  { field: "projected", check: projected },
  { field: "scaleIO", check: requires("gateway", "system", "volumeName") },
  { field: "csi", check: csi },
  { field: "ephemeral", check: ephemeral },
  { field: "image", check: image },
];

/**
 * The volumes of a pod or template; the result has the valid ones by name. Mirrors ValidateVolumes of
 * pkg/apis/core/validation (1.36).
 */
export function validateVolumes(volumes: any[], pod: PodContext, path: string, causes: Causes): Map<string, any> {
  const valid = new Map<string, any>();
  const createdClaims = pod.isPod && pod.name ? claimsToCreate(volumes, pod.name) : undefined;
  for (let index = 0; index < volumes.length; index++) {
    const volume = volumes[index];
    const field = `${path}[${index}]`;
    const before = causes.length;
    const name = textOf(volume.name);
    if (validateOneSource(volume, sources, field, name, causes) === 0) {
      causes.push(required(field, "must specify a volume type"));
    }
    if (volume.ephemeral && pod.isPod && pod.name && name) {
      const claim = `${pod.name}-${name}`;
      for (const text of isDns1123Subdomain(claim))
        causes.push(invalid(`${field}.name`, name, `PVC name "${claim}": ${text}`));
    }
    if (volume.image && pod.isPod && !volume.image.reference) causes.push(required(`${field}.image.reference`));
    if (!name) causes.push(required(`${field}.name`));
    else dnsLabel(name, `${field}.name`, causes);
    if (valid.has(name)) causes.push(duplicate(`${field}.name`, name));
    if (causes.length === before) valid.set(name, volume);
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (claimName && createdClaims?.has(claimName)) {
      causes.push(
        invalid(
          `${field}.persistentVolumeClaim.claimName`,
          claimName,
          "must not reference a PVC that gets created for an ephemeral volume",
        ),
      );
    }
  }
  return valid;
}

function claimsToCreate(volumes: any[], podName: string): Set<string> {
  return new Set(volumes.filter((volume) => volume.ephemeral).map((volume) => `${podName}-${volume.name}`));
}
