import type { KubeObject } from "../../apimachinery/meta.ts";
import { quote } from "../../apimachinery/quote.ts";

/** Where a service is reached. */
export interface Endpoint {
  /** `https://host:port`, without a slash at the end. */
  base: string;
  /** An address of the cluster network, where a Worker has no route to. */
  inCluster: boolean;
}

/**
 * The location of a service's port, as ResolveCluster of k8s.io/apiserver pkg/util/proxy/proxy.go (1.36) finds it. Throws Error
 * in its words.
 */
export function resolveCluster(service: KubeObject, port: number): Endpoint {
  const { type = "ClusterIP", clusterIP, externalName, ports = [] } = service.spec ?? {};
  if (type === "ExternalName") return { base: baseOf(String(externalName ?? ""), port), inCluster: false };
  if (type === "ClusterIP" && clusterIP === "None") throw new Error('cannot route to service with ClusterIP "None"');
  if (type !== "ClusterIP" && type !== "LoadBalancer" && type !== "NodePort") {
    throw new Error(`unsupported service type ${quote(String(type))}`);
  }
  if (!ports.some((each: { port: number }) => each.port === port)) {
    throw new Error(`no service port ${port} found for service ${quote(service.metadata.name ?? "")}`);
  }
  return { base: baseOf(String(clusterIP ?? ""), port), inCluster: true };
}

function baseOf(host: string, port: number): string {
  const base = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  let url: URL | undefined;
  try {
    url = new URL(base);
  } catch {
    // Told below.
  }
  // What is more than a host would change the place of the request.
  if (url === undefined || url.username !== "" || url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw new Error(`invalid host ${quote(host)}`);
  }
  return base;
}
