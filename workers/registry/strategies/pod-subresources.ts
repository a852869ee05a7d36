import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { forbidden, invalid } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import type { SubresourceStrategy } from "../strategy.ts";
import { podQosClass } from "./pod-qos.ts";

/**
 * `ephemeralcontainers` and `resize` of pods: a whole pod is sent, of which a part is taken.
 * Mirrors podEphemeralContainersStrategy and podResizeStrategy of pkg/registry/core/pod/strategy.go (1.36).
 */
export const podSubresources: Readonly<Record<string, SubresourceStrategy>> = {
  ephemeralcontainers: {
    merge(pod, previous) {
      return withSpec(pod, previous, { ephemeralContainers: pod.spec?.ephemeralContainers });
    },
  },
  resize: {
    merge(pod, previous) {
      const spec = pod.spec ?? {};
      const lists = Object.fromEntries(
        (["containers", "initContainers"] as const).map((list) => [list, merged(spec[list], previous.spec?.[list])]),
      );
      return withSpec(pod, previous, { ...lists, resources: spec.resources });
    },
    validate: validateResize,
  },
};

/** The previous pod with some fields of its spec, at the version and with the field managers of the one that was sent. */
function withSpec(pod: KubeObject, previous: KubeObject, fields: Record<string, unknown>): KubeObject {
  const spec = { ...previous.spec, ...fields };
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) delete spec[name];
  }
  const { resourceVersion: _resourceVersion, managedFields: _managedFields, ...kept } = previous.metadata;
  const { resourceVersion, managedFields } = pod.metadata;
  return {
    ...previous,
    metadata: {
      ...kept,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    spec,
  };
}

/** In the order that was sent, so that validation sees it; of a known container only resources and resize policy are new. */
function merged(sent: any[] | undefined, previous: any[] | undefined): any[] | undefined {
  const known = new Map<string, any>((previous ?? []).map((container) => [container.name, container]));
  return sent?.map((container) => {
    const before = known.get(container.name);
    if (before === undefined) return container;
    const { resources: _resources, resizePolicy: _resizePolicy, ...rest } = before;
    const { resources, resizePolicy } = container;
    // Members in their old order: a resize to the same is no change.
    return inOrder(
      { ...rest, resources: resources ?? {}, ...(resizePolicy === undefined ? {} : { resizePolicy }) },
      before,
    );
  });
}

function inOrder(container: any, model: any): any {
  const ordered: any = {};
  for (const key of [...Object.keys(model), ...Object.keys(container)])
    if (key in container) ordered[key] = container[key];
  return ordered;
}

function validateResize(pod: KubeObject, previous: KubeObject): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const qosClass = previous.status?.qosClass ?? podQosClass(previous.spec ?? {});
  if (qosClass !== podQosClass(pod.spec ?? {})) {
    causes.push(invalid("spec", pod.status?.qosClass ?? "", "Pod QOS Class may not change as a result of resizing"));
  }
  for (const list of ["containers", "initContainers"] as const) {
    const names = (object: KubeObject): unknown[] =>
      (object.spec?.[list] ?? []).map((container: any) => container.name);
    const [now, before] = [names(pod), names(previous)];
    if (semanticEqual(now, before)) continue;
    if (now.length !== before.length)
      causes.push(forbidden(`spec.${list}`, `${list} may not be added or removed on resize`));
    else {
      for (const [index, name] of now.entries()) {
        if (name !== before[index])
          causes.push(forbidden(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`));
      }
    }
  }
  return causes;
}
