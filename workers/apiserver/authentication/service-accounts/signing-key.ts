import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";

/** What tokens of a cluster's service accounts are signed with. */
export interface SigningKey {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  /** RFC 7517, as it is published. */
  publicJwk: { use: "sig"; kty: "EC"; kid: string; crv: "P-256"; alg: "ES256"; x: string; y: string };
}

const curve = { name: "ECDSA", namedCurve: "P-256" };
/** PKCS #8 of a P-256 key whose public half is left out, up to the private number. */
const pkcs8Prefix = decodeBase64Url("MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCA")!;
/** The order of P-256. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const encoder = new TextEncoder();

/**
 * The key pair of a cluster, derived from the deployment's secret: the same in every isolate, with nothing to store or to
 * agree on. A deployment that changes its secret invalidates these tokens as it does all others.
 */
export async function deriveSigningKey(secret: string, cluster: string): Promise<SigningKey> {
  const mac = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  for (let attempt = 0; ; attempt++) {
    // No token's text begins like this: a cluster's name has no spaces.
    const label = encoder.encode(`service account signing key\n${cluster}\n${attempt}`);
    const candidate = new Uint8Array(await crypto.subtle.sign("HMAC", mac, label));
    if (isPrivateNumber(candidate)) return keyPairOf(candidate);
  }
}

function isPrivateNumber(bytes: Uint8Array): boolean {
  const number = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return number > 0n && number < order;
}

async function keyPairOf(number: Uint8Array): Promise<SigningKey> {
  const pkcs8 = new Uint8Array(pkcs8Prefix.length + number.length);
  pkcs8.set(pkcs8Prefix);
  pkcs8.set(number, pkcs8Prefix.length);
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, curve, true, ["sign"]);
  const { x, y } = (await crypto.subtle.exportKey("jwk", privateKey)) as { x: string; y: string };
  const publicKey = await crypto.subtle.importKey("jwk", { kty: "EC", crv: "P-256", x, y }, curve, true, ["verify"]);
  const spki = (await crypto.subtle.exportKey("spki", publicKey)) as ArrayBuffer;
  const kid = encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", spki)));
  return { privateKey, publicKey, publicJwk: { use: "sig", kty: "EC", kid, crv: "P-256", alg: "ES256", x, y } };
}

/** Keys of the clusters that this isolate has seen; bounded, a forgotten one is derived again. */
const keys = new Map<string, SigningKey>();
const maxKeys = 1_000;

export async function signingKeyFor(secret: string, cluster: string): Promise<SigningKey> {
  const name = `${cluster}\n${secret}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = await deriveSigningKey(secret, cluster);
  if (keys.size >= maxKeys) keys.clear();
  keys.set(name, key);
  return key;
}
