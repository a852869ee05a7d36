import { formatTime } from "../../apimachinery/clock.ts";
import type { Strategy } from "../strategy.ts";

/**
 * A namespace is deleted in two steps: deletion marks it Terminating, and once its content is gone the namespace controller
 * takes the "kubernetes" finalizer off spec. Mirrors pkg/registry/core/namespace (1.36).
 */
export const namespaceStrategy: Strategy = {
  generation: false,
  prepareForCreate(namespace) {
    namespace.status = { phase: "Active" };
    const finalizers: string[] = namespace.spec?.finalizers ?? [];
    namespace.spec = {
      ...namespace.spec,
      finalizers: finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"],
    };
  },
  terminate(namespace, now) {
    if ((namespace.spec?.finalizers ?? []).length === 0) return false;
    namespace.metadata.deletionTimestamp ??= formatTime(now);
    namespace.status = { ...namespace.status, phase: "Terminating" };
    return true;
  },
  prepareForUpdate(namespace, previous) {
    namespace.spec = previous.spec;
    namespace.status = previous.status;
  },
};
