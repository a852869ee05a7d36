import type { KubeObject } from "../../apimachinery/meta.ts";
import { validateTolerations } from "./affinity.ts";
import { dnsLabel, immutable, listOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateLabels } from "./label-selector.ts";
import type { Validators } from "./registry.ts";
import { validateOverhead } from "./resources.ts";

/** Mirrors pkg/apis/node/validation/validation.go (1.36). */
function validateRuntimeClass(object: KubeObject, causes: Causes): void {
  dnsLabel(object["handler"], "handler", causes);
  if (object["overhead"]) validateOverhead(object["overhead"].podFixed, "overhead", causes);
  const scheduling = object["scheduling"];
  if (!scheduling) return;
  validateLabels(scheduling.nodeSelector, "scheduling.nodeSelector", causes);
  validateTolerations(listOf(scheduling.tolerations), "scheduling.tolerations", causes);
}

export const nodeValidators: Validators = {
  "runtimeclasses.node.k8s.io": {
    create: validateRuntimeClass,
    update: (object, previous, causes) => immutable(object["handler"], previous["handler"], "handler", causes),
  },
};
