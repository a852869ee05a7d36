import type { KubeObject } from "../../apimachinery/meta.ts";
import { quote } from "../../apimachinery/quote.ts";
import { isLabelKey } from "../../apimachinery/validation-names.ts";

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/**
 * Of the finalizers that a custom object has and `previous` had not; built-in kinds refuse such names.
 * Mirrors generateWarningsFromObj of k8s.io/apiextensions-apiserver pkg/registry/customresource/strategy.go (1.36).
 */
export function warningsForNewFinalizers(object: KubeObject, previous: KubeObject | undefined): string[] {
  const before = new Set(previous?.metadata.finalizers ?? []);
  const added = new Set((object.metadata.finalizers ?? []).filter((name) => !before.has(name)));
  return [...added].sort().flatMap((name) => {
    const path = `metadata.finalizers: ${quote(name)}`;
    const isBare = !name.includes("/") && !standardFinalizers.has(name);
    return [
      ...isLabelKey(name).map((problem) => `${path}: ${problem}`),
      ...(isBare
        ? [
            `${path}: prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
          ]
        : []),
    ];
  });
}
