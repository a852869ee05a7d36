import { newForbidden } from "../../apimachinery/status-errors.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { objectKey } from "../../storage/keys.ts";
import type { AdmissionPlugin } from "../chain.ts";

const priorityClasses = { group: "scheduling.k8s.io", resource: "priorityclasses" };
/** Always there, as upstream's system classes. */
const systemPriorities: Record<string, number> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** Resolves priorityClassName into priority and preemptionPolicy. Mirrors plugin/pkg/admission/priority (1.36). */
export const priority: AdmissionPlugin = {
  name: "Priority",
  resources: new Set(["pods"]),
  async admit({ operation, object, subresource, scope }) {
    if (operation !== "CREATE" || subresource !== "") return;
    const { spec } = object;
    const name: string | undefined = spec.priorityClassName;
    let value = 0;
    let policy = "PreemptLowerPriority";
    if (name && name in systemPriorities) value = systemPriorities[name]!;
    else if (name) {
      const stored = await scope.storage.for(priorityClasses).get(objectKey(priorityClasses, undefined, name));
      if (stored === undefined) {
        throw newForbidden(
          { group: "", resource: "pods" },
          object.metadata.name ?? "",
          `no PriorityClass with name ${name} was found`,
        );
      }
      const found = JSON.parse(stored.value) as KubeObject;
      value = found.value ?? 0;
      policy = found.preemptionPolicy ?? policy;
    }
    if (spec.priority !== undefined && spec.priority !== value) {
      throw newForbidden(
        { group: "", resource: "pods" },
        object.metadata.name ?? "",
        `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      );
    }
    spec.priority = value;
    spec.preemptionPolicy ??= policy;
  },
};
