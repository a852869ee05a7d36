/** Aggregated discovery: all groups, versions and resources in one document, APIGroupDiscoveryList. */
import type { ResourceInfo } from "../../apis/resource-info.ts";
import type { DiscoveryGroup } from "./groups.ts";

export type AggregatedVersion = "v2" | "v2beta1";

function apiResourceDiscovery(info: ResourceInfo): object {
  const subresources = info.subresources.map(({ name, kind, verbs }) => ({
    subresource: name,
    responseKind: kind,
    verbs,
  }));
  return {
    resource: info.resource,
    responseKind: { group: info.group, version: info.version, kind: info.kind },
    scope: info.namespaced ? "Namespaced" : "Cluster",
    singularResource: info.singular,
    verbs: info.verbs,
    ...(info.shortNames.length > 0 && { shortNames: info.shortNames }),
    ...(info.categories.length > 0 && { categories: info.categories }),
    ...(subresources.length > 0 && { subresources }),
  };
}

/** `/api` (the core group alone) and `/apis` (all others) for clients that ask for it. */
export function apiGroupDiscoveryList(groups: readonly DiscoveryGroup[], version: AggregatedVersion): object {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: group.group === "" ? {} : { name: group.group },
      versions: group.versions.map((served) => ({
        version: served.version,
        ...(served.resources.length > 0 && { resources: served.resources.map(apiResourceDiscovery) }),
        freshness: served.freshness,
      })),
    })),
  };
}

/**
 * The aggregated form that an Accept header prefers, undefined for the unaggregated documents. The clauses are taken in
 * the client's order, as k8s.io/apiserver pkg/endpoints/discovery/aggregated does (1.36).
 */
export function negotiateAggregated(accept: string | null): AggregatedVersion | undefined {
  for (const clause of (accept ?? "").split(",")) {
    const [type, ...parameters] = clause.split(";").map((part) => part.trim());
    if (type !== "application/json" && type !== "application/*" && type !== "*/*") continue;
    const value = (name: string) => parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
    if (value("as") === undefined) return undefined;
    if (value("as") !== "APIGroupDiscoveryList" || value("g") !== "apidiscovery.k8s.io") continue;
    const version = value("v");
    if (version === "v2" || version === "v2beta1") return version;
  }
  return undefined;
}
