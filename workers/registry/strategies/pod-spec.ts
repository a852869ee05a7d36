import { duplicate, invalid, notFound, notSupported, required } from "../../apimachinery/field-error.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { isDns1123Label, isValidPortNum } from "../../apimachinery/validation-names.ts";

const pullPolicies = ["Always", "IfNotPresent", "Never"];
const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const protocols = ["TCP", "UDP", "SCTP"];

/** The part of pkg/apis/core/validation ValidatePodSpec (1.36) that keeps the loops safe: containers, volumes, policies. */
export function validatePodSpec(spec: any, path: string): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const volumes = new Set<string>();
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    const field = `${path}.volumes[${index}].name`;
    if (!volume.name) causes.push(required(field));
    else {
      for (const text of isDns1123Label(volume.name)) causes.push(invalid(field, volume.name, text));
      if (volumes.has(volume.name)) causes.push(duplicate(field, volume.name));
      volumes.add(volume.name);
    }
  }
  const names = new Set<string>();
  if (!Array.isArray(spec.containers) || spec.containers.length === 0) causes.push(required(`${path}.containers`));
  for (const list of ["containers", "initContainers"]) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      causes.push(...validateContainer(container, `${path}.${list}[${index}]`, names, volumes));
    }
  }
  if (!spec.restartPolicy) causes.push(required(`${path}.restartPolicy`));
  else if (!restartPolicies.includes(spec.restartPolicy)) {
    causes.push(notSupported(`${path}.restartPolicy`, spec.restartPolicy, restartPolicies));
  }
  if (spec.dnsPolicy && !dnsPolicies.includes(spec.dnsPolicy)) {
    causes.push(notSupported(`${path}.dnsPolicy`, spec.dnsPolicy, dnsPolicies));
  }
  if (spec.terminationGracePeriodSeconds !== undefined && spec.terminationGracePeriodSeconds < 0) {
    causes.push(
      invalid(`${path}.terminationGracePeriodSeconds`, spec.terminationGracePeriodSeconds, "must be greater than or equal to 0"),
    );
  }
  if (spec.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds < 1) {
    causes.push(
      invalid(`${path}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, "must be between 1 and 2147483647, inclusive"),
    );
  }
  return causes;
}

function validateContainer(container: any, path: string, names: Set<string>, volumes: Set<string>): InvalidCause[] {
  const causes: InvalidCause[] = [];
  if (!container.name) causes.push(required(`${path}.name`));
  else {
    for (const text of isDns1123Label(container.name)) causes.push(invalid(`${path}.name`, container.name, text));
    if (names.has(container.name)) causes.push(duplicate(`${path}.name`, container.name));
    names.add(container.name);
  }
  if (!container.image) causes.push(required(`${path}.image`));
  else if (container.image.trim() !== container.image) {
    causes.push(invalid(`${path}.image`, container.image, "must not have leading or trailing whitespace"));
  }
  if (container.imagePullPolicy && !pullPolicies.includes(container.imagePullPolicy)) {
    causes.push(notSupported(`${path}.imagePullPolicy`, container.imagePullPolicy, pullPolicies));
  }
  for (const [index, port] of (container.ports ?? []).entries()) {
    const field = `${path}.ports[${index}]`;
    if (!port.containerPort) causes.push(required(`${field}.containerPort`));
    else for (const text of isValidPortNum(port.containerPort)) causes.push(invalid(`${field}.containerPort`, port.containerPort, text));
    if (port.hostPort) for (const text of isValidPortNum(port.hostPort)) causes.push(invalid(`${field}.hostPort`, port.hostPort, text));
    if (port.protocol && !protocols.includes(port.protocol)) causes.push(notSupported(`${field}.protocol`, port.protocol, protocols));
  }
  const mounts = new Set<string>();
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const field = `${path}.volumeMounts[${index}]`;
    if (!mount.name) causes.push(required(`${field}.name`));
    else if (!volumes.has(mount.name)) causes.push(notFound(`${field}.name`, mount.name));
    if (!mount.mountPath) causes.push(required(`${field}.mountPath`));
    if (mounts.has(mount.mountPath)) causes.push(invalid(`${field}.mountPath`, mount.mountPath, "must be unique"));
    mounts.add(mount.mountPath);
  }
  return causes;
}
