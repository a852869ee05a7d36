import { invalid } from "../../apimachinery/field-error.ts";
import { isLabelKey } from "../../apimachinery/validation-names.ts";
import { checkText, listOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

const standard = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Finalizers of built-in kinds are the standard ones or qualified. Mirrors validateKubeFinalizerName (1.36). */
function validateKubeFinalizer(name: string, path: string, causes: Causes): void {
  if (name.includes("/") || standard.has(name)) return;
  causes.push(invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified"));
}

export function validateFinalizerName(name: string, path: string, causes: Causes): void {
  checkText(isLabelKey, name, path, causes);
  validateKubeFinalizer(name, path, causes);
}

export function validateMetadataFinalizers(finalizers: unknown, causes: Causes): void {
  for (const [index, name] of listOf(finalizers).entries()) {
    validateKubeFinalizer(name, `metadata.finalizers[${index}]`, causes);
  }
}
