import { text } from "./cells.ts";
import { age, column, name, tablePrinter } from "./columns.ts";

/** Group coordination.k8s.io. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const leases = tablePrinter(
  name,
  column("Holder", "Who holds the lease.", (object) => text(object.spec?.holderIdentity)),
  age,
);

const leasecandidates = tablePrinter(
  name,
  column("LeaseName", "Lease that it stands for.", (object) => text(object.spec?.leaseName)),
  column("BinaryVersion", "Version of the candidate.", (object) => text(object.spec?.binaryVersion)),
  column("EmulationVersion", "Version it behaves as.", (object) => text(object.spec?.emulationVersion)),
  age,
);

export const coordinationPrinters = { leasecandidates, leases };
