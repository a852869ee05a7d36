/**
 * The built-in resources of Kubernetes 1.36, read from `facts/resources.json`.
 *
 * Facts: groups with the priorities of their APIServices (pkg/controlplane/apiserver/aggregator.go and
 * cmd/kube-apiserver/app/server.go, 1.36), in the order in which /apis lists them; per resource the verbs (`*` is the
 * full set), and per subresource `verbs [kind]`, where the kind is the parent's if left out.
 */
import facts from "./facts/resources.json" with { type: "json" };
import type { ResourceCatalog, ResourceInfo, SubresourceInfo } from "./resource-info.ts";

interface ResourceFacts {
  resource: string;
  kind: string;
  namespaced?: boolean;
  verbs: string;
  shortNames?: string[];
  categories?: string[];
  subresources?: Record<string, string>;
}

interface GroupFacts {
  group: string;
  priority: number;
  versions: Record<string, number>;
}

const groupFacts = facts.groups as unknown as GroupFacts[];
const resourceFacts = facts.resources as unknown as Record<string, ResourceFacts[]>;

const allVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** `apps/v1`, or `v1` for the core group. */
export function groupVersionKey(group: string, version: string): string {
  return group ? `${group}/${version}` : version;
}

/** spec.groupPriorityMinimum and spec.versionPriority of the APIService of a built-in version. */
export function apiServicePriority(group: string, version: string): { group: number; version: number } | undefined {
  const found = groupFacts.find((candidate) => candidate.group === group);
  const versionPriority = found?.versions[version];
  return found && versionPriority !== undefined ? { group: found.priority, version: versionPriority } : undefined;
}

/** Versions that upstream serves without --runtime-config: the stable ones. */
export function isStable(version: string): boolean {
  return /^v\d+$/.test(version);
}

function subresourceOf(
  parent: ResourceFacts,
  group: string,
  version: string,
  name: string,
  text: string,
): SubresourceInfo {
  const [verbs = "", kindPath = parent.kind] = text.split(" ");
  const parts = kindPath.split("/");
  const [kindGroup = "", kindVersion = "", kind = ""] = parts.length === 3 ? parts : [group, version, kindPath];
  return { name, kind: { group: kindGroup, version: kindVersion, kind }, verbs: verbs.split(",") };
}

function resourceOf(resource: ResourceFacts, group: string, version: string, storageVersion: string): ResourceInfo {
  const verbs = resource.verbs === "*" ? allVerbs : resource.verbs.split(",");
  return {
    group,
    version,
    resource: resource.resource,
    singular: resource.kind.toLowerCase(),
    kind: resource.kind,
    listKind: `${resource.kind}List`,
    namespaced: resource.namespaced ?? false,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs,
    subresources: Object.entries(resource.subresources ?? {}).map(([name, text]) =>
      subresourceOf(resource, group, version, name, text),
    ),
    storageVersion,
    persisted: verbs.includes("watch"),
    ...(group === "events.k8s.io" ? { storageGroup: "" } : {}),
  };
}

class FactsCatalog implements ResourceCatalog {
  readonly #groups: { group: string; versions: string[]; preferred: string }[] = [];
  readonly #resources = new Map<string, ResourceInfo[]>();
  readonly #byResource = new Map<string, ResourceInfo>();
  readonly #byKind = new Map<string, ResourceInfo>();
  readonly #versions = new Map<string, ResourceInfo[]>();

  constructor(serves: (group: string, version: string) => boolean) {
    for (const { group, versions: priorities } of groupFacts) {
      const versions = Object.keys(priorities).filter((version) => serves(group, version));
      const [preferred] = versions;
      if (preferred === undefined) continue;
      this.#groups.push({ group, versions, preferred });
      for (const version of versions) this.#add(group, version);
    }
  }

  #add(group: string, version: string): void {
    const key = groupVersionKey(group, version);
    const infos: ResourceInfo[] = [];
    for (const resource of resourceFacts[key] ?? []) {
      const known = this.#versions.get(`${group}/${resource.resource}`);
      const info = resourceOf(resource, group, version, known?.[0]?.version ?? version);
      infos.push(info);
      this.#byResource.set(`${key}/${info.resource}`, info);
      this.#byKind.set(`${key}/${info.kind}`, info);
      if (known) known.push(info);
      else this.#versions.set(`${group}/${info.resource}`, [info]);
    }
    this.#resources.set(key, infos);
  }

  groups(): { group: string; versions: string[]; preferred: string }[] {
    return this.#groups;
  }

  resources(group: string, version: string): ResourceInfo[] {
    return this.#resources.get(groupVersionKey(group, version)) ?? [];
  }

  find(group: string, version: string, resource: string): ResourceInfo | undefined {
    return this.#byResource.get(`${groupVersionKey(group, version)}/${resource}`);
  }

  findKind(group: string, version: string, kind: string): ResourceInfo | undefined {
    return this.#byKind.get(`${groupVersionKey(group, version)}/${kind}`);
  }

  versionsOf(group: string, resource: string): ResourceInfo[] {
    return this.#versions.get(`${group}/${resource}`) ?? [];
  }
}

/**
 * A catalog of the versions that `serves` accepts, as upstream's --runtime-config selects them. The stored version is
 * the served one of highest priority.
 */
export function newCatalog(serves: (group: string, version: string) => boolean): ResourceCatalog {
  return new FactsCatalog(serves);
}

/** Every version that Kubernetes 1.36 has (--runtime-config=api/all=true). */
export const catalog: ResourceCatalog = newCatalog(() => true);
