import { forbidden, invalid, notSupported, required, tooLong } from "../../apimachinery/field-error.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import { dnsLabel, dnsSubdomain, entriesOf, isSet, listOf, numberOf, supportedEnum, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validatePathNoBacksteps } from "./paths.ts";

/**
 * Sources that pods' volumes and persistent volumes share. `owner` is the name of the volume. Mirrors the volume source
 * checks of pkg/apis/core/validation (1.36).
 */
export type SourceCheck = (source: any, path: string, causes: Causes, owner: string) => void;

/** Fields that must be there, in order. */
export function requires(...fields: string[]): SourceCheck {
  return (source, path, causes) => {
    for (const field of fields) {
      const value = source[field];
      if (!value || (Array.isArray(value) && value.length === 0)) causes.push(required(`${path}.${field}`));
    }
  };
}

/** The first source that is given is checked, each further one refused. Returns how many there are. */
export function validateOneSource(
  volume: any,
  table: readonly VolumeSource[],
  path: string,
  owner: string,
  causes: Causes,
): number {
  let count = 0;
  for (const source of table) {
    const value = volume[source.field];
    if (!isSet(value)) continue;
    if (count > 0 && !source.shares) {
      causes.push(forbidden(`${path}.${source.refusedAs ?? source.field}`, "may not specify more than 1 volume type"));
      continue;
    }
    count++;
    source.check(value, `${path}.${source.checkedAs ?? source.field}`, causes, owner);
  }
  return count;
}

/** `checkedAs`, `refusedAs`: upstream's path where it is not the field's name. */
export interface VolumeSource {
  field: string;
  check: SourceCheck;
  checkedAs?: string;
  refusedAs?: string;
  shares?: true;
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export const hostPath: SourceCheck = (source, path, causes) => {
  if (!source.path) return void causes.push(required(`${path}.path`));
  validatePathNoBacksteps(source.path, `${path}.path`, causes);
  if (isSet(source.type)) supportedEnum(source.type, hostPathTypes, `${path}.type`, causes);
};

function partitioned(field: string): SourceCheck {
  return (source, path, causes) => {
    if (!source[field]) causes.push(required(`${path}.${field}`));
    const partition = numberOf(source.partition);
    if (partition < 0 || partition > 255) {
      causes.push(invalid(`${path}.partition`, partition, "must be between 1 and 255, inclusive"));
    }
  };
}

export const gcePersistentDisk = partitioned("pdName");
export const awsElasticBlockStore = partitioned("volumeID");

export const nfs: SourceCheck = (source, path, causes) => {
  requires("server", "path")(source, path, causes, "");
  if (!textOf(source.path).startsWith("/")) {
    causes.push(invalid(`${path}.path`, textOf(source.path), "must be an absolute path"));
  }
};

export const flocker: SourceCheck = (source, path, causes) => {
  const { datasetName, datasetUUID } = source;
  if (!datasetName && !datasetUUID) causes.push(required(path, "one of datasetName and datasetUUID is required"));
  if (datasetName && datasetUUID) {
    causes.push(invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
  }
  if (textOf(datasetName).includes("/"))
    causes.push(invalid(`${path}.datasetName`, datasetName, "must not contain '/'"));
};

const hostPortDetail = "must be a host:port pair or multiple pairs separated by commas";

export const quobyte: SourceCheck = (source, path, causes) => {
  if (!source.registry) causes.push(required(`${path}.registry`, hostPortDetail));
  else if (textOf(source.tenant).length >= 65) {
    causes.push(required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters"));
  } else {
    for (const pair of source.registry.split(",")) {
      if (!/^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair))
        causes.push(invalid(`${path}.registry`, source.registry, hostPortDetail));
    }
  }
  if (!source.volume) causes.push(required(`${path}.volume`));
};

export const fibreChannel: SourceCheck = (source, path, causes) => {
  const targets = listOf(source.targetWWNs);
  const ids = listOf(source.wwids);
  if (targets.length === 0 && ids.length === 0) {
    causes.push(required(`${path}.targetWWNs`, "must specify either targetWWNs or wwids, but not both"));
  }
  if (targets.length > 0 && ids.length > 0) {
    causes.push(invalid(`${path}.targetWWNs`, targets, "targetWWNs and wwids can not be specified simultaneously"));
  }
  if (targets.length === 0) return;
  if (!isSet(source.lun)) causes.push(required(`${path}.lun`, "lun is required if targetWWNs is specified"));
  else checkLun(source.lun, path, causes);
};

function checkLun(lun: number, path: string, causes: Causes): void {
  if (lun < 0 || lun > 255) causes.push(invalid(`${path}.lun`, lun, "must be between 0 and 255, inclusive"));
}

export const flexVolume: SourceCheck = (source, path, causes) => {
  if (!source.driver) causes.push(required(`${path}.driver`));
  for (const [key] of entriesOf(source.options)) {
    const namespace = `.${key.split("/", 1)[0]!.toLowerCase()}`;
    if (
      key.includes("/")
        ? /\.(kubernetes|k8s)\.io$/.test(namespace)
        : /\.(kubernetes|k8s)\.io$/.test(`.${key.toLowerCase()}`)
    ) {
      causes.push(invalid(`${path}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved"));
    }
  }
};

export const azureDisk: SourceCheck = (source, path, causes) => {
  requires("diskName", "diskURI")(source, path, causes, "");
  if (isSet(source.cachingMode)) {
    supportedEnum(source.cachingMode, ["None", "ReadOnly", "ReadWrite"], `${path}.cachingMode`, causes);
  }
  if (!isSet(source.kind)) return;
  supportedEnum(source.kind, ["Dedicated", "Managed", "Shared"], `${path}.kind`, causes);
  const uri = textOf(source.diskURI);
  if (source.kind === "Managed" && !uri.startsWith("/subscriptions/")) {
    causes.push(
      notSupported(`${path}.diskURI`, uri, [
        "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
      ]),
    );
  }
  if (source.kind !== "Managed" && !uri.startsWith("https://")) {
    causes.push(
      notSupported(`${path}.diskURI`, uri, [
        "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
      ]),
    );
  }
};

const targetTooLong =
  "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";

/** In persistent volumes the texts differ a little. */
export function iscsi(persistent: boolean): SourceCheck {
  const startsWrong = persistent ? "must be valid format" : "must be valid format starting with iqn, eui, or naa";
  return (source, path, causes, owner) => {
    if (!source.targetPortal) causes.push(required(`${path}.targetPortal`));
    const tooLongTarget = isSet(source.initiatorName) && `${owner}:${textOf(source.targetPortal)}`.length > 64;
    if (persistent && tooLongTarget)
      causes.push(invalid(`${path}.targetportal`, textOf(source.targetPortal), targetTooLong));
    if (!source.iqn) causes.push(required(`${path}.iqn`));
    else checkIscsiName(source.iqn, startsWrong, `${path}.iqn`, causes);
    checkLun(numberOf(source.lun), path, causes);
    if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef)
      causes.push(required(`${path}.secretRef`));
    if (persistent && source.secretRef && !source.secretRef.name) causes.push(required(`${path}.secretRef.name`));
    if (isSet(source.initiatorName)) checkIscsiName(source.initiatorName, startsWrong, `${path}.initiatorname`, causes);
    if (!persistent && tooLongTarget) {
      causes.push(invalid(`${path.slice(0, path.lastIndexOf("."))}.name`, owner, targetTooLong));
    }
  };
}

function checkIscsiName(name: string, startsWrong: string, path: string, causes: Causes): void {
  const form = name.startsWith("iqn")
    ? /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/
    : name.startsWith("eui")
      ? /^eui.[A-Za-z0-9]{16}$/
      : name.startsWith("naa")
        ? /^naa.[A-Za-z0-9]{32}$/
        : undefined;
  if (form === undefined) causes.push(invalid(path, name, startsWrong));
  else if (!form.test(name)) causes.push(invalid(path, name, "must be valid format"));
}

export function secretRef(withNamespace: boolean): SourceCheck {
  return (source, path, causes) => {
    if (!source.secretRef) return;
    if (!source.secretRef.name) causes.push(required(`${path}.secretRef.name`));
    if (withNamespace && !source.secretRef.namespace) causes.push(required(`${path}.secretRef.namespace`));
  };
}

export function storageos(persistent: boolean): SourceCheck {
  return (source, path, causes, owner) => {
    if (!source.volumeName) causes.push(required(`${path}.volumeName`));
    else dnsLabel(source.volumeName, `${path}.volumeName`, causes);
    if (source.volumeNamespace) dnsLabel(source.volumeNamespace, `${path}.volumeNamespace`, causes);
    secretRef(persistent)(source, path, causes, owner);
  };
}

/** Both checks, in order. */
export function both(first: SourceCheck, second: SourceCheck): SourceCheck {
  return (source, path, causes, owner) => {
    first(source, path, causes, owner);
    second(source, path, causes, owner);
  };
}

export function validateCsiDriverName(name: unknown, path: string, causes: Causes): void {
  const driver = textOf(name);
  if (driver === "") causes.push(required(path));
  if (driver.length > 63) causes.push(tooLong(path, 63));
  for (const text of isDns1123Subdomain(driver.toLowerCase())) causes.push(invalid(path, driver, text));
}

const csiSecretRefs = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
];

export const persistentCsi: SourceCheck = (source, path, causes) => {
  validateCsiDriverName(source.driver, `${path}.driver`, causes);
  if (!source.volumeHandle) causes.push(required(`${path}.volumeHandle`));
  for (const field of csiSecretRefs) {
    const ref = source[field];
    if (!ref) continue;
    if (!ref.name) causes.push(required(`${path}.${field}.name`));
    else dnsSubdomain(ref.name, `${path}.${field}.name`, causes);
    if (!ref.namespace) causes.push(required(`${path}.${field}.namespace`));
    else dnsLabel(ref.namespace, `${path}.${field}.namespace`, causes);
  }
};

export const persistentGlusterfs: SourceCheck = (source, path, causes) => {
  requires("endpoints", "path")(source, path, causes, "");
  const namespace = source.endpointsNamespace;
  if (!isSet(namespace)) return;
  const field = `${path}.endpointsNamespace`;
  if (namespace === "") {
    causes.push(invalid(field, namespace, "if the endpointnamespace is set, it must be a valid namespace name"));
  } else for (const text of isDns1123Label(namespace)) causes.push(invalid(field, namespace, text));
};

export const persistentAzureFile: SourceCheck = (source, path, causes) => {
  requires("secretName", "shareName")(source, path, causes, "");
  if (source.secretNamespace === "") causes.push(required(`${path}.secretNamespace`));
};

export const local: SourceCheck = (source, path, causes) => {
  if (!source.path) return void causes.push(required(`${path}.path`));
  validatePathNoBacksteps(source.path, `${path}.path`, causes);
};
