import { apiServicePriority } from "../../apis/catalog.ts";
import type { ResourceCatalog, ResourceInfo } from "../../apis/resource-info.ts";
import { compareKubeAwareVersions } from "./kube-version.ts";

export interface DiscoveryVersion {
  version: string;
  resources: readonly ResourceInfo[];
  /** "Stale" while an aggregated server cannot be reached. */
  freshness: "Current" | "Stale";
}

export interface DiscoveryGroup {
  group: string;
  /** In order of preference; the first one is the preferred version. */
  versions: readonly DiscoveryVersion[];
}

/** A version that is not built in: served from CustomResourceDefinitions or by an aggregated API server. */
export interface ExtraVersion {
  group: string;
  version: string;
  resources: readonly ResourceInfo[];
  /** spec.groupPriorityMinimum and spec.versionPriority of its APIService; those of CRDs (1000, 100) if left out. */
  groupPriorityMinimum?: number;
  versionPriority?: number;
  freshness?: "Current" | "Stale";
  /** Stands for resources and schemas, in the place of their texts: changes when they do. */
  hash?: string;
  /** Structural schemas of custom kinds for OpenAPI, by kind. With a `hash` they may be filled in just before use. */
  schemas?: Readonly<Record<string, Record<string, unknown>>>;
  /** Its OpenAPI document is answered by an aggregated API server. */
  delegated?: boolean;
  /** The part of OpenAPI v2 that an aggregated API server has for a delegated version. */
  documentV2?: { hash: string; document: Readonly<Record<string, any>> };
}

/**
 * What discovery and OpenAPI add to the built-in resources. Documents are kept per object, so hand in the same one for
 * as long as nothing changes.
 */
export interface ExtraResources {
  versions: readonly ExtraVersion[];
}

interface Ranked extends DiscoveryVersion {
  groupPriority: number;
  versionPriority: number;
}

/**
 * All groups in discovery order: the core group, apiregistration.k8s.io, then by descending group priority and, among
 * equals, by the name of the first APIService. Mirrors kube-aggregator pkg/apiserver/handler_apis.go and
 * pkg/apis/apiregistration/v1/helper (1.36).
 */
export function discoveryGroups(catalog: ResourceCatalog, extra?: ExtraResources): DiscoveryGroup[] {
  const byGroup = new Map<string, Ranked[]>();
  const add = (group: string, version: Ranked) => {
    const versions = byGroup.get(group) ?? [];
    byGroup.set(group, versions);
    const same = versions.find((other) => other.version === version.version);
    if (!same) versions.push(version);
    else if (same.resources !== version.resources) same.resources = [...same.resources, ...version.resources];
  };
  for (const { group, versions } of catalog.groups())
    for (const version of versions) {
      const priority = apiServicePriority(group, version);
      add(group, {
        version,
        resources: catalog.resources(group, version),
        freshness: "Current",
        groupPriority: group === "" || group === "apiregistration.k8s.io" ? Infinity : (priority?.group ?? 0),
        versionPriority: priority?.version ?? 0,
      });
    }
  for (const version of extra?.versions ?? [])
    add(version.group, {
      version: version.version,
      resources: version.resources,
      freshness: version.freshness ?? "Current",
      groupPriority: version.groupPriorityMinimum ?? 1000,
      versionPriority: version.versionPriority ?? 100,
    });

  const groups = [...byGroup].map(([group, versions]) => {
    versions.sort((a, b) => b.versionPriority - a.versionPriority || compareKubeAwareVersions(a.version, b.version));
    return {
      group,
      versions,
      priority: Math.max(...versions.map(({ groupPriority }) => groupPriority)),
      name: `${versions[0]?.version}.${group}`,
    };
  });
  groups.sort((a, b) =>
    a.priority === b.priority ? (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) : b.priority - a.priority,
  );
  return groups.map(({ group, versions }) => ({
    group,
    versions: versions.map(({ version, resources, freshness }) => ({ version, resources, freshness })),
  }));
}
