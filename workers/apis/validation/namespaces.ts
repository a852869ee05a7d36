import { invalid } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateFinalizerName } from "./finalizers.ts";

/** Mirrors ValidateNamespace of pkg/apis/core/validation (1.36). */
export function validateNamespace(namespace: KubeObject, causes: Causes): void {
  for (const name of listOf(namespace.spec?.finalizers)) validateFinalizerName(textOf(name), "spec.finalizers", causes);
}

export function validateNamespaceFinalizeUpdate(namespace: KubeObject, _previous: KubeObject, causes: Causes): void {
  for (const [index, name] of listOf(namespace.spec?.finalizers).entries()) {
    validateFinalizerName(textOf(name), `spec.finalizers[${index}]`, causes);
  }
}

export function validateNamespaceStatusUpdate(namespace: KubeObject, _previous: KubeObject, causes: Causes): void {
  const phase = textOf(namespace.status?.phase);
  if (namespace.metadata.deletionTimestamp === undefined) {
    if (phase !== "Active") {
      causes.push(invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty"));
    }
  } else if (phase !== "Terminating") {
    causes.push(invalid("status.Phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty"));
  }
}
