import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { forbidden } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { listOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validatePodBody } from "./pods.ts";

/**
 * The `resize` subresource: cpu and memory of containers and sidecars may change. Mirrors ValidatePodResize of
 * pkg/apis/core/validation (1.36), except that the caller compares the classes of service.
 */
export function validatePodResize(pod: KubeObject, previous: KubeObject, causes: Causes): void {
  validatePodBody(pod, causes);
  const refuse = (detail: string) => {
    causes.length = 0;
    causes.push(forbidden("[]", detail));
  };
  if (previous.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined) return refuse("static pods cannot be resized");
  if (previous.spec?.os?.name === "windows") return refuse("windows pods cannot be resized");
  const running = listOf(previous.status?.containerStatuses).find((status) => status.state?.running);
  if (running !== undefined && !running.resources) {
    causes.push(forbidden("spec", "Pod running on node without support for resize"));
  }
  const spec = pod.spec ?? {};
  const before = previous.spec ?? {};
  for (const list of ["initContainers", "containers"]) {
    for (const [index, old] of listOf(before[list]).entries()) {
      if (list === "initContainers" && old.restartPolicy !== "Always") continue;
      validateRemoval(listOf(spec[list])[index]?.resources, old.resources, `spec.${list}[${index}].resources`, causes);
    }
  }
  const count = causes.length;
  for (const [index, container] of listOf(spec.containers).entries()) {
    if (!semanticEqual(withoutCompute(container), withoutCompute(listOf(before.containers)[index]))) {
      causes.push(forbidden("spec", "only cpu and memory resources are mutable"));
    }
  }
  for (const [index, container] of listOf(spec.initContainers).entries()) {
    const old = listOf(before.initContainers)[index];
    if (container.restartPolicy === "Always") {
      if (!semanticEqual(withoutCompute(container), withoutCompute(old))) {
        causes.push(forbidden("spec", "only cpu and memory resources for sidecar containers are mutable"));
      }
    } else if (!semanticEqual(container, old)) {
      causes.push(forbidden("spec", "resources for non-sidecar init containers are immutable"));
    }
  }
  if (causes.length > count) return;
  const rest = (value: any) => ({ ...value, containers: undefined, initContainers: undefined, resources: undefined });
  if (!semanticEqual(rest(spec), rest(before))) causes.push(forbidden("spec", "only cpu and memory resources are mutable"));
}

function validateRemoval(resources: any, before: any, path: string, causes: Causes): void {
  for (const list of ["requests", "limits"] as const) {
    if (Object.keys(before?.[list] ?? {}).some((name) => resources?.[list]?.[name] === undefined)) {
      causes.push(forbidden(`${path}.${list}`, `resource ${list} cannot be removed`));
    }
  }
}

function withoutCompute(container: any): unknown {
  if (container === undefined) return undefined;
  const strip = (list: any) => {
    const rest = { ...list };
    delete rest.cpu;
    delete rest.memory;
    return Object.keys(rest).length === 0 ? undefined : rest;
  };
  const { limits, requests, ...others } = container.resources ?? {};
  const resources = { ...others, limits: strip(limits), requests: strip(requests) };
  return { ...container, resources };
}
