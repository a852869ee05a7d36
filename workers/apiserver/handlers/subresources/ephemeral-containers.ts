import { semanticEqual } from "../../../apimachinery/deep-equal.ts";
import { forbidden } from "../../../apimachinery/field-error.ts";
import { quote } from "../../../apimachinery/quote.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { podStrategy } from "../../../registry/strategies/pod.ts";
import { objectSubresource } from "./object-subresource.ts";

export const mirrorAnnotation = "kubernetes.io/config.mirror";

/**
 * `pods/<name>/ephemeralcontainers`: containers may be added, never changed or removed.
 * Mirrors podEphemeralContainersStrategy of pkg/registry/core/pod/strategy.go and ValidatePodEphemeralContainersUpdate (1.36).
 */
export const ephemeralContainersHandler = objectSubresource({
  merge(given, current) {
    const { ephemeralContainers: _before, ...spec } = current.spec;
    const after: any[] = given.spec?.ephemeralContainers ?? [];
    return { ...current, spec: after.length > 0 ? { ...spec, ephemeralContainers: after } : spec };
  },
  validate(pod, previous, scope) {
    const causes: InvalidCause[] = [...(podStrategy.validate?.(pod, scope) ?? [])];
    if (previous.metadata.annotations?.[mirrorAnnotation] !== undefined) {
      return [...causes, forbidden("", "static pods do not support ephemeral containers")];
    }
    const after = new Map<string, any>((pod.spec.ephemeralContainers ?? []).map((container: any) => [container.name, container]));
    for (const before of previous.spec.ephemeralContainers ?? []) {
      const now = after.get(before.name);
      const existing = `existing ephemeral containers ${quote(before.name)} may not be`;
      if (now === undefined) causes.push(forbidden("spec.ephemeralContainers", `${existing} removed\n`));
      else if (!semanticEqual(now, before)) causes.push(forbidden("spec.ephemeralContainers", `${existing} changed\n`));
    }
    return causes;
  },
});
