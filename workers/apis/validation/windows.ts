import { forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import { dnsSubdomain, isSet, listOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

const maxCredentialSpecLength = 64 * 1024;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsName = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Mirrors validateWindowsSecurityContextOptions of pkg/apis/core/validation (1.36). */
export function validateWindowsOptions(options: any, path: string, causes: Causes): void {
  if (!options) return;
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (isSet(gmsaCredentialSpecName)) dnsSubdomain(gmsaCredentialSpecName, `${path}.gmsaCredentialSpecName`, causes);
  if (isSet(gmsaCredentialSpec)) {
    const field = `${path}.gmsaCredentialSpec`;
    if (gmsaCredentialSpec === "") {
      causes.push(invalid(field, gmsaCredentialSpec, "gmsaCredentialSpec cannot be an empty string"));
    } else if (gmsaCredentialSpec.length > maxCredentialSpecLength) {
      causes.push(invalid(field, gmsaCredentialSpec, "gmsaCredentialSpec size must be under 64 KiB"));
    }
  }
  if (isSet(runAsUserName)) {
    for (const text of userNameProblems(runAsUserName))
      causes.push(invalid(`${path}.runAsUserName`, runAsUserName, text));
  }
}

function userNameProblems(name: string): string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (/[\0-\x1f\x7f]/.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1)!;
  const domain = parts.length === 2 ? parts[0]! : undefined;
  const problems: string[] = [];
  if (domain !== undefined && domain.length >= 256) {
    problems.push("runAsUserName's Domain length must be under 256 characters");
  }
  if (domain !== undefined && !netBiosName.test(domain) && !dnsName.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === "") problems.push("runAsUserName's User cannot be empty");
  else if (user.length > 104) problems.push("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
  return problems;
}

/** Every container of a pod spec with its path. */
export function* containersOf(spec: any, path: string): Generator<[any, string]> {
  for (const list of ["initContainers", "containers", "ephemeralContainers"]) {
    const containers = listOf(spec[list]);
    for (let index = 0; index < containers.length; index++) yield [containers[index], `${path}.${list}[${index}]`];
  }
}

/** Mirrors validateWindowsHostProcessPod. */
export function validateHostProcess(spec: any, path: string, causes: Causes): void {
  const ofPod: boolean | undefined = spec.securityContext?.windowsOptions?.hostProcess ?? undefined;
  let containers = 0;
  let hostProcesses = 0;
  for (const [container, field] of containersOf(spec, path)) {
    containers++;
    const own: boolean | undefined = container.securityContext?.windowsOptions?.hostProcess ?? undefined;
    if (ofPod !== undefined && own !== undefined && own !== ofPod) {
      causes.push(
        invalid(
          `${field}.securityContext.windowsOptions.hostProcess`,
          own,
          `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
        ),
      );
    }
    if (own ?? ofPod) hostProcesses++;
  }
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) {
    causes.push(
      invalid(
        path,
        "",
        "If pod contains any hostProcess containers then all containers must be HostProcess containers",
      ),
    );
  }
  if (!spec.hostNetwork) {
    causes.push(
      invalid(`${path}.hostNetwork`, false, "hostNetwork must be true if pod contains any hostProcess containers"),
    );
  }
}

const podFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
];
const specFields = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"];
const containerFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];

/** What an operating system rules out. Mirrors validateOS, validateLinux and validateWindows. */
export function validateOs(spec: any, path: string, causes: Causes): void {
  if (!spec.os) return;
  const { name } = spec.os;
  if (!name) return void causes.push(required(`${path}.os.name`, "cannot be empty"));
  if (name !== "linux" && name !== "windows") {
    return void causes.push(notSupported(`${path}.os`, name, ["linux", "windows"]));
  }
  if (name === "linux") {
    const detail = "windows options cannot be set for a linux pod";
    if (spec.securityContext?.windowsOptions) causes.push(forbidden(`${path}.securityContext.windowsOptions`, detail));
    for (const [container, field] of containersOf(spec, path)) {
      if (container.securityContext?.windowsOptions)
        causes.push(forbidden(`${field}.securityContext.windowsOptions`, detail));
    }
    return;
  }
  const detail = "cannot be set for a windows pod";
  const isGiven = (value: unknown) => isSet(value) && (!Array.isArray(value) || value.length > 0);
  for (const field of specFields) {
    const given = field === "hostPID" || field === "hostIPC" ? spec[field] : isGiven(spec[field]);
    if (given) causes.push(forbidden(`${path}.${field}`, detail));
  }
  for (const field of podFields) {
    if (isGiven(spec.securityContext?.[field])) causes.push(forbidden(`${path}.securityContext.${field}`, detail));
  }
  for (const [container, at] of containersOf(spec, path)) {
    for (const field of containerFields) {
      if (isGiven(container.securityContext?.[field])) causes.push(forbidden(`${at}.securityContext.${field}`, detail));
    }
  }
}
