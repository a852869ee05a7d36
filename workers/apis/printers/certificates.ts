import type { KubeObject } from "../../apimachinery/meta.ts";
import { list, text } from "./cells.ts";
import { age, column, name, tablePrinter } from "./columns.ts";
import { humanDuration } from "./human-duration.ts";

/** Group certificates.k8s.io. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const signerOrNone = column("SignerName", "Signer.", (object) => text(object.spec?.signerName) || "<none>");

function condition(request: KubeObject): string {
  const types = new Set(list(request.status?.conditions).map((condition) => condition.type));
  const parts = [types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending"];
  if (types.has("Failed")) parts.push("Failed");
  if (text(request.status?.certificate) !== "") parts.push("Issued");
  return parts.join(",");
}

const certificatesigningrequests = tablePrinter(
  name,
  age,
  signerOrNone,
  column("Requestor", "User who asks.", (object) => text(object.spec?.username)),
  column("RequestedDuration", "Validity that is asked for.", ({ spec }) =>
    typeof spec?.expirationSeconds === "number" ? humanDuration(spec.expirationSeconds * 1000) : "<none>",
  ),
  column("Condition", "State of the request.", condition),
);

const clustertrustbundles = tablePrinter(name, signerOrNone);

const states = ["Issued", "Denied", "Failed"];

/** The three end states exclude each other. */
const podRequestState = (request: KubeObject): string =>
  list(request.status?.conditions).findLast((condition) => states.includes(condition.type))?.type ?? "Pending";

const podcertificaterequests = tablePrinter(
  name,
  column("PodName", "Pod that asks.", (object) => text(object.spec?.podName)),
  column("ServiceAccountName", "Service account of the pod.", (object) => text(object.spec?.serviceAccountName)),
  column("NodeName", "Node of the pod.", (object) => text(object.spec?.nodeName)),
  column("SignerName", "Signer.", (object) => text(object.spec?.signerName)),
  column("State", "State of the request.", podRequestState),
);

export const certificatesPrinters = { certificatesigningrequests, clustertrustbundles, podcertificaterequests };
