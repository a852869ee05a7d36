import type { KubeObject } from "../../apimachinery/meta.ts";
import { list, text } from "./cells.ts";
import { age, column, name, tablePrinter, wide } from "./columns.ts";

/** Mirrors printNode of pkg/printers/internalversion/printers.go (1.36). */

const rolePrefix = "node-role.kubernetes.io/";

function status(node: KubeObject): string {
  const ready = list(node.status?.conditions).findLast((condition) => condition.type === "Ready");
  const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return node.spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

/** From labels `node-role.kubernetes.io/<role>` and `kubernetes.io/role=<role>`. */
function roles(node: KubeObject): string {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata?.labels ?? {})) {
    if (key.startsWith(rolePrefix)) found.add(key.slice(rolePrefix.length));
    else if (key === "kubernetes.io/role") found.add(value);
  }
  found.delete("");
  return [...found].sort().join(",") || "<none>";
}

const address = (type: string) => (node: KubeObject) =>
  list(node.status?.addresses).find((address) => address.type === type)?.address ?? "<none>";

const nodeInfo = (field: string) => (node: KubeObject) => text(node.status?.nodeInfo?.[field]) || "<unknown>";

const nodes = tablePrinter(
  name,
  column("Status", "State of the node.", status),
  column("Roles", "Roles of the node.", roles),
  age,
  column("Version", "Version of the kubelet.", (node) => text(node.status?.nodeInfo?.kubeletVersion)),
  wide(column("Internal-IP", "First internal address.", address("InternalIP"))),
  wide(column("External-IP", "First external address.", address("ExternalIP"))),
  wide(column("OS-Image", "Operating system.", nodeInfo("osImage"))),
  wide(column("Kernel-Version", "Version of the kernel.", nodeInfo("kernelVersion"))),
  wide(column("Container-Runtime", "Container runtime and its version.", nodeInfo("containerRuntimeVersion"))),
);

export const nodePrinters = { nodes };
