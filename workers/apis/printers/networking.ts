import type { KubeObject } from "../../apimachinery/meta.ts";
import { dotted, formatLabelSelector, list, text } from "./cells.ts";
import { age, column, name, tablePrinter } from "./columns.ts";
import { loadBalancerAddresses } from "./services.ts";

/** Group networking.k8s.io. Mirrors pkg/printers/internalversion/printers.go (1.36). */

/** The first three hosts; what goes beyond counts rules, also those without a host. */
function hosts(ingress: KubeObject): string {
  const rules = list(ingress.spec?.rules);
  const named: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (named.length === 3) more = true;
    else if (text(rule.host) !== "") named.push(rule.host);
  }
  if (named.length === 0) return "*";
  return more ? `${named.join(",")} + ${rules.length - 3} more...` : named.join(",");
}

const ingresses = tablePrinter(
  name,
  column("Class", "Class of the ingress.", (ingress) => ingress.spec?.ingressClassName ?? "<none>"),
  column("Hosts", "Hosts that the rules are for.", hosts),
  column("Address", "Addresses of the load balancer.", (ingress) => loadBalancerAddresses(ingress).join(",")),
  column("Ports", "Open ports.", (ingress) => (list(ingress.spec?.tls).length > 0 ? "80, 443" : "80")),
  age,
);

function parameters({ spec }: KubeObject): string {
  if (!spec?.parameters) return "<none>";
  const { kind, name, apiGroup } = spec.parameters;
  // An empty group leaves its dot behind.
  return `${text(kind)}${typeof apiGroup === "string" ? `.${apiGroup}` : ""}/${text(name)}`;
}

const ingressclasses = tablePrinter(
  name,
  column("Controller", "Controller of the class.", (object) => text(object.spec?.controller)),
  column("Parameters", "Object with more settings.", parameters),
  age,
);

const networkpolicies = tablePrinter(
  name,
  // The selector is no pointer in Go: none selects everything.
  column("Pod-Selector", "Labels of the pods it applies to.", (object) =>
    formatLabelSelector(object.spec?.podSelector ?? {}),
  ),
  age,
);

const servicecidrs = tablePrinter(
  name,
  column("CIDRs", "Address ranges.", (object) => list(object.spec?.cidrs).join(",")),
  age,
);

function parentRef({ spec }: KubeObject): string {
  if (!spec?.parentRef) return "<none>";
  const { group, resource, namespace, name } = spec.parentRef;
  const path = text(namespace) === "" ? text(name) : `${namespace}/${text(name)}`;
  return `${dotted(text(resource), text(group)).toLowerCase()}/${path}`;
}

const ipaddresses = tablePrinter(name, column("ParentRef", "Object that has the address.", parentRef));

export const networkingPrinters = { ingressclasses, ingresses, ipaddresses, networkpolicies, servicecidrs };
