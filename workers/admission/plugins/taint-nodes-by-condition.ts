import type { AdmissionPlugin } from "../chain.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** A new node takes no pods until its lifecycle controller has seen it ready. Mirrors plugin/pkg/admission/nodetaint (1.36). */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  resources: new Set(["nodes"]),
  admit({ operation, object, subresource }) {
    if (operation !== "CREATE" || subresource !== "") return;
    object.spec ??= {};
    const taints: { key: string; effect: string }[] = object.spec.taints ?? [];
    if (!taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) {
      object.spec.taints = [...taints, notReady];
    }
  },
};
