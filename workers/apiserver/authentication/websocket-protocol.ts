const prefix = "base64url.bearer.authorization.k8s.io.";

/**
 * Browsers cannot set headers on a WebSocket: the token comes as a subprotocol, beside at least one real one.
 * Mirrors k8s.io/apiserver pkg/authentication/request/websocket/protocol.go (1.36).
 */
export function bearerOfProtocols(header: string | undefined): string | undefined {
  const protocols = split(header);
  const encoded = protocols.filter((protocol) => protocol.startsWith(prefix));
  if (encoded.length !== 1 || protocols.length < 2) return undefined;
  try {
    const base64 = encoded[0]!.slice(prefix.length).replaceAll("-", "+").replaceAll("_", "/");
    const token = atob(base64);
    return /^[\x21-\x7e]+$/.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}

/** The first protocol that is one. */
export function firstProtocol(header: string | undefined): string | undefined {
  return split(header).find((protocol) => !protocol.startsWith(prefix));
}

function split(header: string | undefined): string[] {
  return (header ?? "")
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "");
}
