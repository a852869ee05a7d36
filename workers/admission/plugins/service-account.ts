import type { AdmissionPlugin } from "../chain.ts";

/** A pod without a service account runs as `default`. Mirrors the first step of plugin/pkg/admission/serviceaccount (1.36). */
export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",
  resources: new Set(["pods"]),
  admit({ operation, object, subresource }) {
    if (operation !== "CREATE" || subresource !== "") return;
    if (object.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined) return;
    object.spec.serviceAccountName ||= "default";
    object.spec.serviceAccount = object.spec.serviceAccountName;
  },
};
