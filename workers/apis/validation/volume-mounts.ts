import { forbidden, invalid, notFound, notSupported, required } from "../../apimachinery/field-error.ts";
import { isSet, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateLocalDescendingPath, validatePathNoBacksteps } from "./paths.ts";

/** Mirrors ValidateVolumeMounts and ValidateVolumeDevices of pkg/apis/core/validation (1.36). */
export function validateVolumeMounts(
  container: any,
  volumes: ReadonlyMap<string, any>,
  path: string,
  causes: Causes,
): void {
  const mounts = listOf(container.volumeMounts);
  const devices = listOf(container.volumeDevices);
  const seen = new Set<unknown>();
  for (let index = 0; index < mounts.length; index++) {
    const mount = mounts[index];
    const field = `${path}[${index}]`;
    const name = textOf(mount.name);
    if (!name) causes.push(required(`${field}.name`));
    if (!volumes.has(name)) causes.push(notFound(`${field}.name`, name));
    if (!mount.mountPath) causes.push(required(`${field}.mountPath`));
    if (seen.has(mount.mountPath))
      causes.push(invalid(`${field}.mountPath`, textOf(mount.mountPath), "must be unique"));
    seen.add(mount.mountPath);
    if (devices.length > 0) {
      if (devices.some((device) => device.name === mount.name)) {
        causes.push(invalid(`${field}.name`, name, "must not already exist in volumeDevices"));
      }
      if (devices.some((device) => device.devicePath === mount.mountPath)) {
        causes.push(
          invalid(`${field}.mountPath`, mount.mountPath, "must not already exist as a path in volumeDevices"),
        );
      }
    }
    if (mount.subPath || mount.subPathExpr) validateSubPaths(mount, volumes.get(name), path, field, causes);
    if (isSet(mount.mountPropagation))
      validateMountPropagation(mount.mountPropagation, container, `${path}.mountPropagation`, causes);
    if (isSet(mount.recursiveReadOnly)) validateRecursiveReadOnly(mount, `${path}.recursiveReadOnly`, causes);
  }
}

/** `path` is the list's, at which upstream reports what is wrong with the form of a sub path. */
function validateSubPaths(mount: any, volume: any, path: string, field: string, causes: Causes): void {
  const { subPath, subPathExpr } = mount;
  if (volume?.image) {
    if (subPath) causes.push(invalid(`${field}.subPath`, subPath, "not allowed in image volume sources"));
    if (subPathExpr) causes.push(invalid(`${field}.subPathExpr`, subPathExpr, "not allowed in image volume sources"));
  }
  if (subPath) validateLocalDescendingPath(subPath, `${path}.subPath`, causes);
  if (subPathExpr) {
    if (subPath)
      causes.push(invalid(`${field}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive"));
    validateLocalDescendingPath(subPathExpr, `${path}.subPathExpr`, causes);
  }
}

const propagations = ["Bidirectional", "HostToContainer", "None"];

function validateMountPropagation(mode: string, container: any, path: string, causes: Causes): void {
  if (!propagations.includes(mode)) causes.push(notSupported(path, mode, propagations));
  if (mode === "Bidirectional" && !container.securityContext?.privileged) {
    causes.push(forbidden(path, "Bidirectional mount propagation is available only to privileged containers"));
  }
}

function validateRecursiveReadOnly(mount: any, path: string, causes: Causes): void {
  switch (mount.recursiveReadOnly) {
    case "Disabled":
      return;
    case "Enabled":
    case "IfPossible":
      if (!mount.readOnly) causes.push(forbidden(path, "may only be specified when readOnly is true"));
      if (isSet(mount.mountPropagation) && mount.mountPropagation !== "None") {
        causes.push(forbidden(path, "may only be specified when mountPropagation is None or not specified"));
      }
      return;
    default:
      causes.push(notSupported(path, mount.recursiveReadOnly, ["Disabled", "Enabled", "IfPossible"]));
  }
}

export function validateVolumeDevices(
  container: any,
  volumes: ReadonlyMap<string, any>,
  path: string,
  causes: Causes,
): void {
  const mounts = listOf(container.volumeMounts);
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [index, device] of listOf(container.volumeDevices).entries()) {
    const field = `${path}[${index}]`;
    const name = textOf(device.name);
    const devicePath = textOf(device.devicePath);
    const volume = volumes.get(name);
    if (!name) causes.push(required(`${field}.name`));
    if (names.has(name)) causes.push(invalid(`${field}.name`, name, "must be unique"));
    if (volume !== undefined && !volume.persistentVolumeClaim && !volume.ephemeral) {
      causes.push(
        invalid(
          `${field}.name`,
          name,
          "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
        ),
      );
    }
    if (volume === undefined) causes.push(notFound(`${field}.name`, name));
    if (!devicePath) causes.push(required(`${field}.devicePath`));
    if (paths.has(devicePath)) causes.push(invalid(`${field}.devicePath`, devicePath, "must be unique"));
    if (devicePath && !validatePathNoBacksteps(devicePath, field, [])) {
      causes.push(invalid(`${field}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    } else paths.add(devicePath);
    if (mounts.some((mount) => textOf(mount.name) === name)) {
      causes.push(invalid(`${field}.name`, name, "must not already exist in volumeMounts"));
    }
    if (mounts.some((mount) => textOf(mount.mountPath) === devicePath)) {
      causes.push(invalid(`${field}.devicePath`, devicePath, "must not already exist as a path in volumeMounts"));
    }
    if (name) names.add(name);
  }
}
