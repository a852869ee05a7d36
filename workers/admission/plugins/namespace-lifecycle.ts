import { newForbidden, newNotFound } from "../../apimachinery/status-errors.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { objectKey } from "../../storage/keys.ts";
import type { AdmissionPlugin } from "../chain.ts";

const namespaces = { group: "", resource: "namespaces" };
const immortal = new Set(["default", "kube-system", "kube-public"]);
/** How long an isolate believes that a namespace is active without asking. */
const freshMilliseconds = 1_000;
const maxRemembered = 10_000;
const activeUntil = new Map<string, number>();

/**
 * Nothing is created in a namespace that is missing or terminating, and the system's namespaces stay. An active namespace is
 * remembered for a second; missing or terminating is always a live read.
 * Mirrors k8s.io/apiserver pkg/admission/plugin/namespace/lifecycle (1.36).
 */
export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  async admit({ operation, object, scope }) {
    if (scope.resource.resource === "namespaces" && scope.resource.group === "") {
      const name = object.metadata.name ?? "";
      if (operation === "DELETE") {
        if (immortal.has(name)) throw newForbidden(namespaces, name, "this namespace may not be deleted");
        activeUntil.delete(`${scope.storage.cluster}/${name}`);
      }
      return;
    }
    if (operation !== "CREATE" || scope.namespace === undefined) return;
    const now = scope.clock.now();
    const key = `${scope.storage.cluster}/${scope.namespace}`;
    if ((activeUntil.get(key) ?? 0) > now) return;
    const stored = await scope.storage.for(namespaces).get(objectKey(namespaces, undefined, scope.namespace));
    if (stored === undefined) throw newNotFound(namespaces, scope.namespace);
    const namespace = JSON.parse(stored.value) as KubeObject;
    if (namespace.metadata.deletionTimestamp === undefined) {
      if (activeUntil.size >= maxRemembered) activeUntil.clear();
      activeUntil.set(key, now + freshMilliseconds);
      return;
    }
    const error = newForbidden(
      { group: scope.resource.group, resource: scope.resource.resource },
      object.metadata.name ?? "",
      `unable to create new content in namespace ${scope.namespace} because it is being terminated`,
    );
    error.status.details!.causes = [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${scope.namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ];
    throw error;
  },
};
