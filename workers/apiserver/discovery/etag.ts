import { createHash } from "node:crypto";

/** The hash of a document in the form that upstream uses in ETags and in the hashes of /openapi/v3. */
export function documentHash(body: string | Uint8Array): string {
  return createHash("sha512").update(body).digest("hex").toUpperCase();
}

/** Whether If-None-Match names the entity. */
export function matchesEtag(request: Request, etag: string): boolean {
  const header = request.headers.get("If-None-Match");
  if (header === null) return false;
  return header.split(",").some((part) => {
    const candidate = part.trim().replace(/^W\//, "");
    return candidate === "*" || candidate === etag;
  });
}
