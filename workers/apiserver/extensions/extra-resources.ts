import type { ResourceInfo } from "../../apis/resource-info.ts";
import type { ExtraResources, ExtraVersion } from "../discovery/groups.ts";
import { customResourceInfo } from "./custom-kind.ts";
import type { CustomResourceDefinition } from "./definition.ts";
import { isConditionTrue } from "./definition.ts";

/** While a definition goes, its objects can be read and deleted, no more. */
const terminatingVerbs = new Set(["delete", "deletecollection", "get", "list", "watch"]);

/**
 * What discovery and OpenAPI show of the definitions that are established. Schemas are left empty; they are filled in when a
 * document is asked for. Mirrors pkg/apiserver/customresource_discovery_controller.go of k8s.io/apiextensions-apiserver (1.36).
 */
export function extraResources(definitions: readonly CustomResourceDefinition[]): ExtraResources {
  const byVersion = new Map<string, ExtraVersion & { resources: ResourceInfo[]; hash: string }>();
  for (const definition of definitions.toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1))) {
    if (!isConditionTrue(definition, "Established")) continue;
    const { spec, metadata } = definition;
    for (const version of spec.versions) {
      if (!version.served) continue;
      const key = `${spec.group}/${version.name}`;
      let extra = byVersion.get(key);
      if (extra === undefined)
        byVersion.set(
          key,
          (extra = { group: spec.group, version: version.name, resources: [], schemas: {}, hash: "" }),
        );
      const info = customResourceInfo(definition, version);
      extra.resources.push(
        info.custom?.terminating ? { ...info, verbs: info.verbs.filter((verb) => terminatingVerbs.has(verb)) } : info,
      );
      extra.hash += `${metadata.name} ${metadata.uid} ${metadata.generation ?? 0}\n`;
    }
  }
  return { versions: [...byVersion.values()] };
}
