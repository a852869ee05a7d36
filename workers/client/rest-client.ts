import type { GroupVersionResource } from "../apimachinery/gvk.ts";
import type { KubeList, KubeObject } from "../apimachinery/meta.ts";
import type {
  BatchOperation,
  BatchResult,
  Client,
  DeleteOptions,
  ListOptions,
  PatchOptions,
  PatchType,
  Transport,
  Watch,
  WatchOptions,
} from "./interfaces.ts";
import { JsonWatch } from "./json-watch.ts";
import { queryOf, resourcePath } from "./resource-path.ts";
import { errorOfResponse } from "./response-error.ts";

/** Operations in one batch request. */
const batchSize = 500;
const batchPath = "/apis/edgeplane.dev/v1/batch";

/** A client that speaks JSON over any transport. Failures that the server reports are StatusErrors; a transport's own errors pass. */
export function newRestClient(transport: Transport): Client {
  return new RestClient(transport);
}

class RestClient implements Client {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get<T extends KubeObject>(gvr: GroupVersionResource, namespace: string | undefined, name: string): Promise<T> {
    return this.#request("GET", resourcePath(gvr, namespace, name));
  }

  async list<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    options: ListOptions = {},
  ): Promise<KubeList<T>> {
    const list = await this.#request<KubeList<T>>("GET", resourcePath(gvr, namespace) + queryOf(options));
    list.items ??= [];
    // The items of a list of a built-in kind do not say what they are.
    const kind = list.kind?.endsWith("List") ? list.kind.slice(0, -"List".length) : undefined;
    if (kind) {
      for (const item of list.items) {
        item.kind ??= kind;
        item.apiVersion ??= list.apiVersion!;
      }
    }
    return list;
  }

  async watch<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    options: WatchOptions,
  ): Promise<Watch<T>> {
    const abort = new AbortController();
    const response = await this.#transport.fetch(
      resourcePath(gvr, namespace) + queryOf({ watch: true, ...streaming(options) }),
      {
        headers: { accept: "application/json" },
        signal: abort.signal,
      },
    );
    if (!response.ok) throw await errorOfResponse(response);
    if (response.body === null) throw new Error("the server answered a watch without a body");
    return new JsonWatch<T>(response.body, () => abort.abort());
  }

  create<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    object: T,
    subresource?: { name: string; subresource: string },
  ): Promise<T> {
    const path = resourcePath(gvr, namespace, subresource?.name, subresource?.subresource);
    return this.#request("POST", path, object);
  }

  update<T extends KubeObject>(gvr: GroupVersionResource, object: T, subresource?: string): Promise<T> {
    const { namespace, name } = object.metadata;
    return this.#request("PUT", resourcePath(gvr, namespace, name, subresource), object);
  }

  patch<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    name: string,
    type: PatchType,
    patch: unknown,
    subresource?: string,
    options: PatchOptions = {},
  ): Promise<T> {
    return this.#request("PATCH", resourcePath(gvr, namespace, name, subresource) + queryOf(options), patch, type);
  }

  async delete(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    name: string,
    options?: DeleteOptions,
  ): Promise<void> {
    await this.#request("DELETE", resourcePath(gvr, namespace, name), deleteOptions(options));
  }

  async deleteCollection(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    options?: DeleteOptions,
    list: ListOptions = {},
  ): Promise<void> {
    await this.#request("DELETE", resourcePath(gvr, namespace) + queryOf(list), deleteOptions(options));
  }

  async batch(operations: BatchOperation[]): Promise<BatchResult[]> {
    const results: BatchResult[] = [];
    for (let start = 0; start < operations.length; start += batchSize) {
      const requests = operations.slice(start, start + batchSize);
      const { responses } = await this.#request<{ responses: BatchResult[] }>("POST", batchPath, { requests });
      results.push(...responses);
    }
    return results;
  }

  raw<T>(path: string): Promise<T> {
    return this.#request("GET", path);
  }

  async #request<T>(method: string, path: string, body?: unknown, contentType = "application/json"): Promise<T> {
    const response = await this.#transport.fetch(path, {
      method,
      headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": contentType }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw await errorOfResponse(response);
    return (await response.json()) as T;
  }
}

function deleteOptions(options: DeleteOptions | undefined): object | undefined {
  return options === undefined ? undefined : { kind: "DeleteOptions", apiVersion: "v1", ...options };
}

/** A streaming list must say how its resource version is meant. */
function streaming(options: WatchOptions): WatchOptions {
  return options.sendInitialEvents === undefined ? options : { resourceVersionMatch: "NotOlderThan", ...options };
}
