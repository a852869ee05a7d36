import { applyPatch, Pointer, type Operation } from "rfc6902";
import { deepEqual } from "../deep-equal.ts";
import { newBadRequest, newRequestEntityTooLarge } from "../status-errors.ts";
import { goTypeOf } from "./go-format.ts";
import { hasOwn, isJsonObject } from "./own-property.ts";
import { unprocessable } from "./patch-errors.ts";

const maxOperations = 10_000;
/** Sum of the sizes of all values that `copy` operations copy, in bytes of JSON (upstream's JSONPatchMaxCopyBytes). */
const maxCopyBytes = 3 * 1024 * 1024;

const operationNames = new Set(["add", "remove", "replace", "move", "copy", "test"]);

/**
 * JSON patch (RFC 6902). Returns a new document; the given one is not changed. Stops at the first operation that fails:
 * 422 with the generic message, since upstream keeps the cause to itself; 400 when the patch is no list of objects;
 * 413 above 10,000 operations. Mirrors k8s.io/apiserver pkg/endpoints/handlers/patch.go and the leniencies of
 * evanphx/json-patch v4 (1.36): `replace` of a missing member adds it, `test` of a missing member equals null,
 * `copy` of one adds null, and a negative index counts from the end.
 */
export function applyJsonPatch(document: object, operations: unknown): unknown {
  const list = checkOperations(operations);
  let holder: unknown = structuredClone(document);
  let copied = 0;
  for (const operation of list) {
    if (operation["path"] === "" && (operation["op"] === "replace" || operation["op"] === "test")) {
      holder = applyToRoot(holder, operation["op"], operation["value"]);
      continue;
    }
    const prepared = prepare(holder, operation);
    if (prepared === undefined) continue;
    if (prepared.op === "copy") {
      copied += JSON.stringify(Pointer.fromJSON(prepared.from).get(holder) ?? null).length;
      if (copied > maxCopyBytes) throw unprocessable();
    }
    if (applyPatch(holder, [prepared])[0] !== null) throw unprocessable();
  }
  return holder;
}

/** The only two operations that take the whole document. */
function applyToRoot(document: unknown, op: "replace" | "test", value: unknown): unknown {
  if (op === "replace") {
    if (typeof value !== "object" || value === null) throw unprocessable();
    return structuredClone(value);
  }
  if (!deepEqual(document, value)) throw unprocessable();
  return document;
}

function checkOperations(operations: unknown): Record<string, unknown>[] {
  if (!Array.isArray(operations)) {
    throw newBadRequest(
      `error decoding patch: json: cannot unmarshal ${jsonWord(operations)} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  for (const operation of operations) {
    if (!isJsonObject(operation)) {
      throw newBadRequest(
        `error decoding patch: json: cannot unmarshal ${jsonWord(operation)} into Go value of type handlers.jsonPatchOp`,
      );
    }
    for (const member of ["op", "path", "from"]) {
      const value = operation[member];
      if (value !== undefined && value !== null && typeof value !== "string") {
        throw newBadRequest(
          `error decoding patch: json: cannot unmarshal ${jsonWord(value)} into Go struct field jsonPatchOp.${member} of type string`,
        );
      }
    }
  }
  if (operations.length > maxOperations) {
    throw newRequestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    );
  }
  return operations;
}

function jsonWord(value: unknown): string {
  if (typeof value === "number") return "number";
  const type = goTypeOf(value);
  return type.startsWith("map") ? "object" : type.startsWith("[]") ? "array" : type;
}

/** Brings an operation into the library's stricter form; undefined when there is nothing left to do. */
function prepare(document: unknown, operation: Record<string, unknown>): Operation | undefined {
  const { op, path } = operation;
  if (typeof op !== "string" || !operationNames.has(op)) throw unprocessable();
  const target = endpoint(document, path, op === "add" ? 1 : 0);
  const value = hasOwn(operation, "value") ? operation["value"] : null;
  switch (op) {
    case "test":
      // Settled here: the library reads prototypes, and fails at values that it cannot put into its error's text.
      if (!deepEqual(target.value ?? null, value)) throw unprocessable();
      return undefined;
    case "replace":
      return target.value === undefined && !Array.isArray(target.parent)
        ? { op: "add", path: target.path, value }
        : { op, path: target.path, value };
    case "add":
      return { op, path: target.path, value };
    case "remove":
      if (target.value === undefined) throw unprocessable();
      return { op, path: target.path };
    default: {
      const source = endpoint(document, operation["from"], 0);
      if (source.value === undefined) {
        // A copy of a member that is not there is null.
        if (op === "copy" && !Array.isArray(source.parent)) return { op: "add", path: target.path, value: null };
        throw unprocessable();
      }
      if (op === "move" && source.path === target.path) return undefined;
      return { op: op as "move" | "copy", from: source.path, path: target.path };
    }
  }
}

interface Endpoint {
  parent: unknown;
  value: unknown;
  path: string;
}

/**
 * Follows own members only; everything but the last step must exist, and the root is no target.
 * `grow` is 1 when the list is about to have one more entry, from whose end negative indexes then count.
 */
function endpoint(document: unknown, path: unknown, grow: 0 | 1): Endpoint {
  if (typeof path !== "string" || !path.startsWith("/")) throw unprocessable();
  const tokens = Pointer.fromJSON(path).tokens.slice(1);
  const resolved = new Pointer([""]);
  let parent: unknown;
  let value = document;
  for (const token of tokens) {
    // The library steps over this name.
    if (token === "__proto__") throw unprocessable();
    parent = value;
    if (Array.isArray(parent)) {
      const index = /^-[1-9][0-9]*$/.test(token) ? String(parent.length + grow + Number(token)) : token;
      if (index !== "-" && !/^(0|[1-9][0-9]*)$/.test(index)) throw unprocessable();
      resolved.push(index);
      value = index === "-" ? undefined : parent[Number(index)];
    } else if (isJsonObject(parent)) {
      resolved.push(token);
      value = hasOwn(parent, token) ? parent[token] : undefined;
    } else {
      throw unprocessable();
    }
  }
  return { parent, value, path: resolved.toString() };
}
