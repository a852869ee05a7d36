import type { KubeObject } from "../../apimachinery/meta.ts";
import { quote } from "../../apimachinery/quote.ts";
import type { StorageFactory } from "../../registry/storage-factory.ts";
import { listPrefix, objectKey } from "../../storage/keys.ts";
import type { DefinitionCondition } from "../extensions/definition.ts";
import type { RemoteApiService } from "./api-service.ts";
import { setAuthProxyHeaders } from "./auth-proxy-headers.ts";
import { resolveCluster } from "./resolve-service.ts";

const services = { group: "", resource: "services" };
const endpointSlices = { group: "discovery.k8s.io", resource: "endpointslices" };

/** A discovery document beyond this is not read. */
const maxDocumentLength = 4 * 1024 * 1024;

export interface Availability {
  condition: DefinitionCondition;
  /** Where requests go; undefined when they cannot go anywhere. */
  base: string | undefined;
  /** What the server said about its resources; undefined if nothing that can be read. */
  resources: RemoteResource[] | undefined;
}

/** metav1.APIResource */
export interface RemoteResource {
  name: string;
  singularName?: string;
  namespaced?: boolean;
  group?: string;
  version?: string;
  kind?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
}

/** What the check needs beside the object. `fetch` gives up by itself after `timeout` milliseconds. */
export interface CheckContext {
  storage: StorageFactory;
  fetch(url: string, headers: Headers, timeout: number): Promise<Response>;
}

const probeTimeout = 5_000;

/**
 * Whether the service behind an APIService answers, and what it has. The same steps and words as sync of kube-aggregator
 * pkg/controllers/status/remote/remote_available_controller.go (1.36), with one attempt instead of five at once. Never throws
 * for what the server does.
 */
export async function checkAvailability(context: CheckContext, apiService: RemoteApiService): Promise<Availability> {
  const { namespace, name, port = 443 } = apiService.spec.service;
  const unavailable = (reason: string, message: string): Availability => ({
    condition: { type: "Available", status: "False", reason, message },
    base: undefined,
    resources: undefined,
  });
  const stored = await context.storage.for(services).get(objectKey(services, namespace, name));
  if (stored === undefined)
    return unavailable("ServiceNotFound", `service/${name} in ${quote(namespace)} is not present`);
  const service = JSON.parse(stored.value) as KubeObject;
  if ((service.spec?.type ?? "ClusterIP") === "ClusterIP") {
    const servicePort = ((service.spec?.ports ?? []) as { port: number; name?: string }[]).find(
      (each) => each.port === port,
    );
    if (servicePort === undefined) {
      return unavailable("ServicePortError", `service/${name} in ${quote(namespace)} is not listening on port ${port}`);
    }
    const slices = await endpointSlicesOf(context.storage, namespace, name);
    if (slices.length === 0) {
      return unavailable("EndpointsNotFound", `cannot find endpointslices for service/${name} in ${quote(namespace)}`);
    }
    const portName = servicePort.name ?? "";
    if (!slices.some((slice) => hasAvailableEndpoint(slice, portName))) {
      return unavailable(
        "MissingEndpoints",
        `endpointslices for service/${name} in ${quote(namespace)} have no addresses with port name ${quote(portName)}`,
      );
    }
  }
  let base: string;
  try {
    const endpoint = resolveCluster(service, port);
    base = endpoint.base;
    if (endpoint.inCluster) {
      const url = discoveryUrl(base, apiService);
      return unavailable(
        "FailedDiscoveryCheck",
        `failing or missing response from ${url}: Get ${quote(url)}: no route to the cluster network`,
      );
    }
  } catch (error) {
    return unavailable("FailedDiscoveryCheck", (error as Error).message);
  }
  const answer = await probe(context, discoveryUrl(base, apiService));
  if (typeof answer === "string") return { ...unavailable("FailedDiscoveryCheck", answer), base };
  return {
    condition: { type: "Available", status: "True", reason: "Passed", message: "all checks passed" },
    base,
    resources: answer.resources,
  };
}

/** What the server must answer. */
function discoveryUrl(base: string, { spec }: RemoteApiService): string {
  return `${base}/apis/${spec.group}/${spec.version}`;
}

/** The server's resources, or what is wrong. */
async function probe(
  context: CheckContext,
  url: string,
): Promise<string | { resources: RemoteResource[] | undefined }> {
  const headers = new Headers({ Accept: "application/json" });
  setAuthProxyHeaders(headers, { username: "system:kube-aggregator", groups: ["system:masters"] });
  let response: Response;
  let text: string;
  try {
    response = await context.fetch(url, headers, probeTimeout);
    if (response.status < 200 || response.status >= 300) {
      await response.body?.cancel();
      return `failing or missing response from ${url}: bad status from ${url}: ${response.status}`;
    }
    text = await response.text();
  } catch (error) {
    return `failing or missing response from ${url}: Get ${quote(url)}: ${reasonOf(error)}`;
  }
  return { resources: readResources(text) };
}

/** What went wrong with a request, in Go's words where there are some. */
export function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  if (name === "TimeoutError" || name === "AbortError")
    return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  return message;
}

function readResources(text: string): RemoteResource[] | undefined {
  if (text.length > maxDocumentLength) return undefined;
  try {
    const { resources } = JSON.parse(text) as { resources?: unknown };
    if (!Array.isArray(resources)) return undefined;
    return resources.every((resource) => typeof resource?.name === "string" && typeof resource.kind === "string")
      ? resources
      : undefined;
  } catch {
    return undefined;
  }
}

async function endpointSlicesOf(storage: StorageFactory, namespace: string, service: string): Promise<KubeObject[]> {
  const list = await storage.for(endpointSlices).list({ prefix: listPrefix(endpointSlices, namespace) });
  const slices = JSON.parse(`[${await list.text()}]`) as KubeObject[];
  return slices.filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === service);
}

function hasAvailableEndpoint(slice: KubeObject, portName: string): boolean {
  const endpoints = (slice.endpoints ?? []) as { conditions?: { ready?: boolean } }[];
  const ports = (slice.ports ?? []) as { name?: string; port?: number }[];
  return (
    endpoints.some(({ conditions }) => conditions?.ready !== false) &&
    ports.some(({ name, port }) => (name ?? "") === portName && port !== undefined && port !== null)
  );
}
