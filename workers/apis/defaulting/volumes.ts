import { defaultPullPolicy } from "./image-tag.ts";
import { each, setDefault, type Json } from "./set-default.ts";
import { defaultResourceRequirements } from "./resources.ts";

const fileMode = 0o644;

/** Defaults of a pod's volume. Mirrors SetDefaults_Volume and its sources of pkg/apis/core/v1/defaults.go (1.36). */
export function defaultVolume(volume: Json): void {
  if (Object.keys(volume).every((field) => field === "name" || volume[field] === undefined || volume[field] === null)) {
    volume["emptyDir"] = {};
  }
  if (volume["image"]) setDefault(volume["image"], "pullPolicy", defaultPullPolicy(volume["image"].reference ?? ""));
  for (const source of ["secret", "configMap", "projected", "downwardAPI"]) {
    if (volume[source]) setDefault(volume[source], "defaultMode", fileMode);
  }
  each(volume["downwardAPI"]?.items, defaultFieldRef);
  each(volume["projected"]?.sources, (source) => {
    each(source["downwardAPI"]?.items, defaultFieldRef);
    if (source["serviceAccountToken"]) setDefault(source["serviceAccountToken"], "expirationSeconds", 3600);
  });
  defaultSharedSources(volume);
  if (volume["ephemeral"]?.volumeClaimTemplate?.spec) defaultClaimSpec(volume["ephemeral"].volumeClaimTemplate.spec);
}

/** Sources that pods' volumes and persistent volumes have in common. */
export function defaultSharedSources(volume: Json): void {
  if (volume["hostPath"]) volume["hostPath"].type ??= "";
  if (volume["iscsi"]) setDefault(volume["iscsi"], "iscsiInterface", "default");
  if (volume["rbd"]) {
    setDefault(volume["rbd"], "pool", "rbd");
    setDefault(volume["rbd"], "user", "admin");
    setDefault(volume["rbd"], "keyring", "/etc/ceph/keyring");
  }
  if (volume["azureDisk"]) {
    setDefault(volume["azureDisk"], "cachingMode", "ReadWrite");
    setDefault(volume["azureDisk"], "kind", "Shared");
    setDefault(volume["azureDisk"], "fsType", "ext4");
    setDefault(volume["azureDisk"], "readOnly", false);
  }
  if (volume["scaleIO"]) {
    setDefault(volume["scaleIO"], "storageMode", "ThinProvisioned");
    setDefault(volume["scaleIO"], "fsType", "xfs");
  }
}

export function defaultClaimSpec(spec: Json): void {
  setDefault(spec, "volumeMode", "Filesystem");
  defaultResourceRequirements(spec["resources"]);
}

/** An entry that may have a `fieldRef`. */
export function defaultFieldRef(entry: Json): void {
  if (entry["fieldRef"]) setDefault(entry["fieldRef"], "apiVersion", "v1");
}
