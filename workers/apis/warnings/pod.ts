import { quote } from "../../apimachinery/quote.ts";
import { entriesOf, isSet, listOf, numberOf, textOf } from "../validation/checks.ts";
import { fractionalBytes, placedContainers, warningsForEnv, warningsForPorts } from "./containers.ts";
import { warningsForIp } from "./ip.ts";
import { deprecatedNodeLabel, warningsForNodeSelectorTerm } from "./node-labels.ts";
import { warningsForClaimSpec } from "./storage.ts";
import { warningsForOverlappingPaths } from "./virtual-paths.ts";

const deprecatedAnnotations: readonly [key: string, message: string][] = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
];

const deprecatedVolumes: readonly [plugin: string, message: string][] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["ephemeral", ""],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

const byteResources = ["memory", "ephemeral-storage"];
const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompContainer = "container.seccomp.security.alpha.kubernetes.io/";
const appArmor = "container.apparmor.security.beta.kubernetes.io/";
const nullSelector = "a null labelSelector results in matching no pod";

/** Of a pod. Mirrors GetWarningsForPod of pkg/api/pod/warnings.go (1.36). */
export function warningsForPod(pod: any): string[] {
  return warningsForSpecAndMeta(pod.spec ?? {}, pod.metadata ?? {}, "");
}

/** Of a PodTemplateSpec at `path`. */
export function warningsForPodTemplate(template: any, path: string): string[] {
  return warningsForSpecAndMeta(template?.spec ?? {}, template?.metadata ?? {}, `${path}.`);
}

function warningsForSpecAndMeta(spec: any, meta: any, prefix: string): string[] {
  const at = `${prefix}spec`;
  const containers = placedContainers(spec, at);
  return [
    ...warningsForNodeLabels(spec, at),
    ...warningsForSpreadConstraints(spec.topologySpreadConstraints, `${at}.topologySpreadConstraints`),
    ...deprecatedAnnotations
      .filter(([key]) => isSet(meta.annotations?.[key]))
      .map(([key, message]) => `${prefix}metadata.annotations[${key}]: ${message}`),
    ...warningsForVolumes(spec.volumes, `${at}.volumes`),
    ...warningsForOverlappingPaths(spec.volumes),
    ...duplicates(spec.hostAliases, "ip", `${at}.hostAliases`),
    ...duplicates(spec.imagePullSecrets, "name", `${at}.imagePullSecrets`),
    ...listOf(spec.imagePullSecrets).flatMap(({ name }, index) =>
      textOf(name) === "" ? [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...fractionalBytes(spec.overhead, byteResources, `${at}.overhead`),
    ...warningsForProfiles(spec, meta.annotations, prefix, containers),
    ...containers.flatMap(({ path, container }) => [
      ...fractionalBytes(container.resources?.limits, byteResources, `${path}.resources.limits`),
      ...fractionalBytes(container.resources?.requests, byteResources, `${path}.resources.requests`),
      ...warningsForEnv(container.env, `${path}.env`),
    ]),
    ...warningsForPorts(containers),
    ...(numberOf(spec.terminationGracePeriodSeconds) < 0
      ? [`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...warningsForPodAffinity(spec.affinity, `${at}.affinity`),
    ...listOf(spec.dnsConfig?.nameservers).flatMap((ip, index) =>
      warningsForIp(`${at}.dnsConfig.nameservers[${index}]`, textOf(ip)),
    ),
    ...listOf(spec.hostAliases).flatMap(({ ip }, index) => warningsForIp(`${at}.hostAliases[${index}].ip`, textOf(ip))),
  ];
}

function warningsForNodeLabels(spec: any, at: string): string[] {
  const affinity = spec.affinity?.nodeAffinity;
  const path = `${at}.affinity.nodeAffinity`;
  return [
    ...entriesOf(spec.nodeSelector).flatMap(([key]) => {
      const message = deprecatedNodeLabel(key);
      return message === undefined ? [] : [`${at}.nodeSelector[${key}]: ${message}`];
    }),
    ...listOf(affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms).flatMap((term, index) =>
      warningsForNodeSelectorTerm(
        term,
        false,
        `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`,
      ),
    ),
    ...listOf(affinity?.preferredDuringSchedulingIgnoredDuringExecution).flatMap((term, index) =>
      warningsForNodeSelectorTerm(
        term.preference,
        true,
        `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
      ),
    ),
  ];
}

function warningsForSpreadConstraints(constraints: unknown, at: string): string[] {
  return listOf(constraints).flatMap((constraint, index) => {
    const message = deprecatedNodeLabel(constraint.topologyKey);
    return [
      ...(message === undefined ? [] : [`${at}[${index}].topologyKey: ${constraint.topologyKey} is ${message}`]),
      ...(isSet(constraint.labelSelector) ? [] : [`${at}[${index}].labelSelector: ${nullSelector}`]),
    ];
  });
}

function warningsForVolumes(volumes: unknown, at: string): string[] {
  return listOf(volumes).flatMap((volume, index) =>
    deprecatedVolumes.flatMap(([plugin, message]) => {
      if (!isSet(volume[plugin])) return [];
      if (plugin !== "ephemeral")
        return [`${at}[${index}].${plugin === "storageos" ? "storageOS" : plugin}: ${message}`];
      const spec = volume.ephemeral.volumeClaimTemplate?.spec;
      return isSet(spec) ? warningsForClaimSpec(spec, `${at}[${index}].ephemeral.volumeClaimTemplate.spec`) : [];
    }),
  );
}

function duplicates(items: unknown, field: string, at: string): string[] {
  const seen = new Set<string>();
  return listOf(items).flatMap((item, index) => {
    const value = textOf(item[field]);
    if (seen.has(value)) return [`${at}[${index}].${field}: duplicate ${field} ${quote(value)}`];
    seen.add(value);
    return [];
  });
}

/** Annotations that fields have replaced. */
function warningsForProfiles(
  spec: any,
  annotations: any,
  prefix: string,
  containers: ReturnType<typeof placedContainers>,
): string[] {
  if (!isSet(annotations)) return [];
  const warnings: string[] = [];
  const warn = (key: string, message: string) => {
    if (isSet(annotations[key])) warnings.push(`${prefix}metadata.annotations[${key}]: ${message}`);
  };
  const seccompMessage = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  if (!isSet(spec.securityContext?.seccompProfile)) warn(seccompPod, seccompMessage);
  for (const { container } of containers) {
    const { name, securityContext } = container;
    if (!isSet(securityContext?.seccompProfile)) warn(`${seccompContainer}${name}`, seccompMessage);
    if (!isSet(spec.securityContext?.appArmorProfile) && !isSet(securityContext?.appArmorProfile)) {
      warn(`${appArmor}${name}`, 'deprecated since v1.30; use the "appArmorProfile" field instead');
    }
  }
  return warnings;
}

function warningsForPodAffinity(affinity: any, at: string): string[] {
  return ["podAffinity", "podAntiAffinity"].flatMap((kind) => {
    const {
      requiredDuringSchedulingIgnoredDuringExecution: needed,
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    } = affinity?.[kind] ?? {};
    const path = `${at}.${kind}`;
    return [
      ...listOf(needed).flatMap((term, index) =>
        isSet(term.labelSelector)
          ? []
          : [`${path}.requiredDuringSchedulingIgnoredDuringExecution[${index}].labelSelector: ${nullSelector}`],
      ),
      ...listOf(preferred).flatMap((term, index) =>
        isSet(term.podAffinityTerm?.labelSelector)
          ? []
          : [
              `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm.labelSelector: ${nullSelector}`,
            ],
      ),
    ];
  });
}
