import { semanticEqual } from "../../../apimachinery/deep-equal.ts";
import { forbidden, invalid } from "../../../apimachinery/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { podStrategy } from "../../../registry/strategies/pod.ts";
import { podQosClass } from "../../../registry/strategies/pod-qos.ts";
import { mirrorAnnotation } from "./ephemeral-containers.ts";
import { objectSubresource } from "./object-subresource.ts";

const resizable = ["cpu", "memory"];
const lists = ["containers", "initContainers"] as const;

/**
 * `pods/<name>/resize`: CPU and memory of running containers. Mirrors podResizeStrategy of
 * pkg/registry/core/pod/strategy.go and ValidatePodResize of pkg/apis/core/validation (1.36).
 */
export const resizeHandler = objectSubresource({
  merge(given, current) {
    const spec = { ...current.spec };
    for (const list of lists) {
      if (spec[list] === undefined) continue;
      const wanted = new Map<string, any>((given.spec?.[list] ?? []).map((container: any) => [container.name, container]));
      spec[list] = spec[list].map((container: any) => {
        const other = wanted.get(container.name);
        if (other === undefined) return container;
        return withFields(container, { resources: other.resources ?? {}, resizePolicy: other.resizePolicy });
      });
    }
    // Order and names are not merged, so that validation sees what the client sent.
    const names = (pod: KubeObject) => lists.map((list) => (pod.spec?.[list] ?? []).map((container: any) => container.name));
    const sent = semanticEqual(names(given), names(current)) ? spec : { ...spec, containers: given.spec?.containers ?? [], ...(given.spec?.initContainers ? { initContainers: given.spec.initContainers } : {}) };
    return { ...current, spec: withFields(sent, { resources: given.spec?.resources }) };
  },
  validate(pod, previous, scope) {
    const causes: InvalidCause[] = [...(podStrategy.validate?.(pod, scope) ?? [])];
    if (previous.metadata.annotations?.[mirrorAnnotation] !== undefined) return [...causes, forbidden("", "static pods cannot be resized")];
    if (previous.spec.os?.name === "windows") return [...causes, forbidden("", "windows pods cannot be resized")];
    const qosClass = previous.status?.qosClass ?? podQosClass(previous.spec);
    if (qosClass !== podQosClass(pod.spec)) {
      causes.push(invalid("spec", pod.status?.qosClass ?? "", "Pod QOS Class may not change as a result of resizing"));
    }
    for (const list of lists) {
      const before: any[] = previous.spec[list] ?? [];
      const after: any[] = pod.spec[list] ?? [];
      if (!semanticEqual(before.map(({ name }) => name), after.map(({ name }) => name))) {
        return [...causes, forbidden(`spec.${list}`, `${list === "containers" ? "containers" : "initContainers"} may not be renamed or reordered on resize`)];
      }
      for (const [index, container] of after.entries()) {
        causes.push(...validateContainerResize(container, before[index], `spec.${list}[${index}].resources`, list === "initContainers"));
      }
    }
    if (!semanticEqual(withoutResizable(pod.spec), withoutResizable(previous.spec))) {
      causes.push(forbidden("spec", "only cpu and memory resources are mutable\n"));
    }
    return causes;
  },
});

function validateContainerResize(after: any, before: any, path: string, isInit: boolean): InvalidCause[] {
  if (semanticEqual(after.resources ?? {}, before.resources ?? {})) return [];
  if (isInit && before.restartPolicy !== "Always") {
    return [forbidden(path.replace(/\.resources$/, ".resources"), "only sidecar init containers may be resized")];
  }
  const removed = (field: "requests" | "limits") =>
    resizable.some((name) => before.resources?.[field]?.[name] !== undefined && after.resources?.[field]?.[name] === undefined);
  return (["requests", "limits"] as const)
    .filter(removed)
    .map((field) => forbidden(`${path}.${field}`, `resource ${field} cannot be removed`));
}

/** The spec with what a resize may change taken out. */
function withoutResizable(spec: any): unknown {
  const strip = (holder: any) => ({ ...holder, resizePolicy: undefined, resources: withoutComputing(holder.resources) });
  return {
    ...strip(spec),
    containers: (spec.containers ?? []).map(strip),
    initContainers: (spec.initContainers ?? []).map((container: any) => (container.restartPolicy === "Always" ? strip(container) : container)),
  };
}

function withoutComputing(resources: any = {}): unknown {
  const others = (map: any) => {
    const left = Object.entries(map ?? {}).filter(([name]) => !resizable.includes(name));
    return left.length > 0 ? Object.fromEntries(left) : undefined;
  };
  return { ...resources, requests: others(resources.requests), limits: others(resources.limits) };
}

/** Undefined fields are left out. */
function withFields(object: any, fields: Record<string, unknown>): any {
  const merged = { ...object, ...fields };
  for (const key of Object.keys(fields)) if (merged[key] === undefined) delete merged[key];
  return merged;
}
