import { duplicate, forbidden, invalid, required, tooLong } from "../../apimachinery/field-error.ts";
import { isInRange, isLabelKey } from "../../apimachinery/validation-names.ts";
import { validateAffinity, validateTolerations } from "./affinity.ts";
import { checkText, dnsLabel, dnsSubdomain, isSet, listOf, maxInt32, numberOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateContainers, validateInitContainers, validatePolicyOf } from "./containers.ts";
import type { ContainerContext } from "./containers.ts";
import { dnsPolicies, validateDnsConfig, validateHostAliases } from "./dns.ts";
import { validateEphemeralContainers } from "./ephemeral-containers.ts";
import { validateAnnotations, validateLabels } from "./label-selector.ts";
import { validatePodAnnotations, validateProfilesMatch } from "./pod-annotations.ts";
import { validateOverhead, validatePodResources } from "./resources.ts";
import { validateHostUsers, validatePodSecurityContext } from "./security-context.ts";
import { validateTopologySpreadConstraints } from "./topology-spread.ts";
import { validateVolumes } from "./volumes.ts";
import type { PodContext } from "./volumes.ts";
import { validateHostProcess, validateOs } from "./windows.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const maxHostnameLength = 64;

const noClaims: ReadonlySet<string> = new Set();

/** Mirrors ValidatePodSpec of pkg/apis/core/validation (1.36), in its order. */
export function validatePodSpec(spec: any, pod: PodContext, path: string, causes: Causes): void {
  const gracePeriod: number | undefined = spec.terminationGracePeriodSeconds ?? undefined;
  if (gracePeriod === undefined) causes.push(required(`${path}.terminationGracePeriodSeconds`));
  const claims = listOf(spec.resourceClaims);
  const context: ContainerContext = {
    volumes: validateVolumes(listOf(spec.volumes), pod, `${path}.volumes`, causes),
    claimNames: claims.length === 0 ? noClaims : new Set(claims.map((claim) => claim.name).filter(Boolean)),
    gracePeriod,
    restartPolicy: textOf(spec.restartPolicy),
    hostUsers: spec.hostUsers !== false,
  };
  if (claims.length > 0) validateResourceClaims(claims, `${path}.resourceClaims`, causes);
  validateContainers(spec, context, `${path}.containers`, causes);
  if (spec.initContainers) validateInitContainers(spec, context, `${path}.initContainers`, causes);
  if (spec.ephemeralContainers) validateEphemeralContainers(spec, context, `${path}.ephemeralContainers`, causes);
  validatePodResources(spec, context.claimNames, `${path}.resources`, causes);
  validateHostNetwork(spec, pod, path, causes);
  validatePolicyOf(spec.restartPolicy, restartPolicies, `${path}.restartPolicy`, causes);
  validatePolicyOf(spec.dnsPolicy, dnsPolicies, `${path}.dnsPolicy`, causes);
  if (spec.nodeSelector) validateLabels(spec.nodeSelector, `${path}.nodeSelector`, causes);
  validatePodSecurityContext(spec, path, causes);
  validateAffinity(spec.affinity, `${path}.affinity`, causes);
  validateDnsConfig(spec.dnsConfig, spec.dnsPolicy, `${path}.dnsConfig`, causes);
  for (const [index, gate] of listOf(spec.readinessGates).entries()) {
    checkText(isLabelKey, gate.conditionType, `${path}.readinessGates[${index}].conditionType`, causes);
  }
  if (spec.schedulingGates) validateSchedulingGates(listOf(spec.schedulingGates), `${path}.schedulingGates`, causes);
  if (spec.topologySpreadConstraints) {
    validateTopologySpreadConstraints(
      listOf(spec.topologySpreadConstraints),
      `${path}.topologySpreadConstraints`,
      causes,
    );
  }
  validateHostProcess(spec, path, causes);
  validateHostUsers(spec, path, causes);
  validateNames(spec, path, causes);
  validateSchedulingFields(spec, path, causes);
  validateOs(spec, path, causes);
}

function validateNames(spec: any, path: string, causes: Causes): void {
  if (spec.serviceAccountName) dnsSubdomain(spec.serviceAccountName, `${path}.serviceAccountName`, causes);
  if (spec.nodeName) dnsSubdomain(spec.nodeName, `${path}.nodeName`, causes);
  if (isSet(spec.activeDeadlineSeconds)) {
    for (const text of isInRange(spec.activeDeadlineSeconds, 1, maxInt32)) {
      causes.push(invalid(`${path}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, text));
    }
  }
  if (spec.hostname) dnsLabel(spec.hostname, `${path}.hostname`, causes);
  if (spec.subdomain) dnsLabel(spec.subdomain, `${path}.subdomain`, causes);
  if (isSet(spec.hostnameOverride)) {
    dnsSubdomain(spec.hostnameOverride, `${path}.hostnameOverride`, causes);
    if (spec.hostnameOverride.length > maxHostnameLength)
      causes.push(tooLong(`${path}.hostnameOverride`, maxHostnameLength));
  }
}

function validateSchedulingFields(spec: any, path: string, causes: Causes): void {
  if (spec.tolerations) validateTolerations(listOf(spec.tolerations), `${path}.tolerations`, causes);
  if (spec.hostAliases) validateHostAliases(listOf(spec.hostAliases), `${path}.hostAliases`, causes);
  if (spec.priorityClassName) dnsSubdomain(spec.priorityClassName, `${path}.priorityClassName`, causes);
  if (isSet(spec.runtimeClassName)) dnsSubdomain(spec.runtimeClassName, `${path}.runtimeClassName`, causes);
  if (isSet(spec.preemptionPolicy)) {
    validatePolicyOf(spec.preemptionPolicy, ["PreemptLowerPriority", "Never"], `${path}.preemptionPolicy`, causes);
  }
  if (spec.overhead) validateOverhead(spec.overhead, `${path}.overhead`, causes);
}

/** On the host's network a container's port is the host's port. Mirrors validatePodHostNetworkDeps. */
function validateHostNetwork(spec: any, pod: PodContext, path: string, causes: Causes): void {
  if (!spec.hostNetwork) return;
  for (const [index, container] of listOf(spec.containers).entries()) {
    for (const [at, port] of listOf(container.ports).entries()) {
      const hostPort = numberOf(port.hostPort);
      if ((pod.isPod || hostPort !== 0) && hostPort !== numberOf(port.containerPort)) {
        causes.push(
          invalid(
            `${path}.containers[${index}].ports[${at}].hostPort`,
            hostPort,
            "must match `containerPort` when `hostNetwork` is true",
          ),
        );
      }
    }
  }
}

function validateSchedulingGates(gates: any[], path: string, causes: Causes): void {
  const seen = new Set<string>();
  for (const [index, { name }] of gates.entries()) {
    checkText(isLabelKey, name, `${path}[${index}]`, causes);
    if (seen.has(name)) causes.push(duplicate(`${path}[${index}]`, textOf(name)));
    seen.add(name);
  }
}

function validateResourceClaims(claims: any[], path: string, causes: Causes): void {
  const names = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    const field = `${path}[${index}]`;
    if (!claim.name) causes.push(required(`${field}.name`));
    else if (names.has(claim.name)) causes.push(duplicate(`${field}.name`, claim.name));
    else {
      dnsLabel(claim.name, `${field}.name`, causes);
      names.add(claim.name);
    }
    const { resourceClaimName, resourceClaimTemplateName } = claim;
    const shown = {
      Name: textOf(claim.name),
      ResourceClaimName: resourceClaimName ?? null,
      ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
    };
    if (isSet(resourceClaimName) && isSet(resourceClaimTemplateName)) {
      causes.push(
        invalid(field, shown, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"),
      );
    }
    if (!isSet(resourceClaimName) && !isSet(resourceClaimTemplateName)) {
      causes.push(invalid(field, shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    }
    if (isSet(resourceClaimName)) dnsSubdomain(resourceClaimName, `${field}.resourceClaimName`, causes);
    if (isSet(resourceClaimTemplateName)) {
      dnsSubdomain(resourceClaimTemplateName, `${field}.resourceClaimTemplateName`, causes);
    }
  }
}

const template: PodContext = { isPod: false, name: "" };

/** Mirrors ValidatePodTemplateSpec. */
export function validatePodTemplate(value: any, path: string, causes: Causes): void {
  const pod = value ?? {};
  const spec = pod.spec ?? {};
  const { labels, annotations } = pod.metadata ?? {};
  validateLabels(labels, `${path}.labels`, causes);
  validateAnnotations(annotations, `${path}.annotations`, causes);
  validatePodAnnotations(annotations, spec, `${path}.annotations`, causes);
  validatePodSpec(spec, template, `${path}.spec`, causes);
  validateProfilesMatch(annotations, spec, `${path}.spec`, causes);
  if (listOf(spec.ephemeralContainers).length > 0) {
    causes.push(forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  }
}
