import type { ResourceInfo } from "../../apis/resource-info.ts";
import type { RemoteResource } from "./check-availability.ts";

/**
 * The resources of an APIResourceList in the form that discovery is built from; `name/subresource` entries go to their
 * resource, and make one when it is not listed. Counterpart of ConvertGroupVersionIntoToDiscovery of k8s.io/apiserver
 * pkg/endpoints (1.36).
 */
export function remoteResourceInfos(
  group: string,
  version: string,
  resources: readonly RemoteResource[],
): ResourceInfo[] {
  const byName = new Map<string, ResourceInfo>();
  for (const resource of resources) {
    if (!resource.name.includes("/")) byName.set(resource.name, infoOf(group, version, resource.name, resource));
  }
  for (const resource of resources) {
    const slash = resource.name.indexOf("/");
    if (slash < 0) continue;
    const parent = resource.name.slice(0, slash);
    let info = byName.get(parent);
    if (info === undefined)
      byName.set(
        parent,
        (info = infoOf(group, version, parent, {
          name: parent,
          ...(resource.namespaced === undefined ? {} : { namespaced: resource.namespaced }),
        })),
      );
    info.subresources.push({
      name: resource.name.slice(slash + 1),
      kind: { group: resource.group || group, version: resource.version || version, kind: resource.kind ?? "" },
      verbs: resource.verbs ?? [],
    });
  }
  return [...byName.values()];
}

function infoOf(group: string, version: string, name: string, resource: RemoteResource): ResourceInfo {
  const kind = resource.kind ?? "";
  const verbs = resource.verbs ?? [];
  return {
    group: resource.group || group,
    version: resource.version || version,
    resource: name,
    singular: resource.singularName ?? "",
    kind,
    listKind: kind === "" ? "" : `${kind}List`,
    namespaced: resource.namespaced ?? false,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs,
    subresources: [],
    storageVersion: version,
    persisted: verbs.includes("watch"),
  };
}
