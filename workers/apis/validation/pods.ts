import { forbidden } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { listOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateImageSpace } from "./containers.ts";
import { validatePodAnnotations, validateProfilesMatch } from "./pod-annotations.ts";
import { validatePodSpec, validatePodTemplate } from "./pod-spec.ts";

/** Mirrors validatePodMetadataAndSpec of pkg/apis/core/validation (1.36), without what all objects have. */
export function validatePodBody(pod: KubeObject, causes: Causes): void {
  const spec = pod.spec ?? {};
  validatePodAnnotations(pod.metadata.annotations, spec, "metadata.annotations", causes);
  validatePodSpec(spec, { isPod: true, name: pod.metadata.name ?? "" }, "spec", causes);
  if (!spec.serviceAccountName) {
    for (const [index, volume] of listOf(spec.volumes).entries()) {
      for (const [at, source] of listOf(volume.projected?.sources).entries()) {
        if (source.serviceAccountToken) {
          causes.push(
            forbidden(
              `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`,
              "must not be specified when serviceAccountName is not set",
            ),
          );
        }
      }
    }
  }
  for (const list of ["containers", "initContainers"]) {
    const containers = listOf(spec[list]);
    for (let index = 0; index < containers.length; index++) {
      validateImageSpace(containers[index], `spec.${list}[${index}]`, causes);
    }
  }
}

/** Mirrors ValidatePodCreate. */
export function validatePod(pod: KubeObject, causes: Causes): void {
  validatePodBody(pod, causes);
  const spec = pod.spec ?? {};
  if (listOf(spec.ephemeralContainers).length > 0) {
    causes.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (spec.nodeName && listOf(spec.schedulingGates).length > 0) {
    causes.push(forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  validateProfilesMatch(pod.metadata.annotations, spec, "spec", causes);
}

/** Mirrors ValidatePodTemplate. */
export function validatePodTemplateObject(object: KubeObject, causes: Causes): void {
  validatePodTemplate(object["template"], "template", causes);
}
