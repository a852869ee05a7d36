import type { KubeObject } from "../../apimachinery/meta.ts";
import { count, list, text } from "./cells.ts";
import { age, column, name, tablePrinter } from "./columns.ts";
import type { TablePrinter } from "./printer.ts";

/** Group flowcontrol.apiserver.k8s.io. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const precedence = (schema: KubeObject): number => count(schema.spec?.matchingPrecedence);

const flowschemas: TablePrinter = {
  ...tablePrinter(
    name,
    column("PriorityLevel", "Its priority level.", (object) => text(object.spec?.priorityLevelConfiguration?.name)),
    column("MatchingPrecedence", "Lower ones match first.", precedence),
    column("DistinguisherMethod", "How flows are told apart.", ({ spec }) =>
      spec?.distinguisherMethod ? text(spec.distinguisherMethod.type) : "<none>",
    ),
    age,
    column("MissingPL", "Whether the priority level is missing.", ({ status }) =>
      text(list(status?.conditions).find((condition) => condition.type === "Dangling")?.status ?? "?"),
    ),
  ),
  /** In the order in which they match. */
  compare(a, b) {
    const difference = precedence(a) - precedence(b);
    if (difference !== 0) return difference;
    const [left, right] = [a.metadata?.name ?? "", b.metadata?.name ?? ""];
    return left < right ? -1 : left > right ? 1 : 0;
  },
};

const limited = (field: string) => (level: KubeObject) =>
  level.spec?.limited ? count(level.spec.limited[field]) : "<none>";

const queuing = (field: string) => (level: KubeObject) => {
  const queuing = level.spec?.limited?.limitResponse?.queuing;
  return queuing ? count(queuing[field]) : "<none>";
};

const prioritylevelconfigurations = tablePrinter(
  name,
  column("Type", "Limited or Exempt.", (object) => text(object.spec?.type)),
  column("NominalConcurrencyShares", "Its share of the server.", limited("nominalConcurrencyShares")),
  column("Queues", "Number of queues.", queuing("queues")),
  column("HandSize", "Queues that a flow may use.", queuing("handSize")),
  column("QueueLengthLimit", "Greatest length of a queue.", queuing("queueLengthLimit")),
  age,
);

export const flowcontrolPrinters = { flowschemas, prioritylevelconfigurations };
