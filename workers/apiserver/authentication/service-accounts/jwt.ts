import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";
import type { SigningKey } from "./signing-key.ts";

const signature = { name: "ECDSA", hash: "SHA-256" };
const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Longer than any token that is issued here. */
const maxTokenLength = 16 * 1024;

/** A JWS in compact form (RFC 7515), ES256. */
export async function signJwt(key: SigningKey, claims: object): Promise<string> {
  const header = encodeJson({ alg: "ES256", kid: key.publicJwk.kid });
  const signed = `${header}.${encodeJson(claims)}`;
  const bytes = await crypto.subtle.sign(signature, key.privateKey, encoder.encode(signed));
  return `${signed}.${encodeBase64Url(new Uint8Array(bytes))}`;
}

/** The claims of a token whose signature nobody has looked at; undefined for what is no JWT. */
export function unverifiedClaims(token: string): Record<string, unknown> | undefined {
  if (token.length > maxTokenLength) return undefined;
  const parts = token.split(".");
  return parts.length === 3 ? decodeJson(parts[1]!) : undefined;
}

/** Whether the token is signed by `key`, and with ES256. */
export async function isSignedBy(token: string, key: SigningKey): Promise<boolean> {
  const [header = "", payload = "", mark = ""] = token.split(".");
  const bytes = decodeBase64Url(mark);
  if (decodeJson(header)?.["alg"] !== "ES256" || bytes?.length !== 64) return false;
  return crypto.subtle.verify(signature, key.publicKey, bytes, encoder.encode(`${header}.${payload}`));
}

function encodeJson(value: object): string {
  return encodeBase64Url(encoder.encode(JSON.stringify(value)));
}

function decodeJson(text: string): Record<string, unknown> | undefined {
  const bytes = decodeBase64Url(text);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
