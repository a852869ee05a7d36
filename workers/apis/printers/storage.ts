import type { KubeObject } from "../../apimachinery/meta.ts";
import { list, quantity, text } from "./cells.ts";
import { age, boolean, column, integer, name, named, tablePrinter } from "./columns.ts";

/** Group storage.k8s.io. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

function storageClassName({ metadata }: KubeObject): string {
  const isDefault = defaultAnnotations.some((annotation) => metadata?.annotations?.[annotation] === "true");
  return `${metadata?.name ?? ""}${isDefault ? " (default)" : ""}`;
}

const storageclasses = tablePrinter(
  named(column("Name", "Name of the object.", storageClassName)),
  column("Provisioner", "What makes the volumes.", (object) => text(object.provisioner)),
  column("ReclaimPolicy", "What happens to released volumes.", (object) => object.reclaimPolicy ?? "Delete"),
  column("VolumeBindingMode", "When volumes are bound.", (object) => object.volumeBindingMode ?? "Immediate"),
  column("AllowVolumeExpansion", "Whether volumes may grow.", (object) => object.allowVolumeExpansion ?? false),
  age,
);

const volumeattributesclasses = tablePrinter(
  name,
  column("DriverName", "CSI driver.", (object) => text(object.driverName)),
  age,
);

const volumeattachments = tablePrinter(
  name,
  named(column("Attacher", "CSI driver that attaches.", (object) => text(object.spec?.attacher))),
  column("PV", "The volume.", (object) => text(object.spec?.source?.persistentVolumeName)),
  column("Node", "The node.", (object) => text(object.spec?.nodeName)),
  boolean("Attached", "Whether it is attached.", (object) => object.status?.attached ?? false),
  age,
);

const csinodes = tablePrinter(
  name,
  integer("Drivers", "Number of CSI drivers on the node.", (object) => list(object.spec?.drivers).length),
  age,
);

/** Audiences of the tokens that the driver is given; an empty list differs from none. */
function tokenRequests({ spec }: KubeObject): string {
  if (!Array.isArray(spec?.tokenRequests)) return "<unset>";
  return spec.tokenRequests.map((request: any) => text(request.audience)).join(",");
}

const csidrivers = tablePrinter(
  name,
  boolean("AttachRequired", "Whether volumes are attached first.", (object) => object.spec?.attachRequired ?? true),
  boolean("PodInfoOnMount", "Whether it is told of the pod.", (object) => object.spec?.podInfoOnMount ?? false),
  boolean("StorageCapacity", "Whether it reports capacity.", (object) => object.spec?.storageCapacity ?? false),
  column("TokenRequests", "Audiences of its tokens.", tokenRequests),
  boolean("RequiresRepublish", "Whether mounts are refreshed.", (object) => object.spec?.requiresRepublish ?? false),
  column("Modes", "Kinds of volumes.", (object) => list(object.spec?.volumeLifecycleModes).join(",") || "<none>"),
  age,
);

const csistoragecapacities = tablePrinter(
  name,
  column("StorageClassName", "Storage class.", (object) => text(object.storageClassName)),
  column("Capacity", "Available capacity.", (object) => quantity(object.capacity, "<unset>")),
);

export const storagePrinters = {
  csidrivers,
  csinodes,
  csistoragecapacities,
  storageclasses,
  volumeattachments,
  volumeattributesclasses,
};
