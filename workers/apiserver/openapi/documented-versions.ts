import type { ResourceCatalog } from "../../apis/resource-info.ts";
import { groupVersionKey } from "../../apis/catalog.ts";
import { documentHash } from "../discovery/etag.ts";
import type { ExtraResources, ExtraVersion } from "../discovery/groups.ts";
import type { DocumentedVersion } from "./document-v3.ts";

/** A version with the place and the hash of its document. */
export interface IndexedVersion extends DocumentedVersion {
  /** `api/v1` or `apis/<group>/<version>`. */
  key: string;
  /** For a delegated version the one that its server gives, "" if it gives none. */
  hash: string;
  delegated: boolean;
  documentV2?: ExtraVersion["documentV2"];
}

/**
 * All versions that have a document, by key, in the index's order. `docsHash` stands for all inputs of the built-in
 * ones; those of added ones are part of their hash.
 */
export function indexedVersions(
  catalog: ResourceCatalog,
  extra: ExtraResources,
  docsHash: string,
): Map<string, IndexedVersion> {
  const versions: IndexedVersion[] = [];
  for (const { group, versions: served } of catalog.groups())
    for (const version of served) {
      const gv = groupVersionKey(group, version);
      const key = group === "" ? `api/${gv}` : `apis/${gv}`;
      const resources = catalog.resources(group, version);
      const names = resources.map(({ resource }) => resource).join();
      versions.push({
        group,
        version,
        resources,
        key,
        hash: documentHash(`${docsHash}/${key}/${names}`),
        delegated: false,
      });
    }
  for (const {
    group,
    version,
    resources,
    schemas = {},
    delegated = false,
    hash: given,
    documentV2,
  } of extra.versions) {
    const key = `apis/${group}/${version}`;
    const known = versions.findIndex((other) => other.key === key);
    const all = known < 0 ? resources : [...(versions[known]?.resources ?? []), ...resources];
    const hash = delegated
      ? (given ?? "")
      : documentHash(`${docsHash}/${key}/${given ?? JSON.stringify([all, schemas])}`);
    const entry = {
      group,
      version,
      resources: all,
      schemas,
      key,
      hash,
      delegated,
      ...(documentV2 === undefined ? {} : { documentV2 }),
    };
    if (known < 0) versions.push(entry);
    else versions[known] = { ...entry, schemas: { ...versions[known]?.schemas, ...schemas } };
  }
  return new Map(versions.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map((version) => [version.key, version]));
}
