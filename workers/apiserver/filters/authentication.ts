import type { AppContext, Filter } from "../request/context.ts";
import { newUnauthorized } from "../../apimachinery/status-errors.ts";
import type { Clock } from "../../apimachinery/clock.ts";
import type { Authentication } from "../authentication/authentication.ts";
import { ServiceAccountAuthenticator } from "../authentication/service-accounts/authenticator.ts";
import { issuerOf } from "../authentication/service-accounts/claims.ts";
import { signingKeyFor } from "../authentication/service-accounts/signing-key.ts";
import { TokenAuthenticator } from "../authentication/token-authenticator.ts";
import { anonymous } from "../authentication/user-info.ts";
import { bearerOfProtocols } from "../authentication/websocket-protocol.ts";
import { isPublicPath } from "../authorization/authorizer.ts";

interface Authenticators {
  tokens: TokenAuthenticator;
  serviceAccounts: ServiceAccountAuthenticator;
}

/** Of the deployment's key; a deployment has one. */
let current: { key: string; authenticators: Authenticators } | undefined;

function authenticatorsFor(key: string, clock: Clock): Authenticators {
  if (current?.key !== key) {
    current = {
      key,
      authenticators: {
        tokens: new TokenAuthenticator(key),
        serviceAccounts: new ServiceAccountAuthenticator((cluster) => signingKeyFor(key, cluster), clock),
      },
    };
  }
  return current.authenticators;
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
  const found = token === undefined ? undefined : await authenticateToken(c, token);
  if (found === undefined || "error" in found) throw newUnauthorized();
  c.set("user", found.user);
  return next();
};

const invalidToken = "invalid bearer token";

/** Whose token it is in the request's cluster, and for which of `wanted`; by default for the API itself. */
export async function authenticateToken(
  c: AppContext,
  token: string,
  wanted: readonly string[] = [issuerOf(c.get("info").cluster)],
): Promise<Authentication> {
  const key = c.env.env.EDGEPLANE_TOKEN_KEY;
  if (!key) return { error: invalidToken };
  const { cluster } = c.get("info");
  const { tokens, serviceAccounts } = authenticatorsFor(key, c.env.clock);
  const found = await serviceAccounts.authenticate(c.get("storage"), token, wanted);
  if (found !== undefined) return "error" in found ? { error: `[${invalidToken}, ${found.error}]` } : found;
  const user = await tokens.authenticate(cluster, token);
  // A token without audiences is for the API.
  const audiences = wanted.filter((audience) => audience === issuerOf(cluster));
  return user === undefined || audiences.length === 0 ? { error: invalidToken } : { user, audiences };
}
