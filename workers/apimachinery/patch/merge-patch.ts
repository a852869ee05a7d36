import { apply } from "tiny-merge-patch";
import { newBadRequest } from "../status-errors.ts";
import { isJsonObject } from "./own-property.ts";

/**
 * JSON merge patch (RFC 7386). The document is not changed; unchanged parts are shared with the result.
 * A patch that is no object is refused, as k8s.io/apiserver pkg/endpoints/handlers/patch.go does (1.36).
 */
export function applyMergePatch(document: object, patch: unknown): object {
  if (!isJsonObject(patch)) throw newBadRequest("Invalid JSON Patch");
  return apply(document, patch) as object;
}
