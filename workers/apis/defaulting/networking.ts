import { each, ensureObject, setDefault, type Json } from "./set-default.ts";

/* Mirrors pkg/apis/networking/v1/defaults.go (1.36). */

export function defaultNetworkPolicy(policy: Json): void {
  const spec = ensureObject(policy, "spec");
  for (const direction of ["ingress", "egress"]) {
    each(spec[direction], (rule) => each(rule["ports"], (port) => setDefault(port, "protocol", "TCP")));
  }
  if (!spec["policyTypes"]?.length) {
    spec["policyTypes"] = spec["egress"]?.length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  }
}

export function defaultIngressClass(ingressClass: Json): void {
  const parameters: Json | undefined = ingressClass["spec"]?.parameters;
  if (parameters) setDefault(parameters, "scope", "Cluster");
}
