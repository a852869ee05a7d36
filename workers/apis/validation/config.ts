import { deepEqual } from "../../apimachinery/deep-equal.ts";
import { forbidden, invalid, required, tooLong } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isConfigMapKey } from "../../apimachinery/validation-names.ts";
import { goJsonSyntaxError } from "../codec/json-syntax-error.ts";
import { checkText, entriesOf, immutable, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

/** Config maps and secrets. Mirrors ValidateConfigMap, ValidateSecret of pkg/apis/core/validation (1.36). */
const maxSize = 1024 * 1024;
const immutableDetail = "field is immutable when `immutable` is set";
const utf8 = new TextEncoder();

function byteLength(text: unknown): number {
  const value = textOf(text);
  // A text of fewer than a third of the limit cannot pass it.
  return value.length * 3 < maxSize ? value.length : utf8.encode(value).length;
}

function decodedLength(base64: unknown): number {
  const value = textOf(base64).replace(/=+$/, "");
  return Math.floor((value.length * 3) / 4);
}

export function validateConfigMap(map: KubeObject, causes: Causes): void {
  let size = 0;
  for (const [key, value] of entriesOf(map["data"])) {
    checkText(isConfigMapKey, key, `data[${key}]`, causes);
    if (map["binaryData"]?.[key] !== undefined) {
      causes.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
    size += byteLength(value);
  }
  for (const [key, value] of entriesOf(map["binaryData"])) {
    checkText(isConfigMapKey, key, `binaryData[${key}]`, causes);
    size += decodedLength(value);
  }
  if (size > maxSize) causes.push(tooLong("[]", maxSize));
}

function validateUnchanged(object: KubeObject, previous: KubeObject, bags: readonly string[], causes: Causes): void {
  if (previous["immutable"] !== true) return;
  if (object["immutable"] !== true) causes.push(forbidden("immutable", immutableDetail));
  for (const bag of bags) {
    if (!deepEqual(object[bag] ?? {}, previous[bag] ?? {})) causes.push(forbidden(bag, immutableDetail));
  }
}

export function validateConfigMapUpdate(map: KubeObject, previous: KubeObject, causes: Causes): void {
  validateUnchanged(map, previous, ["data", "binaryData"], causes);
  validateConfigMap(map, causes);
}

export function validateSecret(secret: KubeObject, causes: Causes): void {
  const data: Record<string, string> = secret["data"] ?? {};
  let size = 0;
  for (const [key, value] of entriesOf(data)) {
    checkText(isConfigMapKey, key, `data[${key}]`, causes);
    size += decodedLength(value);
  }
  if (size > maxSize) causes.push(tooLong("data", maxSize));
  const requireKey = (key: string) => {
    if (data[key] === undefined) causes.push(required(`data[${key}]`));
  };
  switch (secret["type"]) {
    case "kubernetes.io/service-account-token":
      if (!secret.metadata.annotations?.["kubernetes.io/service-account.name"]) {
        causes.push(required("metadata.annotations[kubernetes.io/service-account.name]"));
      }
      break;
    case "kubernetes.io/dockercfg":
      validateJsonKey(data, ".dockercfg", causes);
      break;
    case "kubernetes.io/dockerconfigjson":
      validateJsonKey(data, ".dockerconfigjson", causes);
      break;
    case "kubernetes.io/basic-auth":
      if (data["username"] === undefined && data["password"] === undefined) {
        requireKey("username");
        requireKey("password");
      }
      break;
    case "kubernetes.io/ssh-auth":
      if (!data["ssh-privatekey"]) causes.push(required("data[ssh-privatekey]"));
      break;
    case "kubernetes.io/tls":
      requireKey("tls.crt");
      requireKey("tls.key");
      break;
  }
}

function validateJsonKey(data: Record<string, string>, key: string, causes: Causes): void {
  const value = data[key];
  if (value === undefined) return void causes.push(required(`data[${key}]`));
  const problem = jsonObjectProblem(decodeText(value));
  if (problem !== undefined) causes.push(invalid(`data[${key}]`, "<secret contents redacted>", problem));
}

function decodeText(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return "";
  }
}

function jsonObjectProblem(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return goJsonSyntaxError(text);
  }
  if (value === null || (typeof value === "object" && !Array.isArray(value))) return undefined;
  const word = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${word} into Go value of type map[string]interface {}`;
}

export function validateSecretUpdate(secret: KubeObject, previous: KubeObject, causes: Causes): void {
  immutable(secret["type"], previous["type"], "type", causes);
  validateUnchanged(secret, previous, ["data"], causes);
  validateSecret(secret, causes);
}
