import type { KubeObject } from "../../apimachinery/meta.ts";
import { count, list, text } from "./cells.ts";
import { age, boolean, column, integer, name, tablePrinter } from "./columns.ts";

/** Group scheduling.k8s.io. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const priorityclasses = tablePrinter(
  name,
  integer("Value", "The priority.", (object) => count(object.value)),
  boolean("Global-Default", "Whether pods without a class have it.", (object) => object.globalDefault ?? false),
  age,
  column("PreemptionPolicy", "Whether its pods displace others.", (object) => text(object.preemptionPolicy)),
);

const workloads = tablePrinter(name, age);

function podGroupStatus(group: KubeObject): string {
  const last = (type: string) => list(group.status?.conditions).findLast((condition) => condition.type === type);
  const disrupted = last("DisruptionTarget");
  if (disrupted !== undefined) return text(disrupted.reason);
  const scheduled = last("PodGroupScheduled");
  if (scheduled === undefined) return "Pending";
  return scheduled.status === "True" ? "Scheduled" : "Unschedulable";
}

const podgroups = tablePrinter(
  name,
  column("Policy", "Gang or Basic.", (object) => (object.spec?.schedulingPolicy?.gang ? "Gang" : "Basic")),
  column("Workload", "Workload that it is of.", ({ spec }) =>
    spec?.podGroupTemplateRef ? text(spec.podGroupTemplateRef.workload?.workloadName) : "<none>",
  ),
  column("Status", "State of the group.", podGroupStatus),
  age,
);

export const schedulingPrinters = { podgroups, priorityclasses, workloads };
