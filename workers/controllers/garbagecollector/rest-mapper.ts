import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import { parseApiVersion } from "../../apimachinery/gvk.ts";
import type { Client } from "../../client/interfaces.ts";
import type { ServerResource } from "../discovery.ts";
import { serverResourcesForGroupVersion } from "../discovery.ts";

export interface RESTMapping {
  gvr: GroupVersionResource;
  namespaced: boolean;
}

/**
 * From apiVersion and kind to the resource, by discovery of the group version when it is first asked for. A kind that
 * is not found is asked for again each time: it may be a CRD that has just come.
 */
export class RESTMapper {
  readonly #client: Client;
  readonly #versions = new Map<string, Promise<ServerResource[]>>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Undefined when the kind is not served; throws when discovery fails. */
  async mapping(apiVersion: string, kind: string): Promise<RESTMapping | undefined> {
    const known = (await this.#resources(apiVersion)).find((resource) => resource.kind === kind);
    if (known === undefined) this.#versions.delete(apiVersion);
    return known === undefined ? undefined : { gvr: known.gvr, namespaced: known.namespaced };
  }

  /** The kind of a resource, as references name it. */
  async kindOf(apiVersion: string, resource: string): Promise<string | undefined> {
    const known = (await this.#resources(apiVersion)).find(({ gvr }) => gvr.resource === resource);
    if (known === undefined) this.#versions.delete(apiVersion);
    return known?.kind;
  }

  #resources(apiVersion: string): Promise<ServerResource[]> {
    const known = this.#versions.get(apiVersion);
    if (known !== undefined) return known;
    const { group, version } = parseApiVersion(apiVersion);
    const resources = serverResourcesForGroupVersion(this.#client, group, version);
    this.#versions.set(apiVersion, resources);
    resources.catch(() => this.#versions.delete(apiVersion));
    return resources;
  }
}
