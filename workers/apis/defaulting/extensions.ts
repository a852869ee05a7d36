import { defaultServiceReference } from "./admissionregistration.ts";
import { ensureObject, setDefault, type Json } from "./set-default.ts";

/** Mirrors pkg/apis/apiextensions/v1/defaults.go of k8s.io/apiextensions-apiserver (1.36). */
export function defaultCustomResourceDefinition(definition: Json): void {
  const spec = ensureObject(definition, "spec");
  const names = ensureObject(spec, "names");
  if (names["kind"]) {
    setDefault(names, "singular", String(names["kind"]).toLowerCase());
    setDefault(names, "listKind", `${names["kind"]}List`);
  }
  setDefault(spec, "conversion", { strategy: "None" });
  defaultServiceReference(spec["conversion"].webhook?.clientConfig?.service);
  const status = ensureObject(definition, "status");
  if (!status["storedVersions"]?.length) {
    const stored = (spec["versions"] as Json[] | undefined)?.find((version) => version["storage"] === true);
    if (stored) status["storedVersions"] = [stored["name"]];
  }
}

/** Mirrors pkg/apis/apiregistration/v1/defaults.go of k8s.io/kube-aggregator (1.36). */
export function defaultAPIService(service: Json): void {
  defaultServiceReference(service["spec"]?.service);
}
