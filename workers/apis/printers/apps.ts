import type { KubeObject } from "../../apimachinery/meta.ts";
import { controllerOf } from "../../apimachinery/meta.ts";
import { parseApiVersion } from "../../apimachinery/gvk.ts";
import { labelSelectorAsSelector } from "../../apimachinery/labels.ts";
import { count, dotted, formatLabelSelector, formatLabels } from "./cells.ts";
import { age, column, integer, name, tablePrinter } from "./columns.ts";
import { selector, templateColumns } from "./template-columns.ts";

/** Group apps. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const readyOfDesired = column(
  "Ready",
  "Ready pods of desired pods.",
  (object) => `${count(object.status?.readyReplicas)}/${count(object.spec?.replicas)}`,
);

const labelSelector = selector((object) => formatLabelSelector(object.spec?.selector));

const deployments = tablePrinter(
  name,
  readyOfDesired,
  column("Up-to-date", "Pods of the current template.", (object) => count(object.status?.updatedReplicas)),
  column("Available", "Available pods.", (object) => count(object.status?.availableReplicas)),
  age,
  ...templateColumns(),
  selector(deploymentSelector),
);

/** Unlike other kinds, empty (not `<none>`) when nothing is restricted. */
function deploymentSelector(object: KubeObject): string {
  try {
    return labelSelectorAsSelector(object.spec?.selector).toString();
  } catch {
    return "<invalid>";
  }
}

const replicasets = tablePrinter(
  name,
  integer("Desired", "Desired pods.", (object) => count(object.spec?.replicas)),
  integer("Current", "Existing pods.", (object) => count(object.status?.replicas)),
  integer("Ready", "Ready pods.", (object) => count(object.status?.readyReplicas)),
  age,
  ...templateColumns(),
  labelSelector,
);

const statefulsets = tablePrinter(name, readyOfDesired, age, ...templateColumns());

const daemonsets = tablePrinter(
  name,
  integer("Desired", "Nodes that should run the pod.", (object) => count(object.status?.desiredNumberScheduled)),
  integer("Current", "Nodes that should and do run it.", (object) => count(object.status?.currentNumberScheduled)),
  integer("Ready", "Nodes where it is ready.", (object) => count(object.status?.numberReady)),
  integer("Up-to-date", "Nodes with the current template.", (object) => count(object.status?.updatedNumberScheduled)),
  integer("Available", "Nodes where it is available.", (object) => count(object.status?.numberAvailable)),
  column("Node Selector", "Labels of eligible nodes.", (object) =>
    formatLabels(object.spec?.template?.spec?.nodeSelector),
  ),
  age,
  ...templateColumns(),
  labelSelector,
);

const controllerrevisions = tablePrinter(
  name,
  column("Controller", "Controller of the object.", controllerName),
  column("Revision", "Number of the revision.", (object) => count(object.revision)),
  age,
);

function controllerName(object: KubeObject): string {
  const owner = controllerOf(object);
  if (owner === undefined) return "<none>";
  const { group } = parseApiVersion(owner.apiVersion);
  return `${dotted(owner.kind, group).toLowerCase()}/${owner.name}`;
}

export const appsPrinters = { controllerrevisions, daemonsets, deployments, replicasets, statefulsets };
