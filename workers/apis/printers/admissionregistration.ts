import type { KubeObject } from "../../apimachinery/meta.ts";
import { list, text } from "./cells.ts";
import { age, column, integer, name, tablePrinter } from "./columns.ts";

/** Group admissionregistration.k8s.io. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const webhookConfigurations = tablePrinter(
  name,
  integer("Webhooks", "Number of webhooks.", (object) => list(object.webhooks).length),
  age,
);

const paramKind = column("ParamKind", "Kind of the parameters.", ({ spec }) =>
  spec?.paramKind ? `${text(spec.paramKind.apiVersion)}/${text(spec.paramKind.kind)}` : "<unset>",
);

const validatingadmissionpolicies = tablePrinter(
  name,
  integer("Validations", "Number of validations.", (object) => list(object.spec?.validations).length),
  paramKind,
  age,
);

const mutatingadmissionpolicies = tablePrinter(
  name,
  integer("Mutations", "Number of mutations.", (object) => list(object.spec?.mutations).length),
  paramKind,
  age,
);

function paramRef(binding: KubeObject): string {
  const { name, namespace, selector } = binding.spec?.paramRef ?? {};
  // Whether the parameters have a namespace cannot be told from here.
  if (text(name) !== "") return `${text(namespace) || "*"}/${name}`;
  return selector ? goLabelSelector(selector) : "<unset>";
}

/** The form of metav1.LabelSelector's generated String method. */
function goLabelSelector(selector: any): string {
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const matchLabels = labels.map(([key, value]) => `${key}: ${String(value)},`).join("");
  const expressions = list(selector.matchExpressions).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${text(key)},Operator:${text(operator)},Values:[${list(values).join(" ")}],},`,
  );
  return (
    `&LabelSelector{MatchLabels:map[string]string{${matchLabels}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`
  );
}

const policyBindings = tablePrinter(
  name,
  column("PolicyName", "Policy that is bound.", (object) => text(object.spec?.policyName)),
  column("ParamRef", "Parameters of the policy.", paramRef),
  age,
);

export const admissionregistrationPrinters = {
  mutatingadmissionpolicies,
  mutatingadmissionpolicybindings: policyBindings,
  mutatingwebhookconfigurations: webhookConfigurations,
  validatingadmissionpolicies,
  validatingadmissionpolicybindings: policyBindings,
  validatingwebhookconfigurations: webhookConfigurations,
};
