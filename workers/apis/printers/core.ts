import type { KubeObject } from "../../apimachinery/meta.ts";
import { count, formatLabels, list, quantity, sizeOf, text } from "./cells.ts";
import { age, column, integer, name, tablePrinter, wide } from "./columns.ts";
import { selector, templateColumns } from "./template-columns.ts";

/** Other kinds of the core group. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const replicationcontrollers = tablePrinter(
  name,
  integer("Desired", "Desired pods.", (object) => count(object.spec?.replicas)),
  integer("Current", "Existing pods.", (object) => count(object.status?.replicas)),
  integer("Ready", "Ready pods.", (object) => count(object.status?.readyReplicas)),
  age,
  ...templateColumns(),
  selector((object) => formatLabels(object.spec?.selector)),
);

const namespaces = tablePrinter(
  name,
  column("Status", "State of the namespace.", (object) => text(object.status?.phase)),
  age,
);

const secrets = tablePrinter(
  name,
  column("Type", "Type of the secret.", (object) => text(object.type)),
  column("Data", "Number of entries.", (object) => sizeOf(object.data)),
  age,
);

const configmaps = tablePrinter(
  name,
  column("Data", "Number of entries.", (object) => sizeOf(object.data) + sizeOf(object.binaryData)),
  age,
);

const serviceaccounts = tablePrinter(
  name,
  column("Secrets", "Number of secrets.", (object) => list(object.secrets).length),
  age,
);

const storageClassAnnotation = "volume.beta.kubernetes.io/storage-class";
const storageClass = (object: KubeObject): string =>
  object.metadata?.annotations?.[storageClassAnnotation] ?? text(object.spec?.storageClassName);

const accessModeNames = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

const accessModes = (modes: unknown): string =>
  accessModeNames
    .filter(([mode]) => list(modes).includes(mode))
    .map(([, short]) => short)
    .join(",");

const phase = (object: KubeObject): string =>
  object.metadata?.deletionTimestamp ? "Terminating" : text(object.status?.phase);

const attributesClass = column(
  "VolumeAttributesClass",
  "Class of the volume's attributes.",
  (object) => object.spec?.volumeAttributesClassName ?? "<unset>",
);
const volumeMode = wide(column("VolumeMode", "Filesystem or Block.", (object) => object.spec?.volumeMode ?? "<unset>"));

const persistentvolumes = tablePrinter(
  name,
  column("Capacity", "Size of the volume.", (object) => quantity(object.spec?.capacity?.storage)),
  column("Access Modes", "Ways to mount it.", (object) => accessModes(object.spec?.accessModes)),
  column("Reclaim Policy", "What happens on release.", (object) => text(object.spec?.persistentVolumeReclaimPolicy)),
  column("Status", "State of the volume.", phase),
  column("Claim", "Claim that it is bound to.", ({ spec }) =>
    spec?.claimRef ? `${text(spec.claimRef.namespace)}/${text(spec.claimRef.name)}` : "",
  ),
  column("StorageClass", "Storage class of the volume.", storageClass),
  attributesClass,
  column("Reason", "Why it is in this state.", (object) => text(object.status?.reason)),
  age,
  volumeMode,
);

const bound = (object: KubeObject): boolean => text(object.spec?.volumeName) !== "";

const persistentvolumeclaims = tablePrinter(
  name,
  column("Status", "State of the claim.", phase),
  column("Volume", "Volume that it is bound to.", (object) => text(object.spec?.volumeName)),
  column("Capacity", "Size of the volume.", (object) =>
    bound(object) ? quantity(object.status?.capacity?.storage) : "",
  ),
  column("Access Modes", "Ways to mount it.", (object) =>
    bound(object) ? accessModes(object.status?.accessModes) : "",
  ),
  column("StorageClass", "Storage class of the claim.", storageClass),
  attributesClass,
  age,
  volumeMode,
);

/** `resource: used/hard`, for limits or for everything else. */
const quotaOf = (limits: boolean) => (object: KubeObject) =>
  Object.keys(object.status?.hard ?? {})
    .filter((resource) => resource.startsWith("limits.") === limits)
    .sort()
    .map((resource) => {
      const { used, hard } = object.status;
      return `${resource}: ${quantity(used?.[resource])}/${quantity(hard[resource])}`;
    })
    .join(", ");

const resourcequotas = tablePrinter(
  name,
  column("Request", "Used and allowed amounts.", quotaOf(false)),
  column("Limit", "Used and allowed limits.", quotaOf(true)),
  age,
);

const healthy = (object: KubeObject): any => list(object.conditions).find((condition) => condition.type === "Healthy");

const componentstatuses = tablePrinter(
  name,
  column("Status", "Health of the component.", (object) => {
    const condition = healthy(object);
    return condition === undefined ? "Unknown" : condition.status === "True" ? "Healthy" : "Unhealthy";
  }),
  column("Message", "Message of the health check.", (object) => text(healthy(object)?.message)),
  column("Error", "Error of the health check.", (object) => text(healthy(object)?.error)),
);

export const corePrinters = {
  componentstatuses,
  configmaps,
  namespaces,
  persistentvolumeclaims,
  persistentvolumes,
  replicationcontrollers,
  resourcequotas,
  secrets,
  serviceaccounts,
};
