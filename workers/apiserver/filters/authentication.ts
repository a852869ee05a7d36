import type { Filter } from "../request/context.ts";
import { newUnauthorized } from "../../apimachinery/status-errors.ts";
import { TokenAuthenticator } from "../authentication/token-authenticator.ts";
import { anonymous } from "../authentication/user-info.ts";
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

/** Finds out who is asking: an in-process identity, or a bearer token. Mirrors WithAuthentication. */
export const authentication: Filter = async (c, next) => {
  if (c.env.loopbackUser !== undefined) {
    c.set("user", c.env.loopbackUser);
    return next();
  }
  const header = c.req.header("Authorization");
  if (header === undefined) {
    if (c.req.method !== "GET" || !isPublicPath(c.var.info.path)) throw newUnauthorized();
    c.set("user", anonymous);
    return next();
  }
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  const key = c.env.env.EDGEPLANE_TOKEN_KEY;
  const user = token && key ? await authenticatorFor(key).authenticate(c.var.info.cluster, token) : undefined;
  if (user === undefined) throw newUnauthorized();
  c.set("user", user);
  return next();
};
