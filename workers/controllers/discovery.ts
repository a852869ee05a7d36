import { apiVersionOf } from "../apimachinery/gvk.ts";
import type { GroupVersionResource } from "../apimachinery/gvk.ts";
import { StatusError } from "../apimachinery/status-errors.ts";
import type { Client } from "../client/interfaces.ts";

/** One served resource, of metav1.APIResourceList. */
export interface ServerResource {
  gvr: GroupVersionResource;
  kind: string;
  namespaced: boolean;
  verbs: readonly string[];
}

/** What discovery found; `failures` are the group versions that could not be read, e.g. of a dead aggregated API. */
export interface DiscoveredResources {
  resources: ServerResource[];
  failures: Map<string, Error>;
}

interface APIResourceList {
  resources?: { name: string; kind: string; namespaced: boolean; verbs?: string[] }[];
}

interface APIGroupList {
  groups?: { preferredVersion?: { groupVersion: string; version: string }; name: string }[];
}

/** The resources (without subresources) of one group version. */
export async function serverResourcesForGroupVersion(
  client: Client,
  group: string,
  version: string,
): Promise<ServerResource[]> {
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const list = await client.raw<APIResourceList>(path);
  return (list.resources ?? [])
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, kind, namespaced, verbs }) => ({
      gvr: { group, version, resource: name },
      kind,
      namespaced,
      verbs: verbs ?? [],
    }));
}

/** The resources of the preferred version of every group. A group that fails is reported and left out. */
export async function serverPreferredResources(client: Client): Promise<DiscoveredResources> {
  const failures = new Map<string, Error>();
  const versions: { group: string; version: string }[] = [{ group: "", version: "v1" }];
  const groups = await client.raw<APIGroupList>("/apis");
  for (const { name, preferredVersion } of groups.groups ?? []) {
    if (preferredVersion !== undefined) versions.push({ group: name, version: preferredVersion.version });
  }
  const found = await Promise.all(
    versions.map(async ({ group, version }) => {
      try {
        return await serverResourcesForGroupVersion(client, group, version);
      } catch (error) {
        // A group that has just gone is no failure.
        if (!(error instanceof StatusError && error.status.code === 404)) {
          failures.set(apiVersionOf({ group, version }), error instanceof Error ? error : new Error(String(error)));
        }
        return [];
      }
    }),
  );
  return { resources: found.flat(), failures };
}

/** Whether all the verbs are supported. */
export function supports(resource: ServerResource, ...verbs: string[]): boolean {
  return verbs.every((verb) => resource.verbs.includes(verb));
}
