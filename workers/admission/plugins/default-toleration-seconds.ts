import type { AdmissionPlugin } from "../chain.ts";

const tolerationSeconds = 300;

/** Pods stay five minutes on a node that is not ready or unreachable. Mirrors plugin/pkg/admission/defaulttolerationseconds (1.36). */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  resources: new Set(["pods"]),
  admit({ operation, object, subresource }) {
    if (operation !== "CREATE" || subresource !== "") return;
    const tolerations: any[] = object.spec.tolerations ?? [];
    for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
      const tolerated = tolerations.some(
        (toleration) =>
          (toleration.key === key || !toleration.key) && (toleration.effect === "NoExecute" || !toleration.effect),
      );
      if (!tolerated) tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds });
    }
    object.spec.tolerations = tolerations;
  },
};
