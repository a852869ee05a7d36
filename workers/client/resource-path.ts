import type { GroupVersionResource } from "../apimachinery/gvk.ts";

/** `/api/v1/…` or `/apis/group/version/…`, as far as the arguments go. */
export function resourcePath(
  gvr: GroupVersionResource,
  namespace: string | undefined,
  name?: string,
  subresource?: string,
): string {
  let path = gvr.group === "" ? `/api/${gvr.version}` : `/apis/${gvr.group}/${gvr.version}`;
  if (namespace) path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${gvr.resource}`;
  if (name !== undefined) path += `/${encodeURIComponent(name)}`;
  if (subresource) path += `/${subresource}`;
  return path;
}

export interface ParsedResourcePath {
  gvr: GroupVersionResource;
  namespace?: string;
  name?: string;
  subresource?: string;
  query: URLSearchParams;
}

/** Inverse of {@link resourcePath}, with the query; undefined for paths of other shapes. */
export function parseResourcePath(path: string): ParsedResourcePath | undefined {
  const question = path.indexOf("?");
  const query = new URLSearchParams(question < 0 ? "" : path.slice(question + 1));
  const parts = (question < 0 ? path : path.slice(0, question)).split("/").slice(1).map(decodeURIComponent);
  let group = "";
  if (parts[0] === "apis") group = parts[1] ?? "";
  else if (parts[0] !== "api") return undefined;
  let rest = parts.slice(group === "" ? 1 : 2);
  const version = rest[0];
  rest = rest.slice(1);
  if (!version || rest.length === 0) return undefined;
  let namespace: string | undefined;
  // `namespaces/<name>/<status or finalize>` is the namespace itself.
  if (rest[0] === "namespaces" && rest.length >= 3 && !["status", "finalize"].includes(rest[2]!)) {
    namespace = rest[1];
    rest = rest.slice(2);
  }
  const [resource, name, ...subresource] = rest;
  return {
    gvr: { group, version, resource: resource! },
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource.length === 0 ? {} : { subresource: subresource.join("/") }),
    query,
  };
}

/** `?a=b` from the options that are set, "" from none. */
export function queryOf(options: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
