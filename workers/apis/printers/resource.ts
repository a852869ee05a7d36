import type { KubeObject } from "../../apimachinery/meta.ts";
import { count, list, since, text } from "./cells.ts";
import { age, column, integer, name, tablePrinter } from "./columns.ts";

/** Group resource.k8s.io. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const nameAndAge = tablePrinter(name, age);

function claimState({ metadata, status }: KubeObject): string {
  const states: string[] = [];
  if (metadata?.deletionTimestamp) states.push("deleted");
  if (status?.allocation) {
    states.push("allocated");
    if (list(status.reservedFor).length > 0) states.push("reserved");
  } else if (states.length === 0) states.push("pending");
  return states.join(",");
}

const resourceclaims = tablePrinter(name, column("State", "State of the claim.", claimState), age);

const resourceslices = tablePrinter(
  name,
  column("Node", "Node of the devices.", (object) => text(object.spec?.nodeName)),
  column("Driver", "Driver of the devices.", (object) => text(object.spec?.driver)),
  column("Pool", "Pool that it is part of.", (object) => text(object.spec?.pool?.name)),
  age,
);

const taint = (object: KubeObject): any => object.spec?.taint;

const devicetaintrules = tablePrinter(
  name,
  column("Key", "Key of the taint.", (object) => text(taint(object)?.key)),
  column("Value", "Value of the taint.", (object) => text(taint(object)?.value)),
  column("Effect", "Effect of the taint.", (object) => text(taint(object)?.effect)),
  column("TimeAdded", "Time since the taint was set.", (object, now) =>
    taint(object)?.timeAdded ? since(taint(object).timeAdded, now) : "",
  ),
  age,
);

/** The condition that ended the request: the first that is Complete or Failed. */
const outcome = (request: KubeObject): any =>
  list(request.status?.conditions).find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );

function requestStatus(request: KubeObject): string {
  const type = outcome(request)?.type;
  if (type !== "Complete") return type ?? "Pending";
  const shown = list(request.status.pools).length;
  const total = count(request.status.poolCount);
  return total > shown ? `Complete (${shown}/${total} pools)` : "Complete";
}

/** Adds up over the pools; `-` as long as there is no result. */
const overPools = (amount: (pool: any) => number) => (request: KubeObject) => {
  if (!request.status || outcome(request)?.type === "Failed") return "-";
  return String(list(request.status.pools).reduce((sum: number, pool) => sum + amount(pool), 0));
};

const resourcepoolstatusrequests = tablePrinter(
  name,
  column("Driver", "Driver of the pools.", (object) => text(object.spec?.driver)),
  column(
    "Total",
    "Devices in all pools.",
    overPools((pool) => count(pool.totalDevices)),
  ),
  column(
    "Available",
    "Available devices.",
    overPools((pool) => count(pool.availableDevices)),
  ),
  column(
    "Allocated",
    "Allocated devices.",
    overPools((pool) => count(pool.allocatedDevices)),
  ),
  column(
    "Unavailable",
    "Unavailable devices.",
    overPools((pool) => count(pool.unavailableDevices)),
  ),
  column(
    "Errors",
    "Pools that are not valid.",
    overPools((pool) => (typeof pool.validationError === "string" ? 1 : 0)),
  ),
  integer("Pools", "Matching pools.", (object) => count(object.status?.poolCount)),
  column("Status", "State of the request.", requestStatus),
  column("Completed", "Time since completion.", (object, now) => {
    const result = outcome(object);
    return result?.type === "Complete" ? since(result.lastTransitionTime, now) : "<none>";
  }),
);

export const resourcePrinters = {
  deviceclasses: nameAndAge,
  devicetaintrules,
  resourceclaims,
  resourceclaimtemplates: nameAndAge,
  resourcepoolstatusrequests,
  resourceslices,
};
