import type { KubeObject } from "../../apimachinery/meta.ts";
import { dotted, list, listWithMore, text } from "./cells.ts";
import { age, column, name, tablePrinter } from "./columns.ts";

/**
 * Kinds about the API server itself: apiregistration.k8s.io, internal.apiserver.k8s.io, storagemigration.k8s.io.
 * Mirrors kube-aggregator pkg/registry/apiservice/etcd/etcd.go and pkg/printers/internalversion/printers.go (1.36).
 */

function available(apiService: KubeObject): string {
  const condition = list(apiService.status?.conditions).find((condition) => condition.type === "Available");
  if (condition === undefined) return "Unknown";
  const reason = text(condition.reason);
  return condition.status === "True" || reason === ""
    ? text(condition.status)
    : `${text(condition.status)} (${reason})`;
}

const apiservices = tablePrinter(
  name,
  column("Service", "Service that answers.", ({ spec }) =>
    spec?.service ? `${text(spec.service.namespace)}/${text(spec.service.name)}` : "Local",
  ),
  column("Available", "Whether it answers.", available),
  age,
);

const storageversions = tablePrinter(
  name,
  column(
    "CommonEncodingVersion",
    "Version that all servers write.",
    (object) => object.status?.commonEncodingVersion ?? "<unset>",
  ),
  column("StorageVersions", "Version that each server writes.", (object) =>
    listWithMore(
      list(object.status?.storageVersions).map(
        ({ apiServerID, encodingVersion }) => `${text(apiServerID)}=${text(encodingVersion)}`,
      ),
    ),
  ),
  age,
);

const migrationStates = ["Running", "Failed", "Succeeded"];

const migrationStatus = (migration: KubeObject): string =>
  list(migration.status?.conditions).findLast(({ type, status }) => status === "True" && migrationStates.includes(type))
    ?.type ?? "Unknown";

const storageversionmigrations = tablePrinter(
  // Upstream does not mark it as the name; clients find it by being first.
  column("Name", "Name of the object.", (object) => object.metadata?.name ?? ""),
  column("Resource", "Resource that is migrated.", ({ spec }) =>
    dotted(text(spec?.resource?.resource), text(spec?.resource?.group)),
  ),
  column("Status", "State of the migration.", migrationStatus),
);

export const apiregistrationPrinters = { apiservices };
export const apiserverInternalPrinters = { storageversions };
export const storagemigrationPrinters = { storageversionmigrations };
