import { duplicate, forbidden, invalid } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isLabelKey } from "../../apimachinery/validation-names.ts";
import { checkText, dnsSubdomain, immutable, isSet, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { isDualStack, parseIp, validateIp } from "./ip.ts";
import { validatePodAnnotationUpdates } from "./pod-annotations.ts";
import { validateId } from "./security-context.ts";

const systemConditions = new Set(["PodScheduled", "Ready", "Initialized"]);

/** Mirrors ValidatePodStatusUpdate of pkg/apis/core/validation (1.36). */
export function validatePodStatusUpdate(pod: KubeObject, previous: KubeObject, causes: Causes): void {
  const status = pod.status ?? {};
  const before = previous.status ?? {};
  const spec = previous.spec ?? {};
  if (pod.metadata.annotations || previous.metadata.annotations) {
    validatePodAnnotationUpdates(
      pod.metadata.annotations,
      previous.metadata.annotations,
      "metadata.annotations",
      causes,
    );
  }
  const conditions = listOf(status.conditions);
  for (let index = 0; index < conditions.length; index++) {
    const { type } = conditions[index];
    if (!systemConditions.has(type)) checkText(isLabelKey, type, `metadata.conditions[${index}].Type`, causes);
  }
  if (status.nominatedNodeName && status.nominatedNodeName !== before.nominatedNodeName) {
    dnsSubdomain(status.nominatedNodeName, "status.nominatedNodeName", causes);
  }
  if (status.qosClass !== before.qosClass)
    immutable(textOf(status.qosClass), textOf(before.qosClass), "status.qosClass", causes);
  for (const list of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const) {
    validateTransitions(list, listOf(status[list]), listOf(before[list]), spec, causes);
  }
  validateClaimStatuses(listOf(status.resourceClaimStatuses), listOf(spec.resourceClaims), causes);
  validateIps(listOf(status.podIPs), "status.podIPs", causes);
  const hostIPs = listOf(status.hostIPs);
  if (hostIPs.length > 0) {
    if (textOf(status.hostIP) !== textOf(hostIPs[0].ip)) {
      causes.push(invalid("status.hostIPs[0].ip", textOf(hostIPs[0].ip), "must be equal to `hostIP`"));
    }
    validateIps(hostIPs, "status.hostIPs", causes);
  }
  for (const list of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"]) {
    for (const [index, container] of listOf(status[list]).entries()) {
      validateContainerUser(container.user?.linux, spec.os?.name, `status.${list}[${index}].linux`, causes);
      if (list === "ephemeralContainerStatuses" && listOf(container.allocatedResourcesStatus).length > 0) {
        causes.push(
          forbidden(`status.${list}[${index}].allocatedResourcesStatus`, "must not be specified in container status"),
        );
      }
    }
  }
}

/** A container that has ended for good stays ended. */
function validateTransitions(list: string, statuses: any[], before: any[], spec: any, causes: Causes): void {
  const ephemeral = list === "ephemeralContainerStatuses";
  const policy = ephemeral ? "Never" : spec.restartPolicy;
  if (policy === "Always") return;
  const containers = ephemeral ? [] : listOf(list === "containerStatuses" ? spec.containers : spec.initContainers);
  for (const [index, old] of before.entries()) {
    const ended = old.state?.terminated;
    if (!ended || (ended.exitCode !== 0 && policy === "OnFailure")) continue;
    const container = containers.find((candidate) => candidate.name === old.name);
    if (list === "initContainerStatuses" && container?.restartPolicy === "Always") continue;
    if (mayRestart(container, ended.exitCode)) continue;
    if (statuses.some((status) => status.name === old.name && !status.state?.terminated)) {
      causes.push(forbidden(`status.${list}[${index}].state`, "may not be transitioned to non-terminated state"));
    }
  }
}

/** By its own policy or rules. */
function mayRestart(container: any, exitCode: number): boolean {
  if (!isSet(container?.restartPolicy)) return false;
  for (const rule of listOf(container.restartPolicyRules)) {
    const listed = listOf(rule.exitCodes?.values).includes(exitCode);
    if (rule.exitCodes?.operator === "NotIn" ? !listed : listed) return true;
  }
  return container.restartPolicy === "Always" || (container.restartPolicy === "OnFailure" && exitCode !== 0);
}

function validateIps(ips: any[], path: string, causes: Causes): void {
  for (let index = 0; index < ips.length; index++) validateIp(ips[index].ip, `${path}[${index}]`, causes);
  if (ips.length < 2) return;
  if (!isDualStack(ips.map((entry) => parseIp(textOf(entry.ip))?.family)) || ips.length > 2) {
    causes.push(
      invalid(
        path,
        ips.map((entry) => ({ IP: entry.ip })),
        "may specify no more than one IP for each IP family",
      ),
    );
  }
  const seen = new Set<string>();
  for (const [index, entry] of ips.entries()) {
    if (seen.has(entry.ip)) causes.push(duplicate(`${path}[${index}]`, { IP: entry.ip }));
    seen.add(entry.ip);
  }
}

function validateClaimStatuses(statuses: any[], claims: any[], causes: Causes): void {
  const names = new Set<string>();
  for (const [index, status] of statuses.entries()) {
    const field = `status.resourceClaimStatuses[${index}].name`;
    const name = textOf(status.name);
    if (!claims.some((claim) => claim.name === name)) {
      causes.push(invalid(field, name, "must match the name of an entry in `spec.resourceClaims`"));
    }
    if (names.has(name)) causes.push(duplicate(field, name));
    names.add(name);
    if (isSet(status.resourceClaimName)) dnsSubdomain(status.resourceClaimName, field, causes);
  }
}

function validateContainerUser(user: any, os: string | undefined, path: string, causes: Causes): void {
  if (!user) return;
  if (os === "windows") return void causes.push(forbidden(path, "cannot be set for a windows pod"));
  validateId(user.uid, `${path}.uid`, causes);
  validateId(user.gid, `${path}.gid`, causes);
  for (const [index, group] of listOf(user.supplementalGroups).entries()) {
    validateId(group, `${path}.supplementalGroups[${index}]`, causes);
  }
}
