import { catalog as builtInCatalog } from "../../apis/catalog.ts";
import type { ResourceCatalog } from "../../apis/resource-info.ts";
import { apiGroupDiscoveryList, negotiateAggregated } from "./aggregated.ts";
import { documentHash, matchesEtag } from "./etag.ts";
import { discoveryGroups } from "./groups.ts";
import type { DiscoveryGroup, ExtraResources } from "./groups.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./legacy.ts";

interface Document {
  body: string;
  etag: string;
}

/** Encoded documents of one set of groups. At most one per path and form, for as long as the set is in use. */
interface Documents {
  groups: DiscoveryGroup[];
  byKey: Map<string, Document>;
}

const noExtra: ExtraResources = { versions: [] };
const perCatalog = new WeakMap<ResourceCatalog, WeakMap<ExtraResources, Documents>>();

function documentsOf(catalog: ResourceCatalog, extra: ExtraResources): Documents {
  let perExtra = perCatalog.get(catalog);
  if (!perExtra) perCatalog.set(catalog, (perExtra = new WeakMap()));
  let documents = perExtra.get(extra);
  if (!documents) {
    documents = { groups: discoveryGroups(catalog, extra), byKey: new Map() };
    perExtra.set(extra, documents);
  }
  return documents;
}

/**
 * The answer to a discovery request, undefined when the path is none of discovery's or names an unknown group or version.
 * `path` is that below the cluster's root: `/api`, `/apis`, `/apis/<group>`, `/api/<version>`, `/apis/<group>/<version>`.
 */
export function discoveryResponse(
  request: Request,
  path: string,
  extra: ExtraResources = noExtra,
  catalog: ResourceCatalog = builtInCatalog,
): Response | undefined {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const segments = path.split("/").filter((segment) => segment !== "");
  if ((segments[0] !== "api" && segments[0] !== "apis") || segments.length > 3) return undefined;
  const documents = documentsOf(catalog, extra);
  const core = documents.groups.find(({ group }) => group === "");

  if (segments.length === 1) {
    const aggregated = negotiateAggregated(request.headers.get("Accept"));
    if (aggregated !== undefined)
      return respond(request, documents, `${segments[0]}?${aggregated}`, aggregatedType(aggregated), () =>
        apiGroupDiscoveryList(
          documents.groups.filter(({ group }) => (group === "") === (segments[0] === "api")),
          aggregated,
        ),
      );
    if (segments[0] === "apis")
      return respond(request, documents, "apis", legacyType, () => apiGroupList(documents.groups));
    const { host } = new URL(request.url);
    return new Response(bodyOf(request, encode(apiVersions(core, host))), { headers: headersOf(legacyType) });
  }

  const legacyApi = segments[0] === "api";
  const group = legacyApi ? core : documents.groups.find((candidate) => candidate.group === segments[1]);
  if (!group || (!legacyApi && group.group === "")) return undefined;
  if (!legacyApi && segments.length === 2)
    return respond(request, documents, group.group, legacyType, () => apiGroup(group));
  if (legacyApi && segments.length > 2) return undefined;
  const version = group.versions.find((candidate) => candidate.version === segments[legacyApi ? 1 : 2]);
  if (!version) return undefined;
  return respond(request, documents, `${group.group}/${version.version}`, legacyType, () =>
    apiResourceList(group.group, version),
  );
}

const legacyType = "application/json";
const aggregatedType = (version: string) =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

const encode = (document: object): string => `${JSON.stringify(document)}\n`;
const bodyOf = (request: Request, body: string): string | null => (request.method === "HEAD" ? null : body);
const headersOf = (type: string): Record<string, string> => ({ "Content-Type": type, Vary: "Accept" });

function respond(request: Request, documents: Documents, key: string, type: string, build: () => object): Response {
  let document = documents.byKey.get(key);
  if (!document) {
    const body = encode(build());
    document = { body, etag: `"${documentHash(body)}"` };
    documents.byKey.set(key, document);
  }
  const headers = { ...headersOf(type), ETag: document.etag };
  if (matchesEtag(request, document.etag)) return new Response(null, { status: 304, headers });
  return new Response(bodyOf(request, document.body), { headers });
}
