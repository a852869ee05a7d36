import "reflect-metadata";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { webcrypto } from "node:crypto";

export interface Pki {
  caCertificate: string;
  certificate: string;
  key: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const day = 24 * 3600 * 1_000;
const names = [
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];
const addresses = ["127.0.0.1", "::1", "10.96.0.1"];

/** A CA of this installation's own and a serving certificate for loopback, made once and kept in `directory`. */
export async function readPki(directory: string): Promise<Pki> {
  const files = {
    ca: join(directory, "ca.crt"),
    certificate: join(directory, "server.crt"),
    key: join(directory, "server.key"),
  };
  if (!Object.values(files).every(existsSync)) await writePki(directory, files);
  return {
    caCertificate: readFileSync(files.ca, "utf8"),
    certificate: readFileSync(files.certificate, "utf8"),
    key: readFileSync(files.key, "utf8"),
  };
}

async function writePki(directory: string, files: { ca: string; certificate: string; key: string }): Promise<void> {
  const x509 = await import("@peculiar/x509");
  x509.cryptoProvider.set(webcrypto as unknown as Crypto);
  mkdirSync(directory, { recursive: true });
  const notBefore = new Date(Date.now() - day);
  const caKeys = (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=edgeplane-ca",
    notBefore,
    notAfter: new Date(Date.now() + 3_650 * day),
    signingAlgorithm: algorithm,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const serverKeys = (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const server = await x509.X509CertificateGenerator.create({
    serialNumber: "02",
    subject: "CN=kube-apiserver",
    issuer: ca.subject,
    notBefore,
    notAfter: new Date(Date.now() + 3_650 * day),
    signingAlgorithm: algorithm,
    publicKey: serverKeys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: "dns" as const, value })),
        ...addresses.map((value) => ({ type: "ip" as const, value })),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", serverKeys.privateKey as webcrypto.CryptoKey));
  writeFileSync(files.key, x509.PemConverter.encode(new Uint8Array(key), "PRIVATE KEY"), { mode: 0o600 });
  writeFileSync(files.certificate, server.toString("pem"));
  writeFileSync(files.ca, ca.toString("pem"));
}
