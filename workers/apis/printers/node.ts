import { text } from "./cells.ts";
import { age, column, name, tablePrinter } from "./columns.ts";

/** Group node.k8s.io. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const runtimeclasses = tablePrinter(
  name,
  column("Handler", "Handler of the container runtime.", (object) => text(object.handler)),
  age,
);

export const nodeGroupPrinters = { runtimeclasses };
