import { DurableObject } from "cloudflare:workers";
import type { GroupVersionResource } from "../../workers/apimachinery/gvk.ts";
import type { ClusterDirectoryProtocol, Env } from "../../workers/env.ts";

/**
 * What exists: in the object named "clusters" the clusters of the deployment, in one named after a cluster the resource
 * types that have ever had an object there. Small sets that only grow.
 */
export class ClusterDirectory extends DurableObject<Env> implements ClusterDirectoryProtocol {
  async addCluster(name: string): Promise<void> {
    this.#add("cluster", name, "active");
  }

  async setActive(name: string, active: boolean): Promise<void> {
    const value = active ? "active" : "asleep";
    if (this.ctx.storage.kv.get(`cluster:${name}`) !== value) this.ctx.storage.kv.put(`cluster:${name}`, value);
  }

  async activeClusters(): Promise<string[]> {
    return this.#all("cluster").flatMap(([name, state]) => (state === "active" ? [name] : []));
  }

  async clusters(): Promise<string[]> {
    return this.#all("cluster").map(([key]) => key);
  }

  async addResource(gvr: GroupVersionResource): Promise<void> {
    if (!this.#add("resource", `${gvr.group}/${gvr.resource}`, gvr.version)) return;
    const cluster = this.ctx.id.name!;
    // Not awaited: the controller manager may itself be waiting for this very call.
    this.ctx.waitUntil(
      this.env.CONTROLLER_MANAGER.get(this.env.CONTROLLER_MANAGER.idFromName(cluster)).resourcesChanged(),
    );
  }

  async resources(): Promise<GroupVersionResource[]> {
    return this.#all("resource").map(([key, version]) => {
      const slash = key.lastIndexOf("/");
      return { group: key.slice(0, slash), version, resource: key.slice(slash + 1) };
    });
  }

  /** Whether it is new. */
  #add(kind: string, key: string, value: string): boolean {
    const { kv } = this.ctx.storage;
    if (kv.get(`${kind}:${key}`) !== undefined) return false;
    kv.put(`${kind}:${key}`, value);
    return true;
  }

  #all(kind: string): [string, string][] {
    return [...this.ctx.storage.kv.list<string>({ prefix: `${kind}:` })].map(([key, value]) => [
      key.slice(kind.length + 1),
      value,
    ]);
  }
}
