/**
 * What a request asks for, read from its path, method and query.
 * Mirrors k8s.io/apiserver pkg/endpoints/request/requestinfo.go (1.36), with the cluster prefix in front.
 */
export interface RequestInfo {
  /** `default`, or the name in `/clusters/<name>/…`. */
  cluster: string;
  /** The path below the cluster. */
  path: string;
  isResourceRequest: boolean;
  /** API verb for resource requests (get, list, watch, create …), the lower-case method otherwise. */
  verb: string;
  apiPrefix: string;
  apiGroup: string;
  apiVersion: string;
  namespace: string;
  resource: string;
  subresource: string;
  name: string;
  /** Path segments after the subresource, for proxies. */
  rest: string[];
}

const specialVerbs = new Set(["proxy", "watch"]);
/** `/namespaces/<name>/<these>` are subresources of the namespace, not resources in it. */
const namespaceSubresources = new Set(["status", "finalize"]);

const clusterName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** undefined when the cluster's name is not a DNS-1123 label. */
export function parseRequestInfo(method: string, url: URL): RequestInfo | undefined {
  let path = url.pathname;
  let cluster = "default";
  if (path === "/clusters" || path.startsWith("/clusters/")) {
    const end = path.indexOf("/", "/clusters/".length);
    cluster = end < 0 ? path.slice("/clusters/".length) : path.slice("/clusters/".length, end);
    path = end < 0 ? "/" : path.slice(end);
    if (!clusterName.test(cluster)) return undefined;
  }
  const info: RequestInfo = {
    cluster,
    path,
    isResourceRequest: false,
    verb: method.toLowerCase(),
    apiPrefix: "",
    apiGroup: "",
    apiVersion: "",
    namespace: "",
    resource: "",
    subresource: "",
    name: "",
    rest: [],
  };
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return info;
  }
  // As upstream, an escaped slash is a slash.
  let parts = decoded.split("/").filter((segment) => segment !== "");
  if (parts.length < 3 || (parts[0] !== "api" && parts[0] !== "apis")) return info;
  info.apiPrefix = parts[0];
  if (info.apiPrefix === "apis") {
    if (parts.length < 4) return info;
    info.apiGroup = parts[1]!;
    parts = parts.slice(2);
  } else {
    parts = parts.slice(1);
  }
  info.apiVersion = parts[0]!;
  parts = parts.slice(1);
  info.isResourceRequest = true;

  if (specialVerbs.has(parts[0]!)) {
    if (parts.length < 2) {
      info.isResourceRequest = false;
      return info;
    }
    info.verb = parts[0]!;
    parts = parts.slice(1);
  } else {
    info.verb = verbOfMethod(method);
  }

  if (parts[0] === "namespaces") {
    if (parts.length > 1) {
      info.namespace = parts[1]!;
      if (parts.length > 2 && !namespaceSubresources.has(parts[2]!)) parts = parts.slice(2);
    }
  }
  info.resource = parts[0] ?? "";
  info.name = parts[1] ?? "";
  info.subresource = parts[2] ?? "";
  info.rest = parts.slice(3);

  if (info.name === "" && info.verb === "get") info.verb = "list";
  if (info.verb === "list" || info.verb === "watch") {
    const watch = url.searchParams.get("watch");
    if (info.verb === "list" && watch !== null && isTrue(watch)) info.verb = "watch";
  }
  if (info.name === "" && info.verb === "delete") info.verb = "deletecollection";
  return info;
}

function verbOfMethod(method: string): string {
  switch (method) {
    case "POST":
      return "create";
    case "GET":
    case "HEAD":
      return "get";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return "delete";
    default:
      return "";
  }
}

/** Query booleans as k8s.io/apimachinery conversion reads them: anything but "false" and "0" is true, also "". */
export function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}
