import type { UserInfo } from "../authentication/user-info.ts";

/** Headers that end at a proxy (RFC 9110, 7.6.1). */
const hopByHop = [
  "Connection",
  "Proxy-Connection",
  "Keep-Alive",
  "Proxy-Authenticate",
  "Proxy-Authorization",
  "TE",
  "Trailer",
  "Transfer-Encoding",
];

/**
 * The headers of a request as an aggregated server is to get them: the client's credentials taken out, who it is put in, the
 * way it came noted. Mirrors SetAuthProxyHeaders of k8s.io/client-go transport/round_trippers.go, and what pkg/util/proxy of
 * k8s.io/apimachinery adds (1.36).
 */
export function proxyHeaders(request: Request, path: string, user: UserInfo): Headers {
  const headers = new Headers(request.headers);
  const named = (headers.get("Connection") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name.toLowerCase() !== "upgrade");
  for (const name of [...hopByHop, ...named, "Authorization", "Host"]) if (/^[-\w]+$/.test(name)) headers.delete(name);
  if (headers.get("Upgrade")?.toLowerCase() !== "websocket") headers.delete("Upgrade");
  withoutBearerProtocol(headers);
  for (const name of [...headers.keys()]) if (/^(impersonate-|x-remote-|cf-)/.test(name)) headers.delete(name);
  setAuthProxyHeaders(headers, user);
  const url = new URL(request.url);
  headers.set("X-Forwarded-Uri", path);
  headers.set("X-Forwarded-Host", url.host);
  headers.set("X-Forwarded-Proto", url.protocol.slice(0, -1));
  const client = request.headers.get("CF-Connecting-IP");
  if (client !== null) headers.append("X-Forwarded-For", client);
  // What is compressed here would be held back on its way to the client, or have to be undone.
  headers.set("Accept-Encoding", "identity");
  return headers;
}

/** Browsers put their token among the subprotocols (k8s.io/apiserver pkg/authentication/request/websocket, 1.36). */
function withoutBearerProtocol(headers: Headers): void {
  const offered = headers.get("Sec-WebSocket-Protocol");
  if (offered === null) return;
  const kept = offered
    .split(",")
    .filter((protocol) => !protocol.trim().startsWith("base64url.bearer.authorization.k8s.io."));
  if (kept.length === 0) headers.delete("Sec-WebSocket-Protocol");
  else headers.set("Sec-WebSocket-Protocol", kept.map((protocol) => protocol.trim()).join(", "));
}

export function setAuthProxyHeaders(headers: Headers, { username, uid, groups, extra }: UserInfo): void {
  headers.set("X-Remote-User", latin1(username));
  if (uid !== undefined && uid !== "") headers.set("X-Remote-Uid", latin1(uid));
  for (const group of groups) headers.append("X-Remote-Group", latin1(group));
  for (const [key, values] of Object.entries(extra ?? {})) {
    for (const value of values) headers.append(`X-Remote-Extra-${escapeHeaderKey(key)}`, latin1(value));
  }
}

const legal = /[!#$&'*+\-.^_`|~0-9A-Za-z]/;

/** Bytes that may not stand in a header's name, and the percent sign itself, percent-encoded. */
export function escapeHeaderKey(key: string): string {
  let escaped = "";
  for (const byte of new TextEncoder().encode(key)) {
    const character = String.fromCharCode(byte);
    escaped += legal.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return escaped;
}

/** Header values are bytes: UTF-8 read as Latin-1. Line ends cannot be said. */
function latin1(text: string): string {
  const bytes = new TextEncoder().encode(text.replaceAll(/[\r\n\0]/g, " "));
  return String.fromCharCode(...bytes);
}
