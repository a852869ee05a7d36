import type { KubeObject } from "../../apimachinery/meta.ts";
import { isSet, listOf } from "../validation/checks.ts";
import { fractionalBytes } from "./containers.ts";
import { deprecatedNodeLabel, warningsForNodeSelector, warningsForNodeSelectorTerm } from "./node-labels.ts";

const betaStorageClass = "volume.beta.kubernetes.io/storage-class";

const deprecatedVolumes: readonly [field: string, shown: string, message: string][] = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

function warningsForClassAnnotation({ metadata }: KubeObject): string[] {
  if (!isSet(metadata.annotations?.[betaStorageClass])) return [];
  return [`metadata.annotations[${betaStorageClass}]: deprecated since v1.8; use "storageClassName" attribute instead`];
}

/** Mirrors pkg/api/persistentvolume/util.go (1.36). */
export function warningsForPersistentVolume(volume: KubeObject): string[] {
  const spec = volume.spec ?? {};
  return [
    ...warningsForClassAnnotation(volume),
    ...(spec.persistentVolumeReclaimPolicy === "Recycle"
      ? [
          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
        ]
      : []),
    ...listOf(spec.nodeAffinity?.required?.nodeSelectorTerms).flatMap((term, index) =>
      warningsForNodeSelectorTerm(term, false, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`),
    ),
    ...deprecatedVolumes.flatMap(([field, shown, message]) =>
      isSet(spec[field]) ? [`spec.${shown}: ${message}`] : [],
    ),
  ];
}

/** Mirrors pkg/api/persistentvolumeclaim/util.go (1.36). */
export function warningsForClaim(claim: KubeObject): string[] {
  return [...warningsForClassAnnotation(claim), ...warningsForClaimSpec(claim.spec ?? {}, "spec")];
}

export function warningsForClaimSpec(spec: any, path: string): string[] {
  return ["requests", "limits"].flatMap((list) =>
    fractionalBytes(spec.resources?.[list], ["storage"], `${path}.resources.${list}`),
  );
}

/** Mirrors pkg/api/storage/util.go (1.36). */
export function warningsForStorageClass(storageClass: KubeObject): string[] {
  return listOf(storageClass["allowedTopologies"]).flatMap((topology, index) =>
    listOf(topology.matchLabelExpressions).flatMap((expression, position) => {
      const message = deprecatedNodeLabel(expression.key);
      const path = `allowedTopologies[${index}].matchLabelExpressions[${position}].key`;
      return message === undefined ? [] : [`${path}: ${expression.key} is ${message}`];
    }),
  );
}

export function warningsForStorageCapacity(capacity: KubeObject): string[] {
  return warningsForNodeSelector(capacity["nodeTopology"], "nodeTopology");
}
