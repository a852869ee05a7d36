import { catalog as builtInCatalog } from "../../apis/catalog.ts";
import type { ResourceCatalog } from "../../apis/resource-info.ts";
import { documentHash, matchesEtag } from "../discovery/etag.ts";
import type { ExtraResources } from "../discovery/groups.ts";
import { DocumentCache } from "./document-cache.ts";
import { documentV2, mergeV2 } from "./document-v2.ts";
import { documentV3 } from "./document-v3.ts";
import type { IndexedVersion } from "./documented-versions.ts";
import { indexedVersions } from "./documented-versions.ts";
import type { Docs } from "./docs.ts";
import { loadDocs } from "./docs.ts";
import { encodeGnosticV2 } from "./gnostic.ts";
import type { JsonObject } from "./schemas.ts";

const noExtra: ExtraResources = { versions: [] };

/** Shared by all clusters of the isolate: documents with the same hash are the same. */
const cache = new DocumentCache(24 * 1024 * 1024);
const indexes = new WeakMap<ExtraResources, Map<string, IndexedVersion>>();

const jsonType = "application/json";
const protobufV2Type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const protobufV2Names = new Set([protobufV2Type, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"]);
const jsonNames = new Set([jsonType, "application/*", "*/*"]);

/**
 * The answer to a request below /openapi, undefined when the path is none of it. `path` is that below the cluster's
 * root: `/openapi/v2`, `/openapi/v3`, `/openapi/v3/api/v1`, `/openapi/v3/apis/<group>/<version>`. URLs in the index are
 * relative to that root as well, with the part of the request's own path before `path` in front of them.
 */
export async function openApiResponse(
  request: Request,
  path: string,
  extra: ExtraResources = noExtra,
  catalog: ResourceCatalog = builtInCatalog,
): Promise<Response | undefined> {
  const match = /^\/openapi\/(v2|v3)(?:\/(.*?))?\/?$/.exec(path);
  if (!match || (request.method !== "GET" && request.method !== "HEAD")) return undefined;
  const [, specification, key = ""] = match;
  if (specification === "v2" && key !== "") return undefined;
  const docs = await loadDocs();
  const versions = indexOf(catalog, extra, docs);
  if (specification === "v2") return responseV2(request, versions, docs);

  const url = new URL(request.url);
  const prefix = url.pathname.endsWith(path) ? url.pathname.slice(0, -path.length) : "";
  if (key === "") return indexResponse(request, versions, prefix);
  const version = versions.get(key);
  if (!version || version.delegated) return undefined;
  return responseV3(request, url, version, docs);
}

function indexOf(catalog: ResourceCatalog, extra: ExtraResources, docs: Docs): Map<string, IndexedVersion> {
  // Other catalogs are for tests; only the built-in one is worth keeping.
  if (catalog !== builtInCatalog) return indexedVersions(catalog, extra, docs.hash);
  let index = indexes.get(extra);
  if (!index) indexes.set(extra, (index = indexedVersions(catalog, extra, docs.hash)));
  return index;
}

function relativeUrl(version: IndexedVersion, prefix: string): string {
  const path = `${prefix}/openapi/v3/${version.key}`;
  return version.hash === "" ? path : `${path}?hash=${version.hash}`;
}

function indexResponse(request: Request, versions: Map<string, IndexedVersion>, prefix: string): Response {
  const paths = Object.fromEntries(
    [...versions].map(([key, version]) => [key, { serverRelativeURL: relativeUrl(version, prefix) }]),
  );
  const body = encode({ paths });
  return respond(request, body, jsonType, documentHash(body));
}

function responseV3(request: Request, url: URL, version: IndexedVersion, docs: Docs): Response {
  if (preferred(request, jsonNames, []) === undefined) return notAcceptable();
  const asked = url.searchParams.get("hash");
  if (asked !== null && asked !== version.hash) {
    url.searchParams.set("hash", version.hash);
    return new Response(null, { status: 301, headers: { Location: `${url.pathname}${url.search}` } });
  }
  const body = cache.getOrBuild(`v3/${version.hash}`, () => encode(documentV3(version, docs)));
  const immutable: Record<string, string> =
    asked === null ? {} : { "Cache-Control": "public, immutable, max-age=31536000" };
  return respond(request, body, jsonType, version.hash, immutable);
}

function responseV2(request: Request, versions: Map<string, IndexedVersion>, docs: Docs): Response {
  const documented = [...versions.values()].filter(({ delegated }) => !delegated);
  const delegated = [...versions.values()].flatMap(({ documentV2: part }) => (part === undefined ? [] : [part]));
  const hash = documentHash([...documented, ...delegated].map((version) => version.hash).join());
  const type = preferred(request, jsonNames, [...protobufV2Names]);
  if (type === undefined) return notAcceptable();
  const build = () =>
    mergeV2(
      documentV2(documented, docs),
      delegated.map(({ document }) => document),
    );
  if (protobufV2Names.has(type)) {
    const body = cache.getOrBuild(`v2/protobuf/${hash}`, () => encodeGnosticV2(build()));
    return respond(request, body, protobufV2Type, hash);
  }
  return respond(
    request,
    cache.getOrBuild(`v2/json/${hash}`, () => encode(build())),
    jsonType,
    hash,
  );
}

/** The first acceptable type in the client's order; JSON when it does not say. */
function preferred(request: Request, json: ReadonlySet<string>, others: readonly string[]): string | undefined {
  const accept = request.headers.get("Accept");
  if (accept === null || accept.trim() === "") return jsonType;
  for (const clause of accept.split(",")) {
    const type = clause.split(";")[0]?.trim() ?? "";
    if (json.has(type)) return jsonType;
    if (others.includes(type)) return type;
  }
  return undefined;
}

const notAcceptable = (): Response => new Response(null, { status: 406 });

const encoder = new TextEncoder();
const encode = (document: JsonObject): Uint8Array => encoder.encode(JSON.stringify(document));

function respond(
  request: Request,
  body: Uint8Array,
  type: string,
  hash: string,
  extraHeaders: Record<string, string> = {},
): Response {
  const etag = `"${hash}"`;
  const headers = { "Content-Type": type, ETag: etag, Vary: "Accept", ...extraHeaders };
  if (matchesEtag(request, etag)) return new Response(null, { status: 304, headers });
  return new Response(request.method === "HEAD" ? null : (body as Uint8Array<ArrayBuffer>), { headers });
}
