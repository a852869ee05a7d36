import type { KubeObject } from "../../apimachinery/meta.ts";
import { containerImages, containerNames, formatLabels, isTrue, list, text } from "./cells.ts";
import { age, column, name, stringColumn, tablePrinter, wide } from "./columns.ts";
import { podSummary } from "./pod-summary.ts";
import type { TableColumn, TablePrinter, TableRowCondition } from "./printer.ts";

const completed = (reason: string, message: string): readonly TableRowCondition[] => [
  { type: "Completed", status: "True", reason, message },
];
const succeeded = completed("Succeeded", "The pod has completed successfully.");
const failed = completed("Failed", "The pod failed.");

const summaryColumns: TableColumn[] = [
  stringColumn("Ready", "Ready containers of all containers."),
  stringColumn("Status", "State of the pod, from those of its containers."),
  stringColumn("Restarts", "Restarts of the containers, and when the last one was."),
];

const otherColumns = tablePrinter(
  age,
  wide(column("IP", "First IP address.", (pod) => pod.status?.podIPs?.[0]?.ip || text(pod.status?.podIP) || "<none>")),
  wide(column("Node", "Node of the pod.", (pod) => text(pod.spec?.nodeName) || "<none>")),
  wide(column("Nominated Node", "Node where room is made.", (pod) => text(pod.status?.nominatedNodeName) || "<none>")),
  wide(column("Readiness Gates", "True readiness gates of all gates.", readinessGates)),
);

function readinessGates(pod: KubeObject): string {
  const gates = list(pod.spec?.readinessGates);
  if (gates.length === 0) return "<none>";
  const open = gates.filter((gate) => isTrue(pod.status?.conditions, gate.conditionType));
  return `${open.length}/${gates.length}`;
}

/** Mirrors printPod of pkg/printers/internalversion/printers.go (1.36). */
const pods: TablePrinter = {
  columns: [name.column, ...summaryColumns, ...otherColumns.columns],
  cells(pod, now) {
    const { ready, total, reason, restarts } = podSummary(pod, now);
    return [name.cell(pod, now), `${ready}/${total}`, reason, restarts, ...otherColumns.cells(pod, now)];
  },
  conditions(pod) {
    switch (pod.status?.phase) {
      case "Succeeded":
        return succeeded;
      case "Failed":
        return failed;
      default:
        return undefined;
    }
  },
};

const podtemplates = tablePrinter(
  name,
  column("Containers", "Container names of the pod template.", (object) => containerNames(object.template?.spec)),
  column("Images", "Container images of the pod template.", (object) => containerImages(object.template?.spec)),
  column("Pod Labels", "Labels of the pod template.", (object) => formatLabels(object.template?.metadata?.labels)),
);

export const podPrinters = { pods, podtemplates };
