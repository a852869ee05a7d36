import { each, ensureObject, setDefault, type Json } from "./set-default.ts";

/** Three hours. */
const clientIPAffinitySeconds = 10_800;

/** IP families and cluster IPs are the registry's. Mirrors SetDefaults_Service of pkg/apis/core/v1/defaults.go (1.36). */
export function defaultService(service: Json): void {
  const spec = ensureObject(service, "spec");
  setDefault(spec, "sessionAffinity", "None");
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  if (spec["sessionAffinity"] === "ClientIP" && spec["sessionAffinityConfig"]?.clientIP?.timeoutSeconds === undefined) {
    spec["sessionAffinityConfig"] = { clientIP: { timeoutSeconds: clientIPAffinitySeconds } };
  }
  setDefault(spec, "type", "ClusterIP");
  each(spec["ports"], (port) => {
    setDefault(port, "protocol", "TCP");
    if (!port["targetPort"]) port["targetPort"] = port["port"];
  });
  const { type } = spec;
  const external =
    type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && spec["externalIPs"]?.length > 0);
  if (external) setDefault(spec, "externalTrafficPolicy", "Cluster");
  if (type === "NodePort" || type === "LoadBalancer" || type === "ClusterIP") {
    setDefault(spec, "internalTrafficPolicy", "Cluster");
  }
  if (type === "LoadBalancer") {
    setDefault(spec, "allocateLoadBalancerNodePorts", true);
    each(service["status"]?.loadBalancer?.ingress, (ingress) => {
      if (ingress["ip"]) setDefault(ingress, "ipMode", "VIP");
    });
  }
}
