import { issuerOf } from "./authentication/service-accounts/claims.ts";
import { signingKeyFor } from "./authentication/service-accounts/signing-key.ts";
import type { AppContext } from "./request/context.ts";

const configurationPath = "/.well-known/openid-configuration";
const keysPath = "/openid/v1/jwks";
export const openIdPaths: readonly string[] = [configurationPath, keysPath];

/** As upstream's: seconds for which others may keep the documents. */
const maxAge = 3_600;

/**
 * How others can check the tokens of service accounts (OpenID Connect Discovery 1.0). undefined for other paths.
 * Mirrors pkg/serviceaccount/openidmetadata.go and pkg/routes/openidmetadata.go (1.36).
 */
export async function openIdResponse(c: AppContext): Promise<Response | undefined> {
  const { path, cluster } = c.get("info");
  if (!openIdPaths.includes(path)) return undefined;
  const secret = c.env.env.EDGEPLANE_TOKEN_KEY;
  if (!secret) return undefined;
  if (path === keysPath) {
    const { publicJwk } = await signingKeyFor(secret, cluster);
    return document({ keys: [publicJwk] }, "application/jwk-set+json");
  }
  const base = `${new URL(c.req.url).origin}${cluster === "default" ? "" : `/clusters/${cluster}`}`;
  const metadata = {
    issuer: issuerOf(cluster),
    jwks_uri: `${base}${keysPath}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
  return document(metadata, "application/json");
}

function document(body: object, contentType: string): Response {
  return new Response(JSON.stringify(body), {
    headers: { "Content-Type": contentType, "Cache-Control": `public, max-age=${maxAge}` },
  });
}
