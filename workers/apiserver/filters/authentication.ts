import type { AppContext, Filter } from "../request/context.ts";
import { newUnauthorized } from "../../apimachinery/status-errors.ts";
import { TokenAuthenticator } from "../authentication/token-authenticator.ts";
import { anonymous } from "../authentication/user-info.ts";
import type { UserInfo } from "../authentication/user-info.ts";
import { bearerOfProtocols } from "../authentication/websocket-protocol.ts";
import { isPublicPath } from "../authorization/authorizer.ts";

const authenticators = new Map<string, TokenAuthenticator>();

function authenticatorFor(key: string): TokenAuthenticator {
  let authenticator = authenticators.get(key);
  if (authenticator === undefined) {
    authenticator = new TokenAuthenticator(key);
    authenticators.clear();
    authenticators.set(key, authenticator);
  }
  return authenticator;
}

/** Finds out who is asking: an in-process identity, or a bearer token (for browsers in a WebSocket's subprotocols). Mirrors WithAuthentication. */
export const authentication: Filter = async (c, next) => {
  if (c.env.loopbackUser !== undefined) {
    c.set("user", c.env.loopbackUser);
    return next();
  }
  const header = c.req.header("Authorization");
  const protocols = c.req.header("Sec-WebSocket-Protocol");
  const offered = header === undefined && protocols !== undefined ? bearerOfProtocols(protocols) : undefined;
  if (header === undefined && offered === undefined) {
    const reads = c.req.raw.method === "GET" || c.req.raw.method === "HEAD";
    if (!reads || !isPublicPath(c.get("info").path)) throw newUnauthorized();
    c.set("user", anonymous);
    return next();
  }
  const token = offered ?? /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  const user = token === undefined ? undefined : await authenticateToken(c, token);
  if (user === undefined) throw newUnauthorized();
  c.set("user", user);
  return next();
};

/** Whose token it is in the request's cluster, undefined if it is none. */
export async function authenticateToken(c: AppContext, token: string): Promise<UserInfo | undefined> {
  const key = c.env.env.EDGEPLANE_TOKEN_KEY;
  return key ? authenticatorFor(key).authenticate(c.get("info").cluster, token) : undefined;
}
