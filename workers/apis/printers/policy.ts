import { count } from "./cells.ts";
import { age, column, integer, name, tablePrinter } from "./columns.ts";

/** Group policy. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const intOrString = (value: unknown): string => (value === undefined || value === null ? "N/A" : String(value));

const poddisruptionbudgets = tablePrinter(
  name,
  column("Min Available", "Pods that must stay available.", (object) => intOrString(object.spec?.minAvailable)),
  column("Max Unavailable", "Pods that may be unavailable.", (object) => intOrString(object.spec?.maxUnavailable)),
  integer("Allowed Disruptions", "Pods that may be evicted now.", (object) => count(object.status?.disruptionsAllowed)),
  age,
);

export const policyPrinters = { poddisruptionbudgets };
