import { admissionregistrationPrinters } from "./admissionregistration.ts";
import { apiregistrationPrinters, apiserverInternalPrinters, storagemigrationPrinters } from "./apiserver.ts";
import { appsPrinters } from "./apps.ts";
import { autoscalingPrinters, scalePrinter } from "./autoscaling.ts";
import { batchPrinters } from "./batch.ts";
import { certificatesPrinters } from "./certificates.ts";
import { coordinationPrinters } from "./coordination.ts";
import { podPrinters } from "./core-pods.ts";
import { corePrinters } from "./core.ts";
import { defaultPrinter } from "./default.ts";
import { discoveryPrinters } from "./discovery.ts";
import { eventPrinters } from "./events.ts";
import { flowcontrolPrinters } from "./flowcontrol.ts";
import { networkingPrinters } from "./networking.ts";
import { nodeGroupPrinters } from "./node.ts";
import { nodePrinters } from "./nodes.ts";
import { policyPrinters } from "./policy.ts";
import type { TablePrinter } from "./printer.ts";
import { rbacPrinters } from "./rbac.ts";
import { resourcePrinters } from "./resource.ts";
import { schedulingPrinters } from "./scheduling.ts";
import { servicePrinters } from "./services.ts";
import { storagePrinters } from "./storage.ts";

const byGroup: Record<string, Record<string, TablePrinter>> = {
  "": { ...corePrinters, ...eventPrinters, ...nodePrinters, ...podPrinters, ...servicePrinters },
  "admissionregistration.k8s.io": admissionregistrationPrinters,
  "apiregistration.k8s.io": apiregistrationPrinters,
  apps: appsPrinters,
  autoscaling: autoscalingPrinters,
  batch: batchPrinters,
  "certificates.k8s.io": certificatesPrinters,
  "coordination.k8s.io": coordinationPrinters,
  "discovery.k8s.io": discoveryPrinters,
  "events.k8s.io": eventPrinters,
  "flowcontrol.apiserver.k8s.io": flowcontrolPrinters,
  "internal.apiserver.k8s.io": apiserverInternalPrinters,
  "networking.k8s.io": networkingPrinters,
  "node.k8s.io": nodeGroupPrinters,
  policy: policyPrinters,
  "rbac.authorization.k8s.io": rbacPrinters,
  "resource.k8s.io": resourcePrinters,
  "scheduling.k8s.io": schedulingPrinters,
  "storage.k8s.io": storagePrinters,
  "storagemigration.k8s.io": storagemigrationPrinters,
};

const printers = new Map(
  Object.entries(byGroup).flatMap(([group, ofGroup]) =>
    Object.entries(ofGroup).map(([resource, printer]) => [`${group}/${resource}`, printer] as const),
  ),
);

/**
 * The printer of a resource, for any of its served versions; name and time of creation for kinds without their own.
 * `<resource>/scale` has the columns of a Scale.
 */
export function printerFor(group: string, resource: string): TablePrinter {
  if (resource.endsWith("/scale")) return scalePrinter;
  return printers.get(`${group}/${resource}`) ?? defaultPrinter;
}
