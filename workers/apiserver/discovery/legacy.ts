/** The documents of unaggregated discovery: APIVersions, APIGroupList, APIGroup, APIResourceList of meta/v1. */
import { groupVersionKey } from "../../apis/catalog.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import type { DiscoveryGroup, DiscoveryVersion } from "./groups.ts";
import { storageVersionHash } from "./storage-version-hash.ts";

/** `/api`. `serverAddress` is host:port as clients reach the server. */
export function apiVersions(core: DiscoveryGroup | undefined, serverAddress: string): object {
  return {
    kind: "APIVersions",
    versions: core?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

function apiGroupBody({ group, versions }: DiscoveryGroup): object {
  const listed = versions.map(({ version }) => ({ groupVersion: groupVersionKey(group, version), version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

/** `/apis/<group>`. */
export function apiGroup(group: DiscoveryGroup): object {
  return { kind: "APIGroup", apiVersion: "v1", ...apiGroupBody(group) };
}

/** `/apis`; the core group is not part of it. */
export function apiGroupList(groups: readonly DiscoveryGroup[]): object {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.filter(({ group }) => group !== "").map(apiGroupBody),
  };
}

function apiResources(info: ResourceInfo): object[] {
  const hash = storageVersionHash(info);
  const own = {
    name: info.resource,
    singularName: info.singular,
    namespaced: info.namespaced,
    kind: info.kind,
    verbs: info.verbs,
    ...(info.shortNames.length > 0 && { shortNames: info.shortNames }),
    ...(info.categories.length > 0 && { categories: info.categories }),
    ...(hash !== undefined && { storageVersionHash: hash }),
  };
  const subresources = info.subresources.map(({ name, kind, verbs }) => ({
    name: `${info.resource}/${name}`,
    singularName: "",
    namespaced: info.namespaced,
    ...(kind.group === info.group && kind.version === info.version ? {} : { group: kind.group, version: kind.version }),
    kind: kind.kind,
    verbs,
  }));
  return [own, ...subresources];
}

/** `/api/v1` and `/apis/<group>/<version>`. */
export function apiResourceList(group: string, { version, resources }: DiscoveryVersion): object {
  return {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: groupVersionKey(group, version),
    resources: resources.flatMap(apiResources),
  };
}
