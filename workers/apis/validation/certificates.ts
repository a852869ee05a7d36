import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { quote } from "../../apimachinery/quote.ts";
import { isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import { checkText, immutable, isSet, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { decodeBase64, isDerSequence, readPem } from "./pem.ts";
import type { Validators } from "./registry.ts";
import { validateSignerName } from "./signer-name.ts";

/** Mirrors pkg/apis/certificates/validation/validation.go (1.36); signatures of requests are not checked. */
const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];
const lastingConditions = ["Approved", "Denied", "Failed"];
const legacySignerName = "kubernetes.io/legacy-unknown";
const maxTrustBundleBytes = 1024 * 1024;
const conditionsPath = "status.conditions";
const decoder = new TextDecoder();

function validateRequest(object: KubeObject, causes: Causes): void {
  const spec = object.spec ?? {};
  const problem = requestProblem(textOf(spec.request));
  if (problem !== undefined) causes.push(invalid("spec.request", textOf(spec.request), problem));
  const given = listOf(spec.usages);
  if (given.length === 0) causes.push(required("spec.usages"));
  for (const [index, usage] of given.entries()) {
    if (!usages.includes(usage)) causes.push(notSupported(`spec.usages[${index}]`, usage, usages));
  }
  for (const [index, usage] of given.entries()) {
    if (given.indexOf(usage) < index) causes.push(duplicate(`spec.usages[${index}]`, usage));
  }
  if (spec.signerName === legacySignerName) {
    causes.push(
      invalid("spec.signerName", spec.signerName, "the legacy signerName is not allowed via this API version"),
    );
  } else validateSignerName(spec.signerName, "spec.signerName", causes);
  if (isSet(spec.expirationSeconds) && spec.expirationSeconds < 600) {
    causes.push(
      invalid(
        "spec.expirationSeconds",
        spec.expirationSeconds,
        "may not specify a duration less than 600 seconds (10 minutes)",
      ),
    );
  }
  validateSigningConditions(object, conditionsPath, causes);
}

function requestProblem(base64: string): string | undefined {
  const bytes = decodeBase64(base64);
  const [block] = bytes === undefined ? [] : readPem(decoder.decode(bytes));
  if (block === undefined || block.type !== "CERTIFICATE REQUEST") return "PEM block type must be CERTIFICATE REQUEST";
  return isDerSequence(block.bytes) ? undefined : "asn1: syntax error: data truncated";
}

/** Approved, Denied and Failed are True or absent; Approved and Denied exclude each other. */
function validateSigningConditions(object: KubeObject, path: string, causes: Causes): void {
  const seen = new Set<string>();
  for (const [index, condition] of listOf(object.status?.conditions).entries()) {
    const field = `${path}[${index}]`;
    const type = textOf(condition?.type);
    if (type === "") causes.push(required(`${field}.type`));
    const allowed = lastingConditions.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (!condition?.status) causes.push(required(`${field}.status`));
    else if (!allowed.includes(condition.status))
      causes.push(notSupported(`${field}.status`, condition.status, allowed));
    if ((type === "Approved" && seen.has("Denied")) || (type === "Denied" && seen.has("Approved"))) {
      causes.push(invalid(path, type, "Approved and Denied conditions are mutually exclusive"));
    }
    if (seen.has(type)) causes.push(duplicate(`${field}.type`, type));
    seen.add(type);
  }
}

/** `approval`: only that subresource may add Approved or Denied. */
function validateSigningRequestUpdate(
  object: KubeObject,
  previous: KubeObject,
  kind: "approval" | "status",
  causes: Causes,
): void {
  validateSigningConditions(object, conditionsPath, causes);
  const of = (request: KubeObject, type: string) =>
    listOf(request.status?.conditions).filter((condition) => condition?.type === type);
  for (const type of lastingConditions) {
    if (of(object, type).length < of(previous, type).length) {
      causes.push(forbidden(conditionsPath, `updates may not remove a condition of type ${quote(type)}`));
    }
  }
  if (kind === "approval") return;
  for (const type of ["Approved", "Denied"]) {
    const [after, before] = [of(object, type), of(previous, type)];
    if (after.length > before.length) {
      causes.push(forbidden(conditionsPath, `updates may not add a condition of type ${quote(type)}`));
    } else if (after.length === before.length && !semanticEqual(after, before)) {
      causes.push(forbidden(conditionsPath, `updates may not modify a condition of type ${quote(type)}\n`));
    }
  }
  validateCertificateUpdate(textOf(object.status?.certificate), textOf(previous.status?.certificate), causes);
}

function validateCertificateUpdate(after: string, before: string, causes: Causes): void {
  if (after === before) return;
  const path = "status.certificate";
  const problem = certificateProblem(after);
  if (problem !== undefined) causes.push(invalid(path, "<certificate data>", problem));
  if (before !== "") causes.push(forbidden(path, "updates may not modify existing certificate content"));
}

function certificateProblem(base64: string): string | undefined {
  if (base64 === "") return undefined;
  const bytes = decodeBase64(base64);
  const blocks = bytes === undefined ? [] : readPem(decoder.decode(bytes));
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  for (const block of blocks) {
    if (block.type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${quote(block.type)}`;
    if (block.hasHeaders) return "no PEM block headers are permitted";
    if (!isDerSequence(block.bytes)) return "x509: malformed certificate";
  }
  return undefined;
}

function validateTrustBundleObject(object: KubeObject, causes: Causes): void {
  validateTrustBundleIdentity(object, causes);
  validateTrustBundle(textOf(object.spec?.trustBundle), "spec.trustBundle", causes);
}

function validateTrustBundleIdentity(object: KubeObject, causes: Causes): void {
  const signer = textOf(object.spec?.signerName);
  const name = object.metadata.name ?? "";
  for (const text of trustBundleNameProblems(name, signer)) causes.push(invalid("metadata.name", name, text));
  if (signer !== "") validateSignerName(signer, "spec.signerName", causes);
}

function trustBundleNameProblems(name: string, signer: string): string[] {
  if (signer === "") {
    return name.includes(":")
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : isDns1123Subdomain(name);
  }
  const prefix = `${signer.replaceAll("/", ":")}:`;
  if (!name.startsWith(prefix))
    return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
  return isDns1123Subdomain(name.slice(prefix.length));
}

function validateTrustBundle(text: string, path: string, causes: Causes): void {
  if (text.length > maxTrustBundleBytes) return void causes.push(tooLong(path, maxTrustBundleBytes));
  const refuse = (detail: string) => causes.push(invalid(path, "<value omitted>", detail));
  const before = causes.length;
  const indices = new Map<string, number[]>();
  for (const [index, block] of readPem(text).entries()) {
    if (block.type !== "CERTIFICATE") refuse(`entry ${index} has bad block type: ${block.type}`);
    else if (block.hasHeaders) refuse(`entry ${index} has PEM block headers`);
    else if (!isDerSequence(block.bytes)) refuse(`entry ${index} does not parse as X.509`);
    else {
      const key = String(block.bytes);
      indices.set(key, [...(indices.get(key) ?? []), index]);
    }
  }
  if (causes.length > before) return;
  if (indices.size === 0) refuse("at least one trust anchor must be provided");
  for (const same of indices.values())
    if (same.length > 1) refuse(`duplicate trust anchor (indices [${same.join(" ")}])`);
}

function validateTrustBundleUpdate(object: KubeObject, previous: KubeObject, causes: Causes): void {
  validateTrustBundleIdentity(object, causes);
  const text = textOf(object.spec?.trustBundle);
  // What is not changed is not read again.
  if (text !== textOf(previous.spec?.trustBundle)) validateTrustBundle(text, "spec.trustBundle", causes);
  immutable(object.spec?.signerName, previous.spec?.signerName, "spec.signerName", causes);
}

const minExpirationSeconds = 3_600;
const maxKubernetesExpirationSeconds = 24 * 3_600;
const maxExpirationSeconds = 91 * 24 * 3_600;

function validatePodCertificateRequest(object: KubeObject, causes: Causes): void {
  const spec = object.spec ?? {};
  validateSignerName(spec.signerName, "spec.signerName", causes);
  for (const [name, uid] of [
    ["podName", "podUID"],
    ["serviceAccountName", "serviceAccountUID"],
    ["nodeName", "nodeUID"],
  ] as const) {
    checkText(isDns1123Subdomain, spec[name], `spec.${name}`, causes);
    const value = textOf(spec[uid]);
    if (value === "") causes.push(invalid(`spec.${uid}`, value, "must not be empty"));
    if (value.length > 128) causes.push(tooLong(`spec.${uid}`, 128));
  }
  const seconds = spec.maxExpirationSeconds;
  if (!isSet(seconds)) return void causes.push(required("spec.maxExpirationSeconds", "must be set"));
  const domain = textOf(spec.signerName).split("/")[0]!;
  const maximum =
    domain === "kubernetes.io" || domain.endsWith(".kubernetes.io")
      ? maxKubernetesExpirationSeconds
      : maxExpirationSeconds;
  if (!(seconds >= minExpirationSeconds && seconds <= maximum)) {
    causes.push(
      invalid("spec.maxExpirationSeconds", seconds, `must be in the range [${minExpirationSeconds}, ${maximum}]`),
    );
  }
}

const group = "certificates.k8s.io";
const specImmutable = (object: KubeObject, previous: KubeObject, causes: Causes) =>
  immutable(object.spec, previous.spec, "spec", causes);

export const certificatesValidators: Validators = {
  [`certificatesigningrequests.${group}`]: {
    create: validateRequest,
    update: specImmutable,
    subresources: {
      approval: (object, previous, causes) => validateSigningRequestUpdate(object, previous, "approval", causes),
      status: (object, previous, causes) => validateSigningRequestUpdate(object, previous, "status", causes),
    },
  },
  [`clustertrustbundles.${group}`]: { create: validateTrustBundleObject, update: validateTrustBundleUpdate },
  [`podcertificaterequests.${group}`]: { create: validatePodCertificateRequest, update: specImmutable },
};
