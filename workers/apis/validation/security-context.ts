import { duplicate, forbidden, invalid, notSupported, required, tooLong } from "../../apimachinery/field-error.ts";
import { isInRange } from "../../apimachinery/validation-names.ts";
import { isSet, listOf, maxInt32, supportedEnum, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateLocalDescendingPath } from "./paths.ts";
import { validateWindowsOptions } from "./windows.ts";

/** Security contexts of pods and containers. Mirrors pkg/apis/core/validation (1.36); privileged containers are allowed. */
export function validateId(id: unknown, path: string, causes: Causes): void {
  if (!isSet(id)) return;
  for (const text of isInRange(id as number, 0, maxInt32)) causes.push(invalid(path, id, text));
}

export function validatePodSecurityContext(spec: any, specPath: string, causes: Causes): void {
  const context = spec.securityContext;
  if (!context) return;
  const path = `${specPath}.securityContext`;
  if (isSet(context.fsGroup)) validateId(context.fsGroup, `${path}.fsGroup`, causes);
  if (isSet(context.runAsUser)) validateId(context.runAsUser, `${path}.runAsUser`, causes);
  if (isSet(context.runAsGroup)) validateId(context.runAsGroup, `${path}.runAsGroup`, causes);
  for (const [index, group] of listOf(context.supplementalGroups).entries()) {
    validateId(group, `${path}.supplementalGroups[${index}]`, causes);
  }
  if (spec.shareProcessNamespace && spec.hostPID) {
    causes.push(
      invalid(`${path}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled"),
    );
  }
  validateSysctls(listOf(context.sysctls), spec, `${path}.sysctls`, causes);
  if (isSet(context.fsGroupChangePolicy)) {
    supportedEnum(context.fsGroupChangePolicy, ["Always", "OnRootMismatch"], `${path}.fsGroupChangePolicy`, causes);
  }
  validateSeccompProfile(context.seccompProfile, `${path}.seccompProfile`, causes);
  validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`, causes);
  validateAppArmorProfile(context.appArmorProfile, `${path}.appArmorProfile`, causes);
  if (isSet(context.supplementalGroupsPolicy)) {
    supportedEnum(context.supplementalGroupsPolicy, ["Merge", "Strict"], `${path}.supplementalGroupsPolicy`, causes);
  }
  if (isSet(context.seLinuxChangePolicy)) {
    supportedEnum(context.seLinuxChangePolicy, ["MountOption", "Recursive"], `${path}.seLinuxChangePolicy`, causes);
  }
}

const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const sysctlNameText = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
const sysctlMaxLength = 253;

function validateSysctls(sysctls: any[], spec: any, path: string, causes: Causes): void {
  const names = new Set<string>();
  for (const [index, { name }] of sysctls.entries()) {
    const field = `${path}[${index}].name`;
    if (!name) causes.push(required(field));
    else if (name.length > sysctlMaxLength || !sysctlName.test(name)) {
      causes.push(
        invalid(field, name, `must have at most ${sysctlMaxLength} characters and match regex ${sysctlNameText}`),
      );
    } else if (names.has(name)) causes.push(duplicate(field, name));
    names.add(name);
    const dotted = textOf(name).replaceAll("/", ".");
    if (spec.hostNetwork && dotted.startsWith("net.")) {
      causes.push(invalid(field, name, "may not be specified when 'hostNetwork' is true"));
    } else if (spec.hostIPC && isIpcSysctl(dotted)) {
      causes.push(invalid(field, name, "may not be specified when 'hostIPC' is true"));
    }
  }
}

function isIpcSysctl(name: string): boolean {
  return (
    name === "kernel.sem" || name === "kernel.shm_rmid_forced" || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(name)
  );
}

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

function validateSeccompProfile(profile: any, path: string, causes: Causes): void {
  if (!profile) return;
  if (!profile.type) causes.push(required(`${path}.type`, "type is required when seccompProfile is set"));
  else supportedEnum(profile.type, profileTypes, `${path}.type`, causes);
  if (profile.type === "Localhost") {
    if (!isSet(profile.localhostProfile)) {
      causes.push(required(`${path}.localhostProfile`, "must be set when seccomp type is Localhost"));
    } else validateLocalDescendingPath(profile.localhostProfile, `${path}.localhostProfile`, causes);
  } else if (isSet(profile.localhostProfile)) {
    const shown = { Type: textOf(profile.type), LocalhostProfile: profile.localhostProfile };
    causes.push(invalid(`${path}.localhostProfile`, shown, "can only be set when seccomp type is Localhost"));
  }
}

const maxLocalhostProfileLength = 4095;

function validateAppArmorProfile(profile: any, path: string, causes: Causes): void {
  if (!profile) return;
  const field = `${path}.localhostProfile`;
  const local: string | undefined = profile.localhostProfile ?? undefined;
  switch (profile.type) {
    case "Localhost":
      if (local === undefined) causes.push(required(field, "must be set when AppArmor type is Localhost"));
      else {
        if (local.trim() !== local) causes.push(invalid(field, local, "must not be padded with whitespace"));
        else if (local === "") causes.push(required(field, "must be set when AppArmor type is Localhost"));
        if (local.length > maxLocalhostProfileLength) causes.push(tooLong(field, maxLocalhostProfileLength));
      }
      break;
    case "RuntimeDefault":
    case "Unconfined":
      if (local !== undefined) causes.push(invalid(field, local, "can only be set when AppArmor type is Localhost"));
      break;
    default:
      if (!profile.type) causes.push(required(`${path}.type`, "type is required when appArmorProfile is set"));
      else causes.push(notSupported(`${path}.type`, profile.type, profileTypes));
  }
}

/** Mirrors ValidateSecurityContext. */
export function validateContainerSecurityContext(context: any, hostUsers: boolean, path: string, causes: Causes): void {
  if (!context) return;
  if (isSet(context.runAsUser)) validateId(context.runAsUser, `${path}.runAsUser`, causes);
  if (isSet(context.runAsGroup)) validateId(context.runAsGroup, `${path}.runAsGroup`, causes);
  if (isSet(context.procMount)) {
    supportedEnum(context.procMount, ["Default", "Unmasked"], `${path}.procMount`, causes);
    if (hostUsers && context.procMount === "Unmasked") {
      causes.push(invalid(`${path}.procMount`, context.procMount, "`hostUsers` must be false to use `Unmasked`"));
    }
  }
  validateSeccompProfile(context.seccompProfile, `${path}.seccompProfile`, causes);
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged) {
      causes.push(
        invalid(path, internalForm(context), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"),
      );
    }
    if (listOf(context.capabilities?.add).includes("CAP_SYS_ADMIN")) {
      causes.push(
        invalid(
          path,
          internalForm(context),
          "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
        ),
      );
    }
  }
  validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`, causes);
  validateAppArmorProfile(context.appArmorProfile, `${path}.appArmorProfile`, causes);
}

const internalFields = [
  "capabilities",
  "privileged",
  "seLinuxOptions",
  "windowsOptions",
  "runAsUser",
  "runAsGroup",
  "runAsNonRoot",
  "readOnlyRootFilesystem",
  "allowPrivilegeEscalation",
  "procMount",
  "seccompProfile",
  "appArmorProfile",
];

/** As upstream's internal type is shown: all fields, with Go's names. */
function internalForm(context: any): Record<string, unknown> {
  const goName = (field: string) =>
    field === "seLinuxOptions" ? "SELinuxOptions" : field[0]!.toUpperCase() + field.slice(1);
  return Object.fromEntries(internalFields.map((field) => [goName(field), context[field] ?? null]));
}

/** Mirrors validateHostUsers; `HostPID` and `HostIPC` are upstream's spelling. */
export function validateHostUsers(spec: any, path: string, causes: Causes): void {
  if (spec.hostUsers !== false) return;
  const detail = "when `pod.Spec.HostUsers` is false";
  if (spec.hostNetwork) causes.push(forbidden(`${path}.hostNetwork`, detail));
  if (spec.hostPID) causes.push(forbidden(`${path}.HostPID`, detail));
  if (spec.hostIPC) causes.push(forbidden(`${path}.HostIPC`, detail));
}
