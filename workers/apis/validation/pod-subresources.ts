import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { forbidden } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { quote } from "../../apimachinery/quote.ts";
import { listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validatePodAnnotationUpdates } from "./pod-annotations.ts";
import { validatePodBody } from "./pods.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";

/** Mirrors ValidatePodEphemeralContainersUpdate of pkg/apis/core/validation (1.36): the pods differ in these containers only. */
export function validateEphemeralContainersUpdate(pod: KubeObject, previous: KubeObject, causes: Causes): void {
  if (previous.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return void causes.push(forbidden("[]", "static pods do not support ephemeral containers"));
  }
  validatePodBody(pod, causes);
  validatePodAnnotationUpdates(pod.metadata.annotations, previous.metadata.annotations, "metadata.annotations", causes);
  const now = new Map(listOf(pod.spec?.ephemeralContainers).map((container) => [container?.name, container]));
  const path = "spec.ephemeralContainers";
  for (const before of listOf(previous.spec?.ephemeralContainers)) {
    const after = now.get(before?.name);
    const existing = `existing ephemeral containers ${quote(textOf(before?.name))} may not be`;
    if (after === undefined) causes.push(forbidden(path, `${existing} removed\n`));
    else if (!semanticEqual(after, before)) causes.push(forbidden(path, `${existing} changed\n`));
  }
}

/**
 * Mirrors ValidatePodResize (1.36) for pods that differ in resources only: cpu and memory of containers and sidecars may
 * change. The registry compares the classes of service and the containers' names.
 */
export function validatePodResize(pod: KubeObject, previous: KubeObject, causes: Causes): void {
  const refuse = (detail: string) => void causes.push(forbidden("[]", detail));
  if (previous.metadata.annotations?.[mirrorAnnotation] !== undefined) return refuse("static pods cannot be resized");
  if (previous.spec?.os?.name === "windows") return refuse("windows pods cannot be resized");
  validatePodBody(pod, causes);
  const spec = pod.spec ?? {};
  const before = previous.spec ?? {};
  const details = new Set<string>();
  for (const list of ["initContainers", "containers"]) {
    for (const [index, old] of listOf(before[list]).entries()) {
      const container = listOf(spec[list])[index];
      if (container?.name !== old?.name) continue;
      const isSidecar = list === "initContainers" && old.restartPolicy === "Always";
      if (list === "initContainers" && !isSidecar) {
        if (!semanticEqual(container, old)) details.add("resources for non-sidecar init containers are immutable");
        continue;
      }
      validateRemoval(container.resources, old.resources, `spec.${list}[${index}].resources`, causes);
      if (!semanticEqual(withoutCompute(container), withoutCompute(old))) {
        details.add(`only cpu and memory resources ${isSidecar ? "for sidecar containers " : ""}are mutable`);
      }
    }
  }
  const rest = (value: any) => ({ ...value, containers: undefined, initContainers: undefined, resources: undefined });
  if (details.size === 0 && !semanticEqual(rest(spec), rest(before)))
    details.add("only cpu and memory resources are mutable");
  for (const detail of details) causes.push(forbidden("spec", detail));
}

function validateRemoval(resources: any, before: any, path: string, causes: Causes): void {
  for (const list of ["requests", "limits"] as const) {
    if (Object.keys(before?.[list] ?? {}).some((name) => resources?.[list]?.[name] === undefined)) {
      causes.push(forbidden(`${path}.${list}`, `resource ${list} cannot be removed`));
    }
  }
}

function withoutCompute(container: any): unknown {
  const strip = (list: any) => {
    const rest = { ...list };
    delete rest.cpu;
    delete rest.memory;
    return Object.keys(rest).length === 0 ? undefined : rest;
  };
  const { limits, requests, ...others } = container.resources ?? {};
  return {
    ...container,
    resizePolicy: undefined,
    resources: { ...others, limits: strip(limits), requests: strip(requests) },
  };
}
